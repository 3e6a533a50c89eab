package placement

import (
	"slices"
	"sort"
)

// This file keeps what one search for victims leaves to the next, where that has the same claim and a
// candidate less: islands that had no room have none, and elsewhere it takes at least as many.

// lastSearch is what the last search found in each island, or at index 0 where it did not go island by island; nil: it
// is not kept.
type lastSearch struct {
	islands []lastInIsland
	by      *byIsland // of the candidates that are left; nil: they are not in order yet
}

// lastInIsland is what the last search found in an island.
type lastInIsland struct {
	full    bool // it has no room with all candidates gone
	atLeast int  // so many of them it takes at least, from the cheapest on
}

func newLastSearch(islands int) *lastSearch {
	return &lastSearch{islands: make([]lastInIsland, islands)}
}

// in is what is known of an island.
func (s *lastSearch) in(island int) *lastInIsland {
	if s == nil {
		return nil
	}
	return &s.islands[island]
}

// byIsland lists the candidates by island, unless that is done.
func (s *lastSearch) byIsland(pl *Planner, c *claim, list []*candidateVictim) *byIsland {
	if s == nil {
		return pl.byIsland(c, list)
	}
	if s.by == nil {
		s.by = pl.byIsland(c, list)
	}
	return s.by
}

// without is what is known of the candidates without one of them.
func (s *lastSearch) without(v *candidateVictim) {
	for i := range s.islands {
		s.islands[i].atLeast = max(0, s.islands[i].atLeast-1)
	}
	if s.by != nil && !s.by.leave(v) {
		s.by = nil
	}
}

// reorder forgets what depends on the order of the candidates, which has changed.
func (s *lastSearch) reorder() {
	for i := range s.islands {
		s.islands[i].atLeast = 0
	}
	s.by = nil
}

func (l *lastInIsland) isFull() bool { return l != nil && l.full }

func (l *lastInIsland) fill() {
	if l != nil {
		l.full = true
	}
}

// search finds the least number up to most that is enough; all numbers above one that is enough are. Where it is
// known how many it takes at least, it is mostly few more.
func (l *lastInIsland) search(most int, enough func(n int) bool) int {
	if l == nil {
		return sort.Search(most, enough)
	}
	from, to := l.atLeast, most
	if from > 0 {
		for step, last := 1, 0; from < most; step, last = step+last, step {
			if n := from + step - 1; n >= most || enough(n) {
				to = min(n, most)
				break
			}
			from += step
		}
	}
	l.atLeast = from + sort.Search(to-from, func(n int) bool { return enough(from + n) })
	return l.atLeast
}

// leave takes a candidate out whose GPUs count wherever they stand; false: it is none.
func (b *byIsland) leave(v *candidateVictim) bool {
	at := slices.IndexFunc(b.anywhere, func(at int) bool { return b.list[at].id() == v.id() })
	if at >= 0 {
		b.anywhere = slices.Delete(b.anywhere, at, at+1)
	}
	return at >= 0
}
