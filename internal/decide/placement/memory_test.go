package placement_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var asleepSeeds = flag.Uint64("asleep-seeds", 40, "fleets in which it is asked whether somebody sleeps who could start")

// onceAsleep are fleets in which something slept: backing that no longer served guaranteed work could have followed work that
// stood uncovered (2950).
var onceAsleep = []uint64{2950}

// TestNobodySleepsWhoCouldStart plays small fleets at random, and after every command
// lets a copy that has forgotten which units found no room look at all of them again:
// it finds nothing to decide. So what is remembered saves time and changes no decision;
// and each kind of it is met often enough to be judged.
func TestNobodySleepsWhoCouldStart(t *testing.T) {
	asked, slept := 0, placement.Asleep{}
	seeds := slices.Clone(onceAsleep)
	for seed := range *asleepSeeds {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		f := restlessFleet(t, seed)
		for range 120 {
			f.happen(t)
			waits := f.waiting()
			if asked += waits; waits == 0 {
				continue
			}
			for _, p := range f.s.Partitions {
				slept.Add(placement.AsleepIn(f.s, p))
				if _, differs := placement.New(f.s, p, f.at).KeptFlex(); differs != "" {
					t.Fatalf("seed %d, after %d commands: %s", seed, f.done, differs)
				}
			}
			if news := f.lookAgain(t); news != "" {
				t.Fatalf("seed %d, after %d commands and w%d: who forgot who was tried decides %s", seed, f.done, f.n, news)
			}
		}
	}
	t.Logf("%d waiting workloads looked at again, asleep %+v", asked, slept)
	if asked < 10_000 || slept.Trees < 5_000 || slept.Room < 25 || min(slept.Counts, slept.Nodes, slept.ReadsQueue, slept.Flex, slept.Elastic) < 500 {
		t.Errorf("%d waiting, asleep %+v: too few to say anything", asked, slept)
	}
}

// restless is a fleet of two partitions in which work comes and ends, nodes fail and
// come back, and grants and holds change.
type restless struct {
	*crowded
	done  int
	pace  time.Duration // from one command to the next
	nodes []string
	out   []string
}

var restlessPartitions = []string{"c/g", "d/g"}

func restlessFleet(t *testing.T, seed uint64) *restless {
	f := &restless{pace: time.Minute, crowded: &crowded{s: fleet.NewState(), rng: rand.New(rand.NewPCG(seed, 77)), at: fleet.Instant(time.Hour)}}
	for _, c := range []string{"c", "d"} {
		f.do(t, core.AddCluster{Name: c})
		f.do(t, core.AddPartition{Cluster: c, GPU: "g"})
		f.do(t, core.AddIslands{Partition: c + "/g", Islands: []core.NewIsland{{Name: "i", Nodes: 6, Racks: 2}, {Name: "j", Nodes: 4}}})
	}
	for _, p := range f.s.Partitions {
		for _, n := range p.Nodes {
			f.nodes = append(f.nodes, n.Name)
		}
	}
	for q := range 5 {
		f.do(t, core.CreateQuota{Path: restlessQuota(q)})
		f.grant(t, q)
	}
	return f
}

func restlessQuota(q int) string { return fmt.Sprintf("t%d/q%d", q/3, q) }

// grant gives a quota some nodes of one partition, perhaps none, or more than there are.
func (f *restless) grant(t *testing.T, q int) {
	t.Helper()
	f.try(core.SetGrant{Quota: restlessQuota(q), Partition: restlessPartitions[f.rng.IntN(2)], GPUs: 8 * f.rng.IntN(4)})
}

// try gives a command that may be refused.
func (f *restless) try(c core.Command) (ok bool) {
	f.at = f.at.Add(f.pace)
	_, refusal := core.Step(f.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, f.at)
	return refusal == nil
}

// happen lets one thing happen, most often a submission.
func (f *restless) happen(t *testing.T) {
	t.Helper()
	f.done++
	switch f.rng.IntN(14) {
	case 0:
		f.fail()
	case 1:
		f.comeBack()
	case 2:
		f.grant(t, f.rng.IntN(5))
	case 3:
		f.hold()
	case 4, 5:
		f.end()
	case 6, 7, 8:
		f.leave()
	case 9:
		f.cancel()
	default:
		f.come(t)
	}
	f.try(core.Tick{}) // what is due by now
}

