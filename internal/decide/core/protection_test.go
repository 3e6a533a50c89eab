package core_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// granted is 8 nodes, of which oak has some GPUs and elm 16. In another partition oak has one node.
func granted(t *testing.T, oak int) tale {
	st := tale{t, fleet.NewState()}
	st.do(0, core.SetPolicy{Policy: plainPolicy()})
	for _, q := range []string{"oak", "elm"} {
		st.do(0, core.CreateQuota{Path: q, Owner: q + "-owner"})
	}
	st.do(0, core.AddCluster{Name: "tiger"})
	st.do(0, core.AddPartition{Cluster: "tiger", GPU: "h200"})
	st.do(0, core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 8}}})
	st.do(0, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: oak})
	st.do(0, core.SetGrant{Quota: "elm", Partition: "tiger/h200", GPUs: 16})
	st.do(0, core.AddPartition{Cluster: "tiger", GPU: "a100"})
	st.do(0, core.AddIslands{Partition: "tiger/a100", Islands: []core.NewIsland{{Name: "b", Nodes: 1}}})
	st.do(0, core.SetGrant{Quota: "oak", Partition: "tiger/a100", GPUs: 8})
	return st
}

// guarded is 8 nodes, of which oak has 6 and uses them for two gangs of 3, and elm 2.
func guarded(t *testing.T) tale {
	st := granted(t, 48)
	st.do(0, job("ns", "first", "oak", fleet.Mid, pool("p", 0, 8, 3)))
	st.do(0, job("ns", "second", "oak", fleet.Mid, pool("p", 0, 8, 3)))
	return st
}

func plainPolicy() fleet.Policy {
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	return policy
}

// cutters are the changes by people that take the protection of the second gang.
func cutters() map[string]core.Command {
	half := plainPolicy()
	half.Buffer.Share = 500
	return map[string]core.Command{
		"a smaller grant": core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24},
		"no grant":        core.SetGrant{Quota: "oak", Partition: "tiger/h200"},
		"a transfer":      core.Transfer{From: "oak", To: "elm", Partition: "tiger/h200", GPUs: 24},
		"a policy":        core.SetPolicy{Policy: half},
		"a buffer":        core.SetBuffer{Scope: "tiger/h200", Buffer: half.Buffer},
		"in a second partition": core.Batch{Commands: []core.Command{
			core.SetGrant{Quota: "oak", Partition: "tiger/a100"}, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24},
		}},
		"one of several": core.Batch{Commands: []core.Command{core.SetOwner{Path: "elm", Owner: "x"}, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24}}},
	}
}

// TestACutOfProtectionNeedsAReason: whatever people change, if it makes running work
// unprotected it is refused without a reason, names that work, and changes nothing.
// With a reason it is done, and the log says to whom, by whom and why.
func TestACutOfProtectionNeedsAReason(t *testing.T) {
	for name, c := range cutters() {
		t.Run(name, func(t *testing.T) {
			st := guarded(t)
			hash := st.s.Hash()
			_, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System}, moment(1))
			if refusal == nil || refusal.Code != core.ReasonNeeded || !strings.Contains(refusal.Message, "ns/second (24 GPUs of oak in tiger/h200)") {
				t.Fatalf("refused with %+v", refusal)
			}
			if st.s.Hash() != hash {
				t.Fatal("a refused cut changed something")
			}
		})
	}
	for name, c := range cutters() {
		t.Run(name+" with a reason", func(t *testing.T) {
			st := guarded(t)
			out, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System, Reason: "needed elsewhere"}, moment(1))
			if refusal != nil {
				t.Fatal(refusal)
			}
			i := slices.IndexFunc(out.Record.Events, func(e event.Event) bool { return e.Kind() == "protection.cut" })
			if i < 0 {
				t.Fatalf("nobody is told: %+v", out.Record.Events)
			}
			if e, _ := out.Record.Events[i].(event.ProtectionCut); e.GPUs == 0 || e.Reason != "needed elsewhere" || e.By != core.System.Name || e.Quota != "oak" {
				t.Errorf("told %+v", e)
			}
			if w := st.s.Workload("ns", "second"); w.LastCut() == nil {
				t.Error("the work does not know that it was cut")
			}
		})
	}
}

