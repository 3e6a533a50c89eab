package whatif_test

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// story is a fleet of two islands of four nodes of 8 GPUs, and what happens to it.
type story struct {
	*testing.T
	fleetAt
}

func tell(t *testing.T, grants map[string]int) *story {
	t.Helper()
	st := &story{t, fleetAt{s: fleet.NewState(), now: fleet.Instant(time.Hour)}}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	st.must(core.SetPolicy{Policy: policy}, core.AddCluster{Name: "c"}, core.AddPartition{Cluster: "c", GPU: "g"},
		core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: "i1", Nodes: 4}, {Name: "i2", Nodes: 4}}})
	for _, path := range []string{"t/x", "t/y", "u"} {
		if gpus, ok := grants[path]; ok {
			st.must(core.CreateQuota{Path: path}, core.SetGrant{Quota: path, Partition: "c/g", GPUs: gpus})
		}
	}
	return st
}

func (st *story) must(commands ...core.Command) {
	st.Helper()
	for _, c := range commands {
		if _, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System, Reason: "a story"}, st.now); refusal != nil {
			st.Fatalf("%T: %v", c, refusal)
		}
		st.now = st.now.Add(time.Second)
	}
}

// nodes submits a workload of whole nodes that may stand anywhere.
func (st *story) nodes(name, target string, n int, maxRuntime time.Duration) {
	st.Helper()
	st.must(core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: "oak", User: "ada", Target: target, Priority: fleet.Mid, Grace: time.Second, MaxRuntime: maxRuntime,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: n, Max: n, Reach: fleet.ReachAny}},
	}})
}

func (st *story) why(name string) []explain.Blocker {
	c := st.s.Clone()
	return explain.Why(c, c.Workload("oak", name), st.now)
}

func (st *story) wants(name string, answer explain.Answer, codes ...reason.Code) []explain.Blocker {
	st.Helper()
	list := st.why(name)
	var got []reason.Code
	for _, b := range list {
		got = append(got, b.Code)
	}
	if !slices.Equal(got, codes) || explain.AnswerOf(list) != answer {
		st.Fatalf("%s: blockers %v (%s), want %v (%s)", name, got, explain.AnswerOf(list), codes, answer)
	}
	return list
}

// changes are what helps, by kind.
func (st *story) changes(name string) map[whatif.Kind]whatif.Change {
	found := map[whatif.Kind]whatif.Change{}
	for _, c := range whatif.Changes(st.s, st.s.Workload("oak", name), st.why(name), st.now, whatif.Budget{}).Changes {
		found[c.Kind] = c
	}
	return found
}

func TestBlockersStandInTheOrderOfTheContract(t *testing.T) {
	st := tell(t, map[string]int{"u": 32})
	st.nodes("long", "u", 3, 2*time.Hour)
	st.nodes("head", "u", 2, 0)
	st.nodes("late", "u", 2, 0)
	list := st.wants("late", explain.Waiting, reason.Behind, reason.QuotaFull)
	if list[0].Culprits[0] != "oak/head" || list[1].Culprits[0] != "oak/long" {
		t.Errorf("culprits %v and %v, want oak/head and oak/long", list[0].Culprits, list[1].Culprits)
	}
	if end := st.s.Workload("oak", "long").Started.Add(2 * time.Hour); list[1].Next.At != end {
		t.Errorf("next change %v, want %v: the end that oak/long declared", list[1].Next.At, end)
	}
	st.must(core.StopReports{Cluster: "c"})
	st.wants("late", explain.Waiting, reason.ClusterNotReady, reason.Behind, reason.QuotaFull)
}

func TestWhoCouldOnlyBorrowIsBehindTheHeadOfTheTree(t *testing.T) {
	st := tell(t, map[string]int{"t/x": 32, "t/y": 32})
	st.nodes("full", "t/y", 4, 0)
	st.nodes("wide", "t/x", 6, 0)
	st.nodes("more", "t/y", 1, 0)
	list := st.wants("more", explain.Waiting, reason.Behind)
	if list[0].Culprits[0] != "oak/wide" {
		t.Errorf("behind %v, want oak/wide", list[0].Culprits)
	}
}

func TestMoreThanIsGrantedIsImpossibleAndNotAMatterOfTime(t *testing.T) {
	st := tell(t, map[string]int{"u": 16})
	st.nodes("huge", "u", 3, 0)
	st.wants("huge", explain.Impossible, reason.QuotaFull)
	found := st.changes("huge")
	if c := found[whatif.Grant]; c.GPUs != 8 || c.Now != 24 {
		t.Errorf("grant %+v, want 8 GPUs more, 24", c)
	}
	if c := found[whatif.Smaller]; c.Was != 3 || c.Now != 2 {
		t.Errorf("smaller %+v, want 3 to 2 replicas", c)
	}
}

func TestAWholeGrantWithoutMetalIsUnbackedAndNotFull(t *testing.T) {
	st := tell(t, map[string]int{"u": 64})
	st.must(core.SetNodes{Names: []string{"c-g-i1-001"}, State: fleet.Quarantined, Signal: "XID 79"})
	st.nodes("all", "u", 8, 0)
	list := st.wants("all", explain.Waiting, reason.QuotaUnbacked)
	if !slices.Equal(list[0].Culprits, []string{"c-g-i1-001"}) {
		t.Errorf("behind it %v, want the node that is out", list[0].Culprits)
	}
	c, ok := st.changes("all")[whatif.Nodes]
	if dwell := st.s.Policy.Dwell; !ok || c.Start.At < st.now.Add(dwell) {
		t.Errorf("the node back: %v at %v, want a start after the dwell of %v", ok, c.Start.At, dwell)
	}
}

