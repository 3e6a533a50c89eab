package fleet

// Arena is memory for copies of a state that are used one after the other: each takes the place of
// the one before, which must not be looked at any more. Of a state with much waiting work a
// copy takes megabytes, and a question makes dozens.
type Arena struct {
	work      slab[Workload]
	held      slab[[]Replica]
	spots     slab[queueSpot]
	units     slab[Waiting]
	metal     slab[*Node]
	nodes     slab[Node]
	residents slab[Resident]
	twins     map[*Workload]*Workload
	byID      map[uint64]*Workload
	nowhere   map[uint64]*Workload
	names     map[fullName]*Workload
	waiting   map[*Waiting]*Waiting
}

// ForkInto is Fork into an arena.
func (s *State) ForkInto(a *Arena) *State {
	a.empty()
	return s.forkBy(&fork{Arena: a})
}

// empty makes place for the next copy.
func (a *Arena) empty() {
	a.work.empty()
	a.held.empty()
	a.spots.empty()
	a.units.empty()
	a.metal.empty()
	a.nodes.empty()
	a.residents.empty()
}

// slab is an array from which copies take parts.
type slab[T any] struct {
	free  []T
	taken int // by the copy that is made now
}

func (s *slab[T]) empty() {
	if s.taken > cap(s.free) {
		s.free = make([]T, 0, s.taken)
	}
	s.free, s.taken = s.free[:0], 0
}

// take is an empty slice with place for n things.
func (s *slab[T]) take(n int) []T {
	s.taken += n
	from := len(s.free)
	if s.free == nil || n > cap(s.free)-from {
		s.free, from = make([]T, 0, n), 0 // what was taken of the other array stays its taker's
	}
	s.free = s.free[:from+n]
	return s.free[from : from : from+n]
}

// emptied is a map without what was in it; a new one for so many things, where there was none.
func emptied[K comparable, V any](m *map[K]V, n int) map[K]V {
	if *m == nil {
		*m = make(map[K]V, n)
	}
	clear(*m)
	return *m
}