// TestATrialNeedsNoReason: a dry run shows what a cut takes, with or without a reason, and says that the cut itself needs one.
func TestATrialNeedsNoReason(t *testing.T) {
	st := guarded(t)
	c := core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24}
	out, refusal := core.Step(st.s.Clone(), core.Request{Command: c, Actor: core.System, Trial: true}, moment(1))
	if refusal != nil || !slices.ContainsFunc(out.Record.Events, func(e event.Event) bool { return e.Kind() == "protection.cut" }) {
		t.Fatalf("%+v, refused with %v", out.Record.Events, refusal)
	}
	if len(out.Lets) != 1 || out.Lets[0].Code != core.ReasonNeeded {
		t.Errorf("it says of the cut itself: %v", out.Lets)
	}
	out, _ = core.Step(st.s.Clone(), core.Request{Command: c, Actor: core.System, Reason: "the nodes are needed", Trial: true}, moment(1))
	if len(out.Lets) > 0 {
		t.Errorf("with a reason it says: %v", out.Lets)
	}
}

// TestWhatTakesNothingNeedsNoReason: a grant above what runs may go without a word.
func TestWhatTakesNothingNeedsNoReason(t *testing.T) {
	st := guarded(t)
	for _, c := range []core.Command{
		core.SetGrant{Quota: "elm", Partition: "tiger/h200", GPUs: 8},
		core.SetGrant{Quota: "elm", Partition: "tiger/h200", GPUs: 16},
		core.Transfer{From: "elm", To: "oak", Partition: "tiger/h200", GPUs: 8},
	} {
		out, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System}, moment(1))
		if refusal != nil {
			t.Fatalf("%+v: %v", c, refusal)
		}
		for _, e := range out.Record.Events {
			if e.Kind() == "protection.cut" {
				t.Errorf("%+v says %+v", c, e)
			}
		}
	}
}

// TestACutTellsOfNoWorkThatWasUnprotectedBefore: of two cuts, the second tells of what it takes alone.
func TestACutTellsOfNoWorkThatWasUnprotectedBefore(t *testing.T) {
	st := guarded(t)
	st.do(1, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24})
	out := st.do(2, core.SetGrant{Quota: "oak", Partition: "tiger/h200"})
	var told []uint64
	for _, e := range out.Record.Events {
		if cut, ok := e.(event.ProtectionCut); ok {
			told = append(told, cut.ID)
		}
	}
	if !slices.Equal(told, []uint64{st.s.Workload("ns", "first").ID}) {
		t.Errorf("told of the workloads %v", told)
	}
}

// Of commands that are decided together and stand each for itself, the people of all work are told that a cut leaves
// unprotected, in whichever partition it runs.
func TestTheCutsOfABatchAreToldInEveryPartition(t *testing.T) {
	st := guarded(t)
	st.do(0, job("ns", "third", "oak", fleet.Mid, pool("p", 0, 8, 1)))
	cuts := core.Batch{Each: true, Commands: []core.Command{
		core.SetGrant{Quota: "oak", Partition: "tiger/a100"}, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24},
	}}
	told := map[string]int{}
	for _, e := range st.do(1, cuts).Record.Events {
		if cut, ok := e.(event.ProtectionCut); ok {
			told[st.s.Workloads[cut.ID].Name+" in "+cut.Partition] = cut.GPUs
		}
	}
	if want := map[string]int{"third in tiger/a100": 8, "second in tiger/h200": 24}; !maps.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}

// TestACutThatEvictsAtOnceNeedsAReason: where the taker's work waits, it starts at once in what the other loses, and no
// work is left unprotected. That takes protection, too.
func TestACutThatEvictsAtOnceNeedsAReason(t *testing.T) {
	st := guarded(t)
	st.do(0, job("ns", "here", "elm", fleet.Mid, pool("p", 0, 8, 2)))
	st.do(0, job("ns", "waits", "elm", fleet.Mid, pool("p", 0, 8, 3)))
	c := core.Transfer{From: "oak", To: "elm", Partition: "tiger/h200", GPUs: 24}
	_, refusal := core.Step(st.s.Clone(), core.Request{Command: c, Actor: core.System}, moment(1))
	if refusal == nil || refusal.Code != core.ReasonNeeded || !strings.Contains(refusal.Message, "this evicts running work that is guaranteed now: ns/second (24 GPUs of oak in tiger/h200)") {
		t.Fatalf("refused with %+v", refusal)
	}
	if _, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System, Reason: "elm trains first"}, moment(1)); refusal != nil {
		t.Fatal(refusal)
	}
}
