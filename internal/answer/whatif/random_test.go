package whatif_test

import (
	"flag"
	"fmt"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var (
	seedFlag  = flag.Int64("seed", 0, "try only the random fleet of this seed")
	firstFlag = flag.Int64("first", 1, "the first seed")
	worlds    = flag.Int64("worlds", 60, "how many random fleets are tried")
)

// seen counts what a test has met, so that it cannot pass by meeting nothing.
type seen struct {
	pending int
	codes   map[reason.Code]int
	kinds   map[whatif.Kind]int
}

// TestEveryPendingWorkloadHasAReasonAndEveryChangeWorks is invariant 8 on
// random small fleets: no workload waits without a reason, and every change that is
// shown lets the workload start when it is done to the fleet itself.
func TestEveryPendingWorkloadHasAReasonAndEveryChangeWorks(t *testing.T) {
	t.Parallel()
	first, last := *firstFlag, *firstFlag+*worlds-1
	if *seedFlag != 0 {
		first, last = *seedFlag, *seedFlag
	}
	total := seen{codes: map[reason.Code]int{}, kinds: map[whatif.Kind]int{}}
	for seed := first; seed <= last; seed++ {
		f := randomFleet(seed)
		for range 40 {
			f.something()
		}
		f.ask(t, &total)
		if t.Failed() {
			t.Fatalf("seed %d; try it again with -seed %d", seed, seed)
		}
	}
	t.Logf("seeds %d to %d: %d pending, reasons %v, changes that worked %v", first, last, total.pending, total.codes, total.kinds)
	if *seedFlag == 0 && (total.pending < 50 || len(total.codes) < 6 || len(total.kinds) < 6) {
		t.Error("these fleets show too little")
	}
}

// fleetAt is a fleet in motion.
type fleetAt struct {
	rng        *rand.Rand
	s          *fleet.State
	now        fleet.Instant
	partitions []string
	quotas     []string
	n          int
	silent     bool // work that is not reported gone in time is never heard of
}

func randomFleet(seed int64) *fleetAt { return randomFleetOf(seed, 2) }

// randomFleetOf is a fleet of at most so many partitions.
func randomFleetOf(seed int64, most int) *fleetAt {
	f := &fleetAt{rng: rand.New(rand.NewSource(seed)), s: fleet.NewState(), now: fleet.Instant(time.Hour)}
	f.do(core.AddCluster{Name: "c"})
	for i := range 1 + f.rng.Intn(most) {
		gpu := fmt.Sprintf("g%d", i)
		f.do(core.AddPartition{Cluster: "c", GPU: gpu, GPUsPerNode: 4})
		f.partitions = append(f.partitions, "c/"+gpu)
		f.do(core.AddIslands{Partition: "c/" + gpu, Islands: []core.NewIsland{
			{Name: "a", Nodes: 2 + f.rng.Intn(4), Racks: 1 + f.rng.Intn(2)}, {Name: "b", Nodes: 1 + f.rng.Intn(5)},
		}})
	}
	for _, path := range []string{"t/x", "t/y", "u"}[:1+f.rng.Intn(3)] {
		f.quotas = append(f.quotas, path)
		f.do(core.CreateQuota{Path: path})
		for _, p := range f.partitions {
			f.do(core.SetGrant{Quota: path, Partition: p, GPUs: 4 * f.rng.Intn(5), KeepGang: true})
		}
	}
	return f
}

// do gives a command; what is refused is nothing.
func (f *fleetAt) do(c core.Command) {
	_, _ = core.Step(f.s, core.Request{Command: c, Actor: core.System, Reason: "a test"}, f.now)
}

func (f *fleetAt) something() {
	f.now = f.now.Add(time.Second)
	switch k := f.rng.Intn(20); {
	case k < 11:
		f.do(core.Submit{Spec: f.spec()})
	case k < 13:
		if w := f.anyone(); w != nil && w.Started != 0 {
			f.do(core.ReportFinished{ID: w.ID})
		}
	case k < 15:
		p := f.s.Partition(f.partitions[f.rng.Intn(len(f.partitions))])
		n := p.Nodes[f.rng.Intn(len(p.Nodes))]
		states := []fleet.NodeState{fleet.Healthy, fleet.Quarantined, fleet.Suspect, fleet.Repairing, fleet.Healthy}
		f.do(core.SetNodes{Names: []string{n.Name}, State: states[f.rng.Intn(len(states))]})
	case k < 16:
		f.now = f.now.Add(time.Duration(f.rng.Intn(40)) * time.Hour / 2)
		f.do(core.Tick{})
	default:
		f.leave()
	}
}

// leave lets everybody go who is on the way out, the first to be due first.
func (f *fleetAt) leave() {
	for range 50 {
		var next *fleet.Workload
		for _, p := range f.s.Partitions {
			for _, w := range p.Leaving() {
				if f.silent && w.Overdue() {
					continue
				}
				if next == nil || w.GraceEnds < next.GraceEnds {
					next = w
				}
			}
		}
		if next == nil {
			return
		}
		f.now = max(f.now, next.GraceEnds)
		f.do(core.ReportStopped{ID: next.ID, Spots: next.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
	}
}

func (f *fleetAt) anyone() *fleet.Workload {
	return f.s.Workloads[1+uint64(f.rng.Intn(int(f.s.NextID)))]
}

func (f *fleetAt) spec() fleet.Spec {
	f.n++
	target := fleet.Flex
	if len(f.quotas) > 0 && f.rng.Intn(3) > 0 {
		target = f.quotas[f.rng.Intn(len(f.quotas))]
	}
	s := fleet.Spec{
		Name: fmt.Sprintf("w%d", f.n), Namespace: []string{"oak", "elm", "ash"}[f.rng.Intn(3)], User: "ada", Target: target,
		Priority: fleet.Priority(f.rng.Intn(4)), Grace: 30 * time.Second,
		Pools: []fleet.Pool{f.pool("w")},
	}
	if f.rng.Intn(3) == 0 {
		s.Partition = f.partitions[f.rng.Intn(len(f.partitions))]
	}
	if f.rng.Intn(2) == 0 {
		s.MaxRuntime = time.Duration(1+f.rng.Intn(10)) * time.Hour
	}
	return s
}

func (f *fleetAt) pool(name string) fleet.Pool {
	n := 1 + f.rng.Intn(5)
	p := fleet.Pool{Name: name, GPUs: 1 + f.rng.Intn(4), Min: n, Max: n, Reach: fleet.ReachAny}
	switch f.rng.Intn(4) {
	case 0:
		p.Elastic, p.Max = true, n+f.rng.Intn(3)
	case 1, 2:
		p.Reach = fleet.ReachIsland
	}
	return p
}

// ask asks why each pending workload waits, and does each change that is said to help.
func (f *fleetAt) ask(t *testing.T, total *seen) {
	for id := uint64(1); id < f.s.NextID; id++ {
		w := f.s.Workloads[id]
		if w == nil || w.State != fleet.Pending {
			continue
		}
		total.pending++
		c := f.s.Clone()
		why := explain.Why(c, c.Workloads[id], f.now)
		if len(why) == 0 {
			t.Errorf("%s/%s waits without a reason", w.Namespace, w.Name)
			continue
		}
		for _, b := range why {
			total.codes[b.Code]++
		}
		found := whatif.Changes(f.s, w, why, f.now, whatif.Budget{})
		f.sameFromScratch(t, id, why, found)
		for _, change := range found.Changes {
			total.kinds[change.Kind]++
			if change.Kind == whatif.Ends && explain.AnswerOf(why) == explain.Impossible {
				t.Errorf("%s/%s (%s) was called impossible, and starts once %v end", w.Namespace, w.Name, why[0].Code, change.Names)
			}
			if state := f.after(change, w); state != fleet.RunningW {
				t.Errorf("%s/%s (%s): %s %+v was said to help, and left it %s", w.Namespace, w.Name, why[0].Code, change.Kind, change.Commands, state)
			}
		}
	}
}

// sameFromScratch asks a copy that has forgotten which work found no room: it tries
// all of it again, and must find the same.
func (f *fleetAt) sameFromScratch(t *testing.T, id uint64, why []explain.Blocker, found whatif.Found) {
	c := f.s.Clone()
	if again := whatif.Changes(c, c.Workloads[id], why, f.now, whatif.Budget{}); !reflect.DeepEqual(found, again) {
		t.Errorf("workload %d: %+v is found, and from scratch %+v", id, found, again)
	}
}

// after does a change to a copy of the fleet, and lets pass what the change says it takes.
func (f *fleetAt) after(change whatif.Change, w *fleet.Workload) fleet.WorkloadState {
	g := &fleetAt{s: f.s.Clone(), now: f.now, silent: true}
	for _, c := range change.Commands {
		if _, refusal := core.Step(g.s, core.Request{Command: c, Actor: core.System}, g.now); refusal != nil {
			return fleet.WorkloadState(refusal.Error())
		}
	}
	g.leave()
	for g.now < change.Start.At {
		g.now = min(change.Start.At, max(g.now+1, g.s.NextAlarm()))
		g.do(core.Tick{})
		g.leave()
	}
	return g.s.Workload(w.Namespace, w.Name).State
}
