package whatif

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/fleet"
)

// Budget bounds a question. What it leaves untried is not known.
type Budget struct {
	Tries int         // copies of the state that are tried; 0 means DefaultTries
	Stop  func() bool // asked before each try; nil: never
}

// DefaultTries are enough for every kind of change on most fleets.
const DefaultTries = 96

// bench is where tries are made: a light copy of the state, and what is left of the budget.
type bench struct {
	s      *fleet.State
	now    fleet.Instant
	left   int
	stop   func() bool
	missed bool // something was left untried

	thin map[string]*fleet.State // see thinned
}

func newBench(s *fleet.State, now fleet.Instant, b Budget) *bench {
	if b.Tries == 0 {
		b.Tries = DefaultTries
	}
	return &bench{s: light(s), now: max(now, s.Time), left: b.Tries, stop: b.Stop, thin: map[string]*fleet.State{}}
}

// light copies a state without what only the past needs.
func light(s *fleet.State) *fleet.State {
	c := s.Fork()
	c.Lighten()
	return c
}

// open says whether one more try is allowed, and counts it.
func (b *bench) open() bool {
	if b.left <= 0 || b.stop != nil && b.stop() {
		b.missed = true
		return false
	}
	b.left--
	return true
}

// thinned is the copy without what waits in other trees than these (flex is a
// tree of its own). No tree waits for another, so most tries need only this and
// cost little; what they find is tried again on the whole copy before it counts.
func (b *bench) thinned(trees map[string]bool) *fleet.State {
	key := strings.Join(slices.Sorted(maps.Keys(trees)), " ")
	if b.thin[key] == nil {
		c := b.s.Fork()
		c.Forget(func(w *fleet.Workload) bool { return !trees[w.Tree()] })
		b.thin[key] = c
	}
	return b.thin[key]
}
