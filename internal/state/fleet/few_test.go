package fleet

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A list that is Few is encoded as any other, and left out where it is empty.
func TestFewIsEncodedAsAList(t *testing.T) {
	type holder struct {
		A Few[int] `json:"a,omitzero"`
		B Few[int] `json:"b,omitzero"`
	}
	was := holder{A: FewOf([]int{3, 1})}
	data, err := json.Marshal(was)
	if err != nil || string(data) != `{"a":[3,1]}` {
		t.Fatalf("it is encoded as %s (%v)", data, err)
	}
	var is holder
	if err := json.Unmarshal(data, &is); err != nil || !reflect.DeepEqual(is, was) {
		t.Errorf("%s is read as %v (%v)", data, is, err)
	}
	if err := json.Unmarshal([]byte(`{"a":[]}`), &is); err != nil || is.A.All() != nil {
		t.Errorf("an empty list is read as %v (%v)", is.A.All(), err)
	}
	other := was.A.Clone()
	other.All()[0] = 5
	if was.A.All()[0] != 3 {
		t.Error("a clone shares its list")
	}
}
