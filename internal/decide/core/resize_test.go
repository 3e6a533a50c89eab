package core_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestAnElasticPoolIsResized scales a pool of engines up and down by hand: it grows
// into free room, and gives up the nodes that are named.
func TestAnElasticPoolIsResized(t *testing.T) {
	st := smallFleet(t, 6)
	st.quota(0, "q", 4, 0)
	st.do(0, job("ann", "engines", "q", fleet.Mid, elastic("main", 0, 8, 1, 2)))
	on := func() (names []string) {
		w := st.s.Workload("ann", "engines")
		for _, r := range w.Replicas[0] {
			if r.Phase == fleet.Running {
				names = append(names, w.At().Nodes[r.Node].Name)
			}
		}
		return names
	}
	if n := len(on()); n != 2 {
		t.Fatalf("%d run, want 2", n)
	}
	st.do(time.Minute, core.Resize{Namespace: "ann", Name: "engines", Pool: "main", Min: 1, Max: 9})
	four := on()
	if len(four) != 4 {
		t.Fatalf("with room for 4 and a size of 1..9, %d run", len(four))
	}
	st.do(2*time.Minute, core.Resize{Namespace: "ann", Name: "engines", Pool: "main", Min: 1, Max: 3, From: []string{four[1], "no-such-node"}})
	if left := on(); len(left) != 3 || slices.Contains(left, four[1]) {
		t.Errorf("of %v %v stay; %s was to go", four, left, four[1])
	}
	st.is("ann", "engines", fleet.RunningW)
	st.leave(3*time.Minute, "ann", "engines")
	if n := len(on()); n != 3 {
		t.Errorf("%d run after that, want 3", n)
	}
	st.idle(3 * time.Minute)
}

func TestAGangThatStandsKeepsItsSize(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "q", 2, 0)
	st.do(0, job("ann", "first", "q", fleet.Mid, pool("main", 0, 8, 2)), job("ann", "next", "q", fleet.Mid, pool("main", 0, 8, 3)))
	for what, c := range map[string]core.Resize{
		"it stands":    {Namespace: "ann", Name: "first", Pool: "main", Min: 1, Max: 1},
		"no such pool": {Namespace: "ann", Name: "next", Pool: "other", Min: 1, Max: 1},
		"no size":      {Namespace: "ann", Name: "next", Pool: "main", Min: 0, Max: 0},
		"not whole":    {Namespace: "ann", Name: "next", Pool: "main", Min: 1, Max: 2},
		"no workload":  {Namespace: "ann", Name: "last", Pool: "main", Min: 1, Max: 2},
	} {
		if _, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System}, moment(time.Minute)); refusal == nil {
			t.Errorf("%s: taken", what)
		}
	}
	if _, refusal := core.Step(st.s, core.Request{Command: core.Resize{Namespace: "ann", Name: "next", Pool: "main", Min: 2, Max: 2}, Actor: core.Actor{Name: "bob", User: "bob"}}, moment(time.Minute)); refusal == nil || refusal.Code != core.AccessDenied {
		t.Errorf("a stranger: %v", refusal)
	}
	st.do(time.Minute, core.Resize{Namespace: "ann", Name: "next", Pool: "main", Min: 2, Max: 2})
	st.do(time.Minute, core.Cancel{Namespace: "ann", Name: "first"})
	st.leave(2*time.Minute, "ann", "first")
	st.is("ann", "next", fleet.RunningW)
}

// A pool that has finished entirely is none of the workload's any more: what is left of
// it needs less, and comes back without the pool.
func TestAPoolThatHasFinishedIsTakenOut(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "q", 3, 0)
	done := core.Resize{Namespace: "ann", Name: "rl", Pool: "driver"}
	refused := func(what string, by core.Actor, c core.Resize) {
		t.Helper()
		if _, refusal := core.Step(st.s, core.Request{Command: c, Actor: by}, moment(time.Minute)); refusal == nil {
			t.Errorf("%s: taken", what)
		}
	}
	st.do(0, job("ann", "rl", "q", fleet.Mid, pool("driver", 0, 8, 1), pool("workers", 0, 8, 2)))
	refused("it stands", core.Reporter, done)
	st.do(time.Minute, job("ann", "urgent", "q", fleet.Critical, pool("main", 0, 8, 1)))
	st.leave(2*time.Minute, "ann", "rl")
	st.is("ann", "rl", fleet.Pending)
	refused("a person says so", core.System, done)
	if _, refusal := core.Step(st.s, core.Request{Command: done, Actor: core.Reporter}, moment(3*time.Minute)); refusal != nil {
		t.Fatal(refusal)
	}
	st.is("ann", "rl", fleet.RunningW)
	if w := st.s.Workload("ann", "rl"); len(w.Pools) != 1 || w.Pools[0].Name != "workers" || w.Stays(0) != 2 {
		t.Errorf("it is %+v and %d of its workers stand", w.Pools, w.Stays(0))
	}
	refused("it is the last", core.Reporter, core.Resize{Namespace: "ann", Name: "rl", Pool: "workers"})
	st.idle(3 * time.Minute)
}

