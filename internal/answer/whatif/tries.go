package whatif

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Budget bounds a question. What it leaves untried is not known.
type Budget struct {
	Tries int          // copies of the state that are tried; 0 means DefaultTries
	Stop  func() bool  // asked before each try; nil: never
	Arena *fleet.Arena // has the copies, one after the other; nil: one of the question's own
}

// DefaultTries are enough for every kind of change on most fleets.
const DefaultTries = 96

// tries are made on light copies of one state, as many as the budget allows.
type tries struct {
	s      *fleet.State
	now    fleet.Instant
	left   int
	stop   func() bool
	missed bool // something was left untried

	parts map[string]*fleet.State // see trialIn; nil: it was tried on once
	arena *fleet.Arena            // of the copy on which something is tried
	whole bool                    // for a test: everything is tried on the whole fleet
}

func newTries(s *fleet.State, now fleet.Instant, b Budget) *tries {
	if b.Tries == 0 {
		b.Tries = DefaultTries
	}
	if b.Arena == nil {
		b.Arena = &fleet.Arena{}
	}
	return &tries{s: s, now: max(now, s.Time), left: b.Tries, stop: b.Stop, parts: map[string]*fleet.State{}, arena: b.Arena}
}

// open says whether one more try is allowed, and counts it.
func (b *tries) open() bool {
	if b.left <= 0 || b.over() {
		b.missed = true
		return false
	}
	b.left--
	return true
}

// over says whether there is no time for more; then something is left untried.
func (b *tries) over() bool {
	if b.stop != nil && b.stop() {
		b.missed = true
		return true
	}
	return false
}

// trialIn begins a try in some partitions, without what waits there in other trees than these
// (flex is a tree of its own; nil: with all of it). No tree waits for another, so most tries
// need only that and cost little; what they find is tried again with everybody who waits before
// it counts. The first try on such a part has the copy for itself: many parts, those of other quotas
// that are tried, are not needed again. From the second on it is kept, and each try copies it.
func (b *tries) trialIn(list []*fleet.Partition, trees map[string]bool) *trial {
	if b.whole {
		list = b.s.Partitions
	}
	if !b.othersWait(trees) {
		trees = nil
	}
	key := strings.Join(slices.Sorted(maps.Keys(trees)), " ")
	for _, p := range list {
		key += "|" + p.ID
	}
	part, again := b.parts[key]
	switch {
	case !again:
		b.parts[key] = nil
		return b.trialOf(b.part(list, trees, b.arena))
	case part == nil:
		b.parts[key] = b.part(list, trees, &fleet.Arena{})
	}
	return b.trial(b.parts[key])
}

// part is a copy of some partitions in an arena, without what waits there in other trees than these; nil: with all of it.
func (b *tries) part(list []*fleet.Partition, trees map[string]bool, arena *fleet.Arena) *fleet.State {
	if trees == nil {
		return b.s.ForkTrial(list, nil, arena)
	}
	return b.s.ForkTrial(list, func(w *fleet.Workload) bool { return !trees[w.Tree()] }, arena)
}

// all is a copy of the whole fleet, from which copies that stay are made.
func (b *tries) all() *fleet.State {
	const key = "all"
	if b.parts[key] == nil {
		b.parts[key] = b.part(b.s.Partitions, nil, &fleet.Arena{})
	}
	return b.parts[key]
}

// othersWait says whether any work waits in other trees than these. Where none does a copy without
// it is the same as one with it.
func (b *tries) othersWait(trees map[string]bool) bool {
	if trees == nil {
		return false
	}
	for _, w := range b.s.Workloads {
		if w.State == fleet.Pending && !trees[w.Tree()] {
			return true
		}
	}
	return false
}

// widenings bounds how often a copy is made wider before it is made of all partitions.
const widenings = 3

// on tries something on a copy of some partitions, and, as long as that comes to decide
// about work which may stand elsewhere too, on one with those places as well.
func (b *tries) on(list []*fleet.Partition, trees map[string]bool, try func(t *trial) bool) bool {
	for range widenings {
		t := b.trialIn(list, trees)
		ok := try(t)
		if len(t.beyond) == 0 {
			return ok
		}
		list = b.wider(list, t)
	}
	return try(b.trialIn(b.s.Partitions, trees))
}

// wider adds the partitions in which the work may stand that a try came to decide about.
func (b *tries) wider(list []*fleet.Partition, t *trial) []*fleet.Partition {
	in := map[*fleet.Partition]bool{}
	for _, p := range list {
		in[p] = true
	}
	for _, w := range t.beyond {
		if w.Moves != nil {
			return b.s.Partitions
		}
		for _, p := range b.placesOf(w.Target, w.Partition) {
			in[p] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(b.s.Partitions), func(p *fleet.Partition) bool { return !in[p] })
}

// placesOf lists the partitions in which work of a target may stand.
func (b *tries) placesOf(target, partition string) (list []*fleet.Partition) {
	for _, p := range b.s.Partitions {
		if (partition == "" || partition == p.ID) && (target == fleet.Flex || p.Account(target) != nil) {
			list = append(list, p)
		}
	}
	return list
}
