package judge_test

import (
	"flag"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/event"
)

var (
	depthFlag = flag.Int("depth", 0, "explore the models to this depth instead of the usual one")
	deepFlag  = flag.Bool("deep", false, "explore the models as deep as about half an hour of a processor allows")
	modelFlag = flag.String("model", "", "explore only the models whose names contain this")
)

// models are the small worlds that are explored, how deep in CI, and how deep
// with -deep. What was found is in docs/figures/exploration.md.
var models = []struct {
	model
	depth, deep int
}{
	{model{"everything, islands of 4 and 4", [2]int{4, 4}, [3]int{3, 3, 2}, []int8{0, 1, 2, flexTarget}, []int8{1, 2, 4}, 4, 3, 0, true, false}, 3, 4},
	{model{"everything, islands of 5 and 3", [2]int{5, 3}, [3]int{3, 3, 2}, []int8{0, 1, 2, flexTarget}, []int8{1, 2, 4}, 4, 3, 0, true, false}, 3, 4},
	{model{"quotas, islands of 4 and 4", [2]int{4, 4}, [3]int{3, 3, 2}, []int8{0, 1, 2}, []int8{1, 2, 4}, 2, 0, 0, false, false}, 3, 5},
	{model{"quotas, islands of 5 and 3", [2]int{5, 3}, [3]int{4, 2, 2}, []int8{0, 1, 2}, []int8{1, 2, 4}, 2, 0, 0, false, false}, 3, 5},
	{model{"overcommitted quotas", [2]int{4, 4}, [3]int{5, 4, 3}, []int8{0, 1, 2}, []int8{1, 2, 4}, 2, 0, 0, true, false}, 3, 5},
	{model{"one priority", [2]int{4, 4}, [3]int{4, 2, 2}, []int8{0, 1, 2}, []int8{1, 2, 4}, 1, 0, 0, true, false}, 4, 6},
	{model{"pools that join", [2]int{4, 4}, [3]int{3, 3, 2}, []int8{0, 1, 2}, []int8{1, 2}, 2, 0, 1, false, false}, 4, 5},
	{model{"flex of three namespaces", [2]int{5, 3}, [3]int{2, 0, 0}, []int8{0, flexTarget}, []int8{1, 2, 4}, 2, 3, 0, false, false}, 3, 5},
}

// TestEveryHistoryOfSmallModels tries all interleavings of arrivals, ends and
// failures, with and without the victims' leaving in between.
func TestEveryHistoryOfSmallModels(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	for _, m := range models {
		if !strings.Contains(m.name, *modelFlag) {
			continue
		}
		depth := m.depth
		if testing.Short() {
			depth--
		}
		if *deepFlag {
			depth = m.deep
		}
		if *depthFlag > 0 {
			depth = *depthFlag
		}
		newExplorer(m.model).explore(t, depth)
	}
}

// explorer visits the states of a model, those of few events first. Of states with
// one key it visits the first that it finds.
type explorer struct {
	root        moment
	seen        map[key]int8 // how often victims leave until the state is at rest
	visits      []visit
	path        []waypoint // to the state looked at last
	transitions int
	evictions   int
	slowest     int8

	first map[key]int32 // of some states, one in compared: their visit
	alike int           // times that a state met again went on as it did the first time
}

// visit is the first history that leads to a state: the state before, and an event.
type visit struct {
	before int32
	letter letter
}

// waypoint is a state on the way to another.
type waypoint struct {
	visit int32
	at    moment
}

func newExplorer(m model) *explorer {
	e := &explorer{root: m.born(), seen: map[key]int8{}, first: map[key]int32{}}
	e.seen[e.keyOf(e.root)] = 0
	e.visits = []visit{{before: -1}}
	return e
}

func (e *explorer) keyOf(at moment) key {
	if e.root.plain {
		return at.exact()
	}
	return at.key()
}

func (e *explorer) explore(t *testing.T, depth int) {
	t.Helper()
	start, from := used(), 0
	for d := 1; d <= depth && !t.Failed(); d++ {
		to := len(e.visits)
		for v := from; v < to && !t.Failed(); v++ {
			if err := e.expand(int32(v), d < depth); err != nil {
				t.Errorf("%s: %v", e.root.name, err)
			}
		}
		from = to
		t.Logf("%s: depth %d: %d states, %d transitions, %d evictions; at rest after %d leavings at most; %d states met again went on alike; %.1f s of processor time",
			e.root.name, d, len(e.seen), e.transitions, e.evictions, e.slowest, e.alike, (used() - start).Seconds())
	}
}