func (f *restless) fail() {
	node := f.nodes[f.rng.IntN(len(f.nodes))]
	c := core.SetNodes{Names: []string{node}, State: fleet.Quarantined, Signal: "test"}
	switch f.rng.IntN(4) {
	case 0:
		c.State = fleet.Suspect
	case 1:
		c.State, c.Dead = fleet.Degraded, 1+f.rng.IntN(5)
	}
	if f.try(c) {
		f.out = append(f.out, node)
	}
}

func (f *restless) comeBack() {
	if len(f.out) > 0 {
		f.try(core.SetNodes{Names: []string{f.out[0]}, State: fleet.Healthy, Signal: "test"})
		f.out = f.out[1:]
	}
}

func (f *restless) hold() {
	f.try(core.PlaceHold{
		Quota: restlessQuota(f.rng.IntN(5)), Partition: restlessPartitions[f.rng.IntN(2)],
		GPUs: 8, User: fmt.Sprintf("u%d", f.rng.IntN(3)), Until: f.at.Add(time.Duration(10+f.rng.IntN(60)) * time.Minute),
	})
}

// workloads lists those in some states, in order of ID.
func (f *restless) workloads(states ...fleet.WorkloadState) (list []*fleet.Workload) {
	for _, w := range f.s.Workloads {
		if slices.Contains(states, w.State) {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *fleet.Workload) int { return int(a.ID) - int(b.ID) })
	return list
}

func (f *restless) waiting() int { return len(f.workloads(fleet.Pending)) }

func (f *restless) end() {
	if list := f.workloads(fleet.RunningW); len(list) > 0 {
		f.try(core.ReportFinished{ID: list[f.rng.IntN(len(list))].ID})
	}
}

func (f *restless) cancel() {
	if list := f.workloads(fleet.Pending, fleet.RunningW); len(list) > 0 {
		w := list[f.rng.IntN(len(list))]
		f.try(core.Cancel{Namespace: w.Namespace, Name: w.Name})
	}
}

// leave lets everything be gone that is on its way out.
func (f *restless) leave() {
	for _, p := range f.s.Partitions {
		for _, w := range slices.Clone(p.Leaving()) {
			f.try(core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
		}
	}
}

// come submits a workload; some name no partition, some declare how long they run.
func (f *restless) come(t *testing.T) {
	t.Helper()
	f.n++
	s := fleet.Spec{
		Name: fmt.Sprintf("w%d", f.n), Namespace: fmt.Sprintf("ns%d", f.rng.IntN(3)), User: fmt.Sprintf("u%d", f.rng.IntN(3)),
		Target: fleet.Flex, Partition: restlessPartitions[f.rng.IntN(2)], Priority: fleet.Priority(f.rng.IntN(3)), Grace: time.Minute, Pools: f.pools(),
	}
	if q := f.rng.IntN(7); q < 5 {
		s.Target, s.Partition = restlessQuota(q), ""
	}
	if f.rng.IntN(3) == 0 {
		s.MaxRuntime = time.Duration(5+f.rng.IntN(90)) * time.Minute
	}
	if p := &s.Pools[0]; !p.Elastic && f.rng.IntN(4) == 0 {
		p.Reach = fleet.ReachRack
	}
	f.try(core.Submit{Spec: s})
}

// lookAgain looks at everybody in a copy of the state as a new process would have it,
// and tells what it decides; "": nothing.
func (f *restless) lookAgain(t *testing.T) (news string) {
	t.Helper()
	again := f.s.Clone()
	for _, p := range again.Partitions {
		p.Freed()
	}
	out, refusal := core.Step(again, core.Request{Command: core.Tick{}, Actor: core.System}, f.at)
	if refusal != nil {
		t.Fatal(refusal)
	}
	for _, e := range out.Record.Events {
		news += fmt.Sprintf("%T%v ", e, e)
	}
	return news
}
