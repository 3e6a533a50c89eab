package judge_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/event"
	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/invariant"
)

var (
	depthFlag = flag.Int("depth", 0, "explore the models to this depth instead of the usual one")
	modelFlag = flag.String("model", "", "explore only the models whose names contain this")
)

// The importances of arrivals: two priorities, two ranks.
var (
	one  = []level{{fleet.Mid, 0}}
	two  = []level{{fleet.High, 0}, {fleet.Mid, 0}}
	four = []level{{fleet.High, 0}, {fleet.High, 1}, {fleet.Mid, 0}, {fleet.Mid, 1}}
)

// models are the small worlds that are explored, and how deep in CI. With -depth
// they are explored deeper; "pools that join" then shows an eviction cycle at depth
// 4, which is known: a pool that waits to join is guaranteed once its quota's
// borrower is evicted, and takes the room of who evicted it.
var models = []struct {
	model
	depth int
}{
	{model{"everything, islands of 4 and 4", [2]int{4, 4}, [3]int{3, 3, 2}, []int8{0, 1, 2, 3, 4, 5}, []int8{1, 2, 4}, four, 0, true}, 2},
	{model{"everything, islands of 5 and 3", [2]int{5, 3}, [3]int{3, 3, 2}, []int8{0, 1, 2, 3, 4, 5}, []int8{1, 2, 4}, four, 0, true}, 2},
	{model{"quotas, islands of 4 and 4", [2]int{4, 4}, [3]int{3, 3, 2}, []int8{0, 1, 2}, []int8{1, 2, 4}, two, 0, false}, 3},
	{model{"quotas, islands of 5 and 3", [2]int{5, 3}, [3]int{4, 2, 2}, []int8{0, 1, 2}, []int8{1, 2, 4}, two, 0, false}, 3},
	{model{"overcommitted quotas", [2]int{4, 4}, [3]int{5, 4, 3}, []int8{0, 1, 2}, []int8{1, 2, 4}, two, 0, true}, 3},
	{model{"one priority", [2]int{4, 4}, [3]int{4, 2, 2}, []int8{0, 1, 2}, []int8{1, 2, 4}, one, 0, true}, 3},
	{model{"pools that join", [2]int{4, 4}, [3]int{3, 3, 2}, []int8{0, 1, 2}, []int8{1, 2}, two, 1, false}, 3},
	{model{"flex of three namespaces", [2]int{5, 3}, [3]int{2, 0, 0}, []int8{0, 3, 4, 5}, []int8{1, 2, 4}, two, 0, false}, 3},
}

// TestEveryHistoryOfSmallModels tries all interleavings of arrivals, ends and
// failures, with and without the victims' leaving in between.
func TestEveryHistoryOfSmallModels(t *testing.T) {
	for _, m := range models {
		if !strings.Contains(m.name, *modelFlag) {
			continue
		}
		depth := m.depth
		if *depthFlag > 0 {
			depth = *depthFlag
		}
		e := &explorer{seen: map[uint64]bool{}, root: m.born()}
		e.explore(t, depth)
	}
}

// explorer visits the moments of a model, those of few events first.
type explorer struct {
	root        moment
	seen        map[uint64]bool
	transitions int
	evictions   int
	slowest     int // most times that victims leave before the world is at rest
}

func (e *explorer) explore(t *testing.T, depth int) {
	start := time.Now()
	layer := [][]letter{nil}
	e.seen[e.root.key()] = true
	for d := 1; d <= depth && !t.Failed(); d++ {
		layer = e.next(t, layer)
		t.Logf("%s: depth %d: %d states, %d transitions, %d evictions; at rest after %d leavings at most; %v",
			e.root.name, d, len(e.seen), e.transitions, e.evictions, e.slowest, time.Since(start).Round(time.Millisecond))
	}
}

// next tries every letter at every moment of a layer, and whether the victims
// leave first.
func (e *explorer) next(t *testing.T, layer [][]letter) [][]letter {
	var after [][]letter
	for _, history := range layer {
		at := e.at(history)
		for _, l := range at.letters() {
			next, broken := e.step(at, l)
			grown := append(append([]letter(nil), history...), l)
			for broken == nil && e.isNew(next) {
				after = append(after, grown)
				if broken = e.rests(next); broken != nil || !next.leaves() {
					break
				}
				grown = append(append([]letter(nil), grown...), letter{kind: passes})
				next, broken = e.step(next, letter{kind: passes})
			}
			if broken != nil {
				t.Errorf("%s: %v\n%s", e.root.name, broken, e.tell(grown))
				return nil
			}
		}
	}
	return after
}

func (e *explorer) isNew(at moment) bool {
	k := at.key()
	if e.seen[k] {
		return false
	}
	e.seen[k] = true
	return true
}

// at plays a history from the beginning.
func (e *explorer) at(history []letter) moment {
	at := moment{e.root.model, e.root.s.Clone(), e.root.now}
	for _, l := range history {
		at, _ = at.after(l)
	}
	return at
}

// step is what a letter leads to, and what it breaks.
func (e *explorer) step(at moment, l letter) (moment, error) {
	e.transitions++
	next, records := moment{at.model, at.s.Clone(), at.now}.after(l)
	var evictions []invariant.Eviction
	for _, r := range records {
		for _, x := range r.Events {
			if x, ok := x.(event.ReplicasEvicted); ok {
				evictions = append(evictions, invariant.Eviction{Victim: x.ID, Owner: x.For, Whole: x.Whole, Spots: x.Spots})
			}
		}
	}
	e.evictions += len(evictions)
	for _, b := range append(invariant.Check(next.s), invariant.CheckEvictions(next.s, evictions)...) {
		return next, fmt.Errorf("%v", b)
	}
	if !core.Idle(next.s, next.now) {
		return next, fmt.Errorf("deciding again without a new event changes something")
	}
	return next, nil
}

// after is the moment after a letter.
func (at moment) after(l letter) (moment, []event.Record) {
	if l.kind == passes {
		at.now = at.now.Add(grace)
	}
	var records []event.Record
	for _, c := range at.commands(l) {
		out, _ := core.Step(at.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, at.now)
		records = append(records, out.Record)
	}
	return at, records
}

func (at moment) leaves() bool { return len(at.s.Partition(here).Leaving()) > 0 }

// soon is how often victims may leave before a world without new events is at
// rest: everybody there may have to go once or twice.
const soon = 12

// rests lets victims leave until nobody does any more: there is no eviction cycle.
func (e *explorer) rests(at moment) error {
	at = moment{at.model, at.s.Clone(), at.now}
	for n := 0; at.leaves(); n++ {
		if n > soon {
			return fmt.Errorf("evictions do not come to an end")
		}
		at, _ = at.after(letter{kind: passes})
		e.slowest = max(e.slowest, n+1)
	}
	return nil
}

// tell tells a history, and what it leads to without further events.
func (e *explorer) tell(history []letter) string {
	var b strings.Builder
	at := moment{e.root.model, e.root.s.Clone(), e.root.now}
	show := func(l letter) {
		var records []event.Record
		at, records = at.after(l)
		fmt.Fprintf(&b, "  %v", l)
		for _, r := range records {
			b.WriteString(eventsText(r))
		}
		b.WriteString("\n")
	}
	for _, l := range history {
		show(l)
	}
	for n := 0; at.leaves() && n < 6; n++ {
		show(letter{kind: passes})
	}
	return b.String() + partitionText(at.s)
}