// What people leave out is as it is: the only pool, and the least that it needs.
func TestASizeNeedsOnlyItsMost(t *testing.T) {
	st := smallFleet(t, 6)
	st.quota(0, "q", 6, 0)
	st.do(0, job("ann", "engines", "q", fleet.Mid, elastic("main", 0, 8, 2, 4)), job("ann", "next", "q", fleet.Mid, pool("main", 0, 8, 9)),
		job("ann", "two", fleet.Flex, fleet.Mid, pool("a", 0, 8, 1), elastic("b", 1, 8, 1, 1)))
	for _, size := range []struct{ say, low, high int }{{5, 2, 5}, {1, 1, 1}, {3, 1, 3}} {
		st.do(time.Minute, core.Resize{Namespace: "ann", Name: "engines", Max: size.say})
		if p := st.s.Workload("ann", "engines").Pools[0]; p.Min != size.low || p.Max != size.high {
			t.Errorf("resized to %d, it is %d..%d, want %d..%d", size.say, p.Min, p.Max, size.low, size.high)
		}
	}
	st.do(time.Minute, core.Resize{Namespace: "ann", Name: "next", Max: 2})
	if p := st.s.Workload("ann", "next").Pools[0]; p.Min != 2 || p.Max != 2 {
		t.Errorf("a waiting gang resized to 2 is %d..%d", p.Min, p.Max)
	}
	_, refusal := core.Step(st.s, core.Request{Command: core.Resize{Namespace: "ann", Name: "two", Max: 2}, Actor: core.System}, moment(time.Minute))
	if refusal == nil || !strings.Contains(refusal.Message, "has 2 pools; say which of them: a, b") {
		t.Errorf("without a pool, of two: %v", refusal)
	}
}

// What is made on a cluster is as large as is said there: people are told where and how,
// and nothing changes. What is only seen is not changed at all.
func TestWorkOfAClusterIsChangedThere(t *testing.T) {
	st := smallFleet(t, 6)
	st.quota(0, "q", 6, 0)
	engines := job("oak@t", "engines", "q", fleet.Mid, elastic("main", 0, 8, 1, 4))
	engines.Spec.Groups = []string{fleet.SeenOn("t"), fleet.MadeBy("Deployment", "engines")}
	st.do(0, engines)
	refused := func(c core.Command, says string) {
		t.Helper()
		before := st.s.Seq
		_, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.Actor{Name: "boss", Operator: true}}, moment(time.Minute))
		if refusal == nil || refusal.Code != core.DecidedElsewhere || !strings.Contains(refusal.Message, says) || st.s.Seq != before {
			t.Errorf("%T: %v, want one that says %q", c, refusal, says)
		}
	}
	resize := core.Resize{Namespace: "oak@t", Name: "engines", Max: 2}
	refused(resize, "kubectl scale deployment/engines -n oak --replicas 2")
	st.do(time.Minute, core.Prioritise{Namespace: "oak@t", Name: "engines", Priority: fleet.High})
	if _, refusal := core.Step(st.s, core.Request{Command: resize, Actor: core.Reporter}, moment(time.Minute)); refusal != nil {
		t.Errorf("its cluster: %v", refusal)
	}
	st.do(time.Minute, core.SetMode{Cluster: "t", Mode: fleet.Observe})
	for _, c := range []core.Command{
		core.Cancel{Namespace: "oak@t", Name: "engines"},
		core.Prioritise{Namespace: "oak@t", Name: "engines", Priority: fleet.Low},
		core.Retarget{Namespace: "oak@t", Name: "engines", Target: fleet.Flex},
		resize,
	} {
		refused(c, "kubectl delete deployment/engines -n oak ends it")
	}
}

// Of a gang that stands its cluster may say that part of it has finished: what is left
// is the gang then.
func TestAGangIsSmallerOncePartOfItHasFinished(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "q", 4, 0)
	st.do(0, job("ann", "first", "q", fleet.Mid, pool("main", 0, 8, 4)), job("ann", "next", "q", fleet.Mid, pool("main", 0, 8, 1)))
	driver, system := core.Reporter, core.System
	less := core.Resize{Namespace: "ann", Name: "first", Pool: "main", Min: 3, Max: 3}
	more := core.Resize{Namespace: "ann", Name: "first", Pool: "main", Min: 5, Max: 5}
	for by, c := range map[*core.Actor]core.Resize{&driver: more, &system: less} {
		if _, refusal := core.Step(st.s, core.Request{Command: c, Actor: *by}, moment(time.Minute)); refusal == nil {
			t.Errorf("%s makes it %d: taken", by.Name, c.Max)
		}
	}
	if _, refusal := core.Step(st.s, core.Request{Command: less, Actor: core.Reporter}, moment(time.Minute)); refusal != nil {
		t.Fatal(refusal)
	}
	if w := st.s.Workload("ann", "first"); w.Stays(0) != 3 || w.Pools[0].Min != 3 {
		t.Errorf("%d stay of a gang of %d, want 3 of 3", w.Stays(0), w.Pools[0].Min)
	}
	st.leave(2*time.Minute, "ann", "first")
	st.is("ann", "first", fleet.RunningW)
	st.is("ann", "next", fleet.RunningW)
	st.idle(2 * time.Minute)
}

