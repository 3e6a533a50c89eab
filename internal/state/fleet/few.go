package fleet

import (
	"encoding/json"
	"slices"
)

// Few is a list that is empty in nearly all workloads, where it takes one word of memory in place of three. Objects
// of more than 512 bytes are dearer to collect, and a workload has just as many.
type Few[T any] struct {
	List *[]T `compact:"list"` // for those that read and write states; others ask All
}

// FewOf makes one of a list, which it keeps.
func FewOf[T any](list []T) Few[T] {
	if len(list) == 0 {
		return Few[T]{}
	}
	return Few[T]{&list}
}

// All is the list; nil: it is empty.
func (f Few[T]) All() []T {
	if f.List == nil {
		return nil
	}
	return *f.List
}

// Clone is a list of its own.
func (f Few[T]) Clone() Few[T] { return FewOf(slices.Clone(f.All())) }

// IsZero says whether the list is empty: then it is not encoded.
func (f Few[T]) IsZero() bool { return len(f.All()) == 0 }

// MarshalJSON encodes it as any list.
func (f Few[T]) MarshalJSON() ([]byte, error) { return json.Marshal(f.All()) }

// UnmarshalJSON reads any list.
func (f *Few[T]) UnmarshalJSON(data []byte) error {
	var list []T
	err := json.Unmarshal(data, &list)
	*f = FewOf(list)
	return err
}
