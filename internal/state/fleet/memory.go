package fleet

// Memory is what one who decides remembers of a partition or a cloud account from one
// decision to the next. What carries it for its owner reads nothing of it: to lose it
// costs time and changes no decision.
type Memory interface {
	// Fork is what of it goes with a copy; nil: nothing.
	Fork() Memory
}

// Memories are those of a partition, one of each owner; nil: nothing is remembered.
type Memories struct {
	Placement   Memory
	Promise     Memory
	Maintenance Memory
	Core        Memory
}

// fork keeps what the copy of a partition may remember.
func (m Memories) fork() Memories {
	return Memories{forkOf(m.Placement), forkOf(m.Promise), forkOf(m.Maintenance), forkOf(m.Core)}
}

func forkOf(m Memory) Memory {
	if m == nil {
		return nil
	}
	return m.Fork()
}

// Memo is a note of placement on one thing of a partition. Fork copies it. A thing that
// is rebuilt, or comes to another partition, has none.
type Memo struct {
	At   uint64 // the counts of changes when it was written
	Note uint8  // what was found out then
}