func TestALessImportantRunnerIsNoBlocker(t *testing.T) {
	st := tell(t, map[string]int{"u": 32})
	st.nodes("low", "u", 4, 0)
	st.must(core.Prioritise{Namespace: "oak", Name: "low", Priority: fleet.Low})
	st.nodes("mid", "u", 4, 0)
	st.wants("mid", explain.Waiting, reason.Evicting)
}

func TestASearchThatMayTryNothingSaysThatItMissedSomething(t *testing.T) {
	st := tell(t, map[string]int{"u": 16})
	st.nodes("huge", "u", 3, 0)
	stop := func() bool { return true }
	found := whatif.Changes(st.s, st.s.Workload("oak", "huge"), st.why("huge"), st.now, whatif.Budget{Stop: stop})
	if !found.Missed || len(found.Changes) > 0 {
		t.Errorf("found %v, missed %v; want nothing, and that it was missed", found.Changes, found.Missed)
	}
}

func TestFitSaysWhereItStartsAndChangesNothing(t *testing.T) {
	st := tell(t, map[string]int{"u": 16})
	before := st.s.Seq
	spec := fleet.Spec{
		Name: "fit", Namespace: "oak", Priority: fleet.Mid, Grace: time.Second,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 3, Max: 3, Reach: fleet.ReachIsland}},
	}
	places := whatif.Fit(st.s, core.System, nil, spec, st.now, whatif.Budget{}).Places
	if len(places) != 2 || places[0].Starts || places[0].Blockers[0].Code != reason.QuotaFull || !places[1].Starts || places[1].Target != fleet.Flex {
		t.Errorf("places %+v, want u waiting and flex starting", places)
	}
	if st.s.Seq != before || len(st.s.Workloads) != 0 {
		t.Error("fit left something behind")
	}
}

func TestAClusterThatIsOnlyObservedIsSetToEnforceStepByStep(t *testing.T) {
	st := tell(t, map[string]int{"u": 32})
	st.must(core.SetMode{Cluster: "c", Mode: fleet.Observe})
	st.nodes("one", "u", 1, 0)
	st.wants("one", explain.Waiting, reason.ClusterNotReady)
	c, ok := st.changes("one")[whatif.Mode]
	want := []core.Command{core.SetMode{Cluster: "c", Mode: fleet.Shadow}, core.SetMode{Cluster: "c", Mode: fleet.Enforce}}
	if !ok || !slices.Equal(c.Commands, want) || c.Start.GPUs != 8 {
		t.Errorf("%+v, want shadow, then enforce, and its 8 GPUs", c)
	}
}

// Where all nodes are granted and the grant is used whole, another quota's GPUs that its work does not
// use would help: exactly as many as are missing, and no more than are idle there.
func TestWhatAnotherQuotaDoesNotUseIsProposedAsATransfer(t *testing.T) {
	st := tell(t, map[string]int{"t/x": 32, "u": 32})
	st.nodes("runs", "t/x", 4, 0)
	st.nodes("waits", "t/x", 2, 0)
	got, ok := st.changes("waits")[whatif.Transfer]
	if !ok || got.Quota != "u" || got.GPUs != 16 {
		t.Fatalf("it proposes %+v (%v), want 16 GPUs of u", got, ok)
	}
	st.must(got.Commands...)
	if w := st.s.Workload("oak", "waits"); w.State != fleet.RunningW {
		t.Errorf("after the transfer it is %v", w.State)
	}
	busy := tell(t, map[string]int{"t/x": 32, "u": 32})
	busy.nodes("runs", "t/x", 4, 0)
	busy.nodes("theirs", "u", 3, 0)
	busy.nodes("waits", "t/x", 2, 0)
	if got, ok := busy.changes("waits")[whatif.Transfer]; ok {
		t.Errorf("of a quota with one idle node it proposes %+v", got)
	}
}

// A grant that fills no whole nodes is filled up first: four GPUs more back a node here, and there is no room for eight.
func TestTheLeastGrantFillsWholeNodes(t *testing.T) {
	st := tell(t, map[string]int{"t/x": 12, "u": 45})
	st.nodes("a", "t/x", 1, 0)
	st.nodes("b", "t/x", 1, 0)
	st.wants("b", explain.Waiting, reason.QuotaFull)
	if c := st.changes("b")[whatif.Grant]; c.GPUs != 4 || c.Now != 16 {
		t.Errorf("4 GPUs more would do, offered: %+v", c)
	}
}

// The same where no more may be assigned, and another quota gives it up.
func TestTheLeastTransferFillsWholeNodes(t *testing.T) {
	st := tell(t, map[string]int{"t/x": 12, "u": 52})
	st.nodes("a", "t/x", 1, 0)
	st.nodes("b", "t/x", 1, 0)
	if c := st.changes("b")[whatif.Transfer]; c.GPUs != 4 {
		t.Errorf("a transfer of 4 GPUs would do, offered: %+v", c)
	}
}
