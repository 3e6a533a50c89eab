package fleet

import "fmt"

// Priority is a workload's importance as its submitter states it; lower values come first.
type Priority int8

// The priorities, most important first.
const (
	Critical Priority = iota
	High
	Mid
	Low
)

var priorityNames = [...]string{"critical", "high", "mid", "low"}

func (p Priority) String() string {
	if p < Critical || p > Low {
		return fmt.Sprintf("priority(%d)", int8(p))
	}
	return priorityNames[p]
}

// ParsePriority reads a priority; ok is false for an unknown word.
func ParsePriority(s string) (p Priority, ok bool) {
	for i, name := range priorityNames {
		if s == name {
			return Priority(i), true
		}
	}
	return Mid, false
}

// MarshalText writes the priority's word.
func (p Priority) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the priority's word.
func (p *Priority) UnmarshalText(b []byte) error {
	v, ok := ParsePriority(string(b))
	if !ok {
		return fmt.Errorf("priority %q is not one of critical, high, mid, low", b)
	}
	*p = v
	return nil
}

// Key orders units inside a quota or namespace: importance (priority, then
// rank), an elastic pool's min before its surplus, first submission. Admission
// and eviction both use it, so two workloads never evict each other in turn.
type Key struct {
	Priority Priority
	Rank     int
	Surplus  bool
	Since    Instant
	ID       uint64
}

// KeyOf is the key of a part of a workload: one of its pools, or its surplus. Who
// has run past the maximum it declared has lost its age.
func KeyOf(w *Workload, rank int, surplus bool) Key {
	since := w.Submitted
	if w.Late {
		since = Never
	}
	return Key{w.Priority, rank, surplus, since, w.ID}
}

// Before says whether k comes before l.
func (k Key) Before(l Key) bool {
	if k.Priority != l.Priority || k.Rank != l.Rank {
		return k.Priority < l.Priority || k.Priority == l.Priority && k.Rank < l.Rank
	}
	if k.Surplus != l.Surplus {
		return l.Surplus
	}
	return k.Since < l.Since || k.Since == l.Since && k.ID < l.ID
}

// Compare is negative where k comes before l, and positive where it comes after.
func (k Key) Compare(l Key) int {
	switch {
	case k.Before(l):
		return -1
	case l.Before(k):
		return 1
	}
	return 0
}

// Importance is priority, then rank.
type Importance struct {
	Priority Priority
	Rank     int
}

// Importance is the key's importance.
func (k Key) Importance() Importance { return Importance{k.Priority, k.Rank} }

// Above says whether i is more important than j.
func (i Importance) Above(j Importance) bool {
	if i.Priority != j.Priority {
		return i.Priority < j.Priority
	}
	return i.Rank < j.Rank
}