// used is the processor time that this process has taken.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// expand tries everything that may happen next. Where there is more to come, it
// compares some states that are met again with the first time.
func (e *explorer) expand(v int32, more bool) error {
	at := e.at(v)
	for _, l := range at.letters() {
		next, err := e.step(at.clone(), l)
		if err == nil {
			err = e.enter(v, l, next, more)
		}
		if err != nil {
			return fmt.Errorf("%w\n%s", err, e.tell(v, l))
		}
	}
	return nil
}

// at is the state of a visit, played from the last state on the way that is at hand.
func (e *explorer) at(v int32) moment {
	var way []int32
	for u := v; u >= 0; u = e.visits[u].before {
		way = append(way, u)
	}
	slices.Reverse(way)
	known := 0
	for known < len(e.path) && known < len(way) && e.path[known].visit == way[known] {
		known++
	}
	e.path = e.path[:known]
	for _, u := range way[known:] {
		at := e.root
		if len(e.path) > 0 {
			at, _ = e.path[len(e.path)-1].at.clone().after(e.visits[u].letter)
		}
		e.path = append(e.path, waypoint{u, at})
	}
	return e.path[len(e.path)-1].at
}

// soon is how often victims may leave before a world without new events is at
// rest: everybody there may have to go once or twice.
const soon = 12

// enter visits a state if it is new, and then the one after the victims there have
// left, until no work leaves or the state is known: there is no eviction cycle.
func (e *explorer) enter(before int32, l letter, at moment, more bool) error {
	var chain []key
	for {
		k := e.keyOf(at)
		if slices.Contains(chain, k) || len(chain) > soon {
			return fmt.Errorf("evictions do not come to an end")
		}
		if rests, known := e.seen[k]; known {
			e.settle(chain, rests+1)
			if more && len(chain) == 0 {
				return e.compare(k, at)
			}
			return nil
		}
		if err := laws(at); err != nil {
			return err
		}
		before = e.visit(before, l, k)
		chain = append(chain, k)
		if !at.leaves() {
			e.settle(chain, 0)
			return nil
		}
		var err error
		if l = (letter{kind: passes}); err == nil {
			at, err = e.step(at, l)
		}
		if err != nil {
			return err
		}
	}
}

// visit notes a new state.
func (e *explorer) visit(before int32, l letter, k key) int32 {
	v := int32(len(e.visits))
	e.visits = append(e.visits, visit{before, l})
	e.seen[k] = 0
	if k%compared == 0 {
		e.first[k] = v
	}
	return v
}

// settle notes how often victims leave until states, each after the one before,
// are at rest: the last so often.
func (e *explorer) settle(chain []key, rests int8) {
	for i := len(chain) - 1; i >= 0; i-- {
		e.seen[chain[i]] = rests
		e.slowest = max(e.slowest, rests)
		rests++
	}
}

// step is what a letter leads to, and what its evictions break.
func (e *explorer) step(at moment, l letter) (moment, error) {
	e.transitions++
	next, records := at.after(l)
	var evictions []invariant.Eviction
	for _, r := range records {
		for _, x := range r.Events {
			if x, ok := x.(event.ReplicasEvicted); ok {
				evictions = append(evictions, invariant.Eviction{Victim: x.ID, Owner: x.For, Whole: x.Whole, Spots: x.Spots})
			}
		}
	}
	e.evictions += len(evictions)
	for _, b := range invariant.CheckEvictions(next.s, evictions) {
		return next, fmt.Errorf("%v", b)
	}
	return next, nil
}

// laws are what every state must keep.
func laws(at moment) error {
	for _, b := range invariant.Check(at.s) {
		return fmt.Errorf("%v", b)
	}
	if !core.Idle(at.s, at.now) {
		return fmt.Errorf("deciding again without a new event changes something")
	}
	return nil
}

// after is the moment after a letter; the moment before is gone.
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

// tell tells the history of a visit and an event, and what follows without more events.
func (e *explorer) tell(v int32, l letter) string {
	history := []letter{l}
	for ; v > 0; v = e.visits[v].before {
		history = append(history, e.visits[v].letter)
	}
	slices.Reverse(history)
	var b strings.Builder
	at := e.root.clone()
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