// TestResizingBreaksNoLaw resizes in the middle of random lives, and checks the laws
// after every step, the fixed point, and that a restart from what is kept changes nothing.
func TestResizingBreaksNoLaw(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		if resizes(t, seed); t.Failed() {
			return
		}
	}
}

func resizes(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 11))
	st := smallFleet(t, 3+r.IntN(3), 2+r.IntN(3))
	for _, q := range []string{"t/x", "t/y", "u"} {
		st.quota(0, q, 1+r.IntN(3), 0)
	}
	at := time.Duration(0)
	for i := range 60 {
		at += time.Duration(r.IntN(200)) * time.Second
		for _, c := range append(resizeLine(r, st.s, i), core.Tick{}) {
			by := core.System
			if _, resizes := c.(core.Resize); resizes {
				by = core.Reporter // who may say that part of a gang has finished
			}
			_, _ = core.Step(st.s, core.Request{Command: c, Actor: by, Reason: "test"}, moment(at)) // refusals change nothing
		}
		for _, b := range invariant.Check(st.s) {
			t.Errorf("seed %d, step %d: broken: %s", seed, i, b)
		}
		if !core.Idle(st.s, moment(at)) {
			t.Errorf("seed %d, step %d: deciding again changes something", seed, i)
		}
		kept, err := st.s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := fleet.Decode(kept)
		if err != nil {
			t.Fatal(err)
		}
		if then, err := again.Encode(); err != nil || !bytes.Equal(then, kept) {
			t.Errorf("seed %d, step %d: the kept state is another (%v)", seed, i, err)
		}
		for _, b := range invariant.Check(again) {
			t.Errorf("seed %d, step %d, after a restart: broken: %s", seed, i, b)
		}
		if t.Failed() {
			return
		}
	}
}

// resizeLine is what happens next: a person submits, resizes, ends or leaves, or a node fails.
func resizeLine(r *rand.Rand, s *fleet.State, i int) []core.Command {
	var open []*fleet.Workload
	for id := uint64(1); id < s.NextID; id++ {
		if w := s.Workloads[id]; w != nil && (!w.State.Ended() || w.At() != nil) {
			open = append(open, w)
		}
	}
	if roll := r.IntN(10); roll < 3 || len(open) == 0 {
		low := 1 + r.IntN(3)
		p := []fleet.Pool{elastic("main", 0, []int{8, 8, 4, 3}[r.IntN(4)], low, low+r.IntN(5))}
		switch r.IntN(4) {
		case 0:
			p = []fleet.Pool{pool("main", 0, 8, low)}
		case 1:
			p = append(p, elastic("grader", r.IntN(2), 4, 1, 1+r.IntN(4)))
		}
		return []core.Command{job([]string{"ann", "bob"}[r.IntN(2)], fmt.Sprint("w", i), []string{"t/x", "t/y", "u", fleet.Flex}[r.IntN(4)], fleet.Priority(r.IntN(4)), p...)}
	}
	w := open[r.IntN(len(open))]
	switch r.IntN(8) {
	case 0:
		return []core.Command{core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })}}
	case 1:
		return []core.Command{core.ReportFinished{ID: w.ID, Run: w.Run}}
	case 2:
		p := s.Partitions[0]
		n := p.Nodes[r.IntN(len(p.Nodes))]
		state := fleet.Healthy
		if n.State == fleet.Healthy {
			state = fleet.Quarantined
		}
		return []core.Command{core.SetNodes{Names: []string{n.Name}, State: state, Signal: "test"}}
	default:
		c := core.Resize{Namespace: w.Namespace, Name: w.Name, Pool: w.Pools[r.IntN(len(w.Pools))].Name, Min: 1 + r.IntN(3)}
		if c.Max = c.Min + r.IntN(6); !w.Pools[0].Elastic && r.IntN(2) == 0 {
			c.Max = c.Min
		}
		if p := w.At(); p != nil && r.IntN(2) == 0 {
			c.From = []string{p.Nodes[r.IntN(len(p.Nodes))].Name, p.Nodes[0].Name}
		}
		return []core.Command{c}
	}
}
