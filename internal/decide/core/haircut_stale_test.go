package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// overGranted is 12 nodes, of which 8 can be assigned; oak has 10 of them, elm 2. No work
// runs. The plan is saved, and its people were told.
func overGranted(t *testing.T) tale {
	st := tale{t, fleet.NewState()}
	st.do(0, core.SetPolicy{Policy: plainPolicy()})
	for _, q := range []string{"oak", "elm", "ash"} {
		st.do(0, core.CreateQuota{Path: q, Owner: q + "-owner"})
	}
	st.do(0, core.AddCluster{Name: "tiger"})
	st.do(0, core.AddPartition{Cluster: "tiger", GPU: "h200"})
	st.do(0, core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 12}}})
	st.do(0, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 80})
	st.do(0, core.SetGrant{Quota: "elm", Partition: "tiger/h200", GPUs: 16})
	policy := plainPolicy()
	policy.Buffer.Share = 333
	st.do(0, core.SetPolicy{Policy: policy})
	st.do(0, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisCluster}})
	st.do(0, core.TellHaircut{Name: "autumn"})
	return st
}

func (st tale) apply() *core.Refusal { return st.applyFor("test") }

// applyFor applies the next wave for a reason; "": for none.
func (st tale) applyFor(reason string) *core.Refusal { return st.applyEarly(false, reason) }

func (st tale) applyEarly(early bool, reason string) *core.Refusal {
	_, refusal := core.Step(st.s, core.Request{Command: core.ApplyHaircut{Name: "autumn", Early: early}, Actor: core.System, Reason: reason}, moment(1))
	return refusal
}

// TestAPlanStaysTrueWhileTheFleetLivesOn: what changes without touching what the plan cuts, or
// why, does not make it stale.
func TestAPlanStaysTrueWhileTheFleetLivesOn(t *testing.T) {
	for name, c := range map[string]core.Command{
		"a node fails":                  core.SetNodes{Names: []string{"tiger-h200-a-001"}, State: fleet.Quarantined},
		"another quota gets a grant":    core.SetGrant{Quota: "ash", Partition: "tiger/h200", GPUs: 16, Overcommit: true},
		"another quota gets a little":   core.SetGrant{Quota: "ash", Partition: "tiger/h200", GPUs: 3, Overcommit: true},
		"a quota comes":                 core.CreateQuota{Path: "yew"},
		"work comes to another quota":   job("ns", "w", "flex", fleet.Mid, pool("p", 0, 8, 1)),
		"the plan's quota uses a node":  job("ns", "w", "elm", fleet.Mid, pool("p", 0, 8, 1)),
		"another quota's grant is none": core.SetGrant{Quota: "ash", Partition: "tiger/h200"},
	} {
		st := overGranted(t)
		st.do(0, c)
		if refusal := st.apply(); refusal != nil {
			t.Errorf("%s: %v", name, refusal)
		}
	}
}

// TestAWaveMayTouchOtherWorkOfTheSameQuota: people were told by quota, and work comes and goes. A
// wave that touches more by now than was told needs a reason, and is not silent: it names the work
// before, and its people are told.
func TestAWaveMayTouchOtherWorkOfTheSameQuota(t *testing.T) {
	for name, one := range map[string]struct {
		jobs   int // of a node each, that oak runs when the plan is made
		untold bool
	}{"over what is in use": {10, false}, "over what was unused": {0, true}} {
		st := overGranted(t)
		st.do(0, core.DeleteHaircut{Name: "autumn"})
		st.do(0, core.SetPolicy{Policy: plainPolicy()}) // all of it is backed
		for i := range one.jobs {
			st.do(0, job("ns", string(rune('a'+i)), "oak", fleet.Mid, pool("p", 0, 8, 1)))
		}
		st.do(0, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisQuota, Buffer: &fleet.Buffer{Kind: fleet.Fixed, Share: 333}}})
		st.do(0, core.TellHaircut{Name: "autumn"})
		for i := range one.jobs { // others come and these go
			w := st.s.Workload("ns", string(rune('a'+i)))
			if _, refusal := core.Step(st.s, core.Request{Command: core.ReportFinished{ID: w.ID}, Actor: core.Reporter}, moment(0)); refusal != nil {
				t.Fatal(refusal)
			}
		}
		for i := range 10 {
			st.do(0, job("ns", string(rune('k'+i)), "oak", fleet.Mid, pool("p", 0, 8, 1)))
		}
		refusal := st.applyFor("")
		if !one.untold {
			if refusal != nil {
				t.Errorf("%s: %v", name, refusal)
			}
			continue
		}
		if refusal == nil || refusal.Code != core.ReasonNeeded || !strings.Contains(refusal.Message, "ns/t (8 GPUs of oak in tiger/h200) becomes unprotected") {
			t.Fatalf("%s: %v", name, refusal)
		}
		if refusal := st.applyFor("the nodes are needed"); refusal != nil {
			t.Fatalf("%s: %v", name, refusal)
		}
		if cut := st.s.Workload("ns", "t").LastCut(); cut == nil || cut.Reason != "the nodes are needed" {
			t.Errorf("%s: its people were told %+v", name, cut)
		}
	}
}

// TestTheGateIsAboutWhatIsNotBacked: work that waits longer in a smaller grant was decided with the wave,
// and stops no other. Work that waits because the grant is not backed, and would run without the wave, does.
func TestTheGateIsAboutWhatIsNotBacked(t *testing.T) {
	for name, one := range map[string]struct {
		fail, want int // free nodes that fail after the wave; oak's jobs that run then
		stops      bool
	}{"a smaller grant, backed": {0, 6, false}, "a grant that is not backed": {6, 4, true}} {
		st := overGranted(t)
		st.do(0, core.DeleteHaircut{Name: "autumn"})
		for i := range 2 {
			st.do(0, job("ns", string(rune('x'+i)), "elm", fleet.Mid, pool("p", 0, 8, 1)))
		}
		st.do(0, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisCluster}})
		st.do(0, core.TellHaircut{Name: "autumn"})
		if refusal := st.apply(); refusal != nil {
			t.Fatal(refusal)
		}
		p := st.s.Partition("tiger/h200")
		for _, n := range p.Nodes {
			if one.fail > 0 && n.InUse() == 0 {
				st.do(2, core.SetNodes{Names: []string{n.Name}, State: fleet.Quarantined})
				one.fail--
			}
		}
		for i := range p.Account("oak").Grant/8 + 1 {
			st.do(3, job("ns", string(rune('a'+i)), "oak", fleet.Mid, pool("p", 0, 8, 1)))
		}
		if runs := p.Account("oak").Usage() / 8; runs != one.want {
			t.Errorf("%s: %d of oak's jobs run, want %d", name, runs, one.want)
		}
		stops := core.GateOf(st.s, st.s.Haircut("autumn"), 0, moment(4))
		if (len(stops) > 0) != one.stops {
			t.Errorf("%s: %v", name, stops)
		}
	}
}

// TestUnprotectedWorkOfWhichPeopleWereToldIsExplained: the next wave of a cluster does not wait
// for work that the one before left unprotected, although the plan could not know its name.
func TestUnprotectedWorkOfWhichPeopleWereToldIsExplained(t *testing.T) {
	st := overGranted(t)
	st.do(0, core.SetPolicy{Policy: plainPolicy()})
	for i := range 10 {
		st.do(0, job("ns", string(rune('a'+i)), "oak", fleet.Mid, pool("p", 0, 8, 1)))
	}
	if _, refusal := core.Step(st.s, core.Request{Command: core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 72}, Actor: core.System, Reason: "less"}, moment(1)); refusal != nil {
		t.Fatal(refusal)
	}
	if n := len(haircut.UnprotectedIn(st.s, st.s.Partition("tiger/h200"))); n == 0 {
		t.Fatal("nothing is unprotected, so nothing is shown")
	}
	for _, item := range haircut.Ready(st.s, "tiger", st.s.Haircut("autumn")) {
		if len(item.Missing) > 0 {
			t.Errorf("%s: %v", item.Name, item.Missing)
		}
	}
}

// TestAStalePlanSaysWhatHasChanged: each change is named with the figures of then and now, and
// the command that plans again.
func TestAStalePlanSaysWhatHasChanged(t *testing.T) {
	for name, one := range map[string]struct {
		do   []core.Command
		says []string
	}{
		"its own row": {
			[]core.Command{core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 72}},
			[]string{"the grant of oak in tiger/h200 was 80 GPUs and is 72", "Plan again: muster haircut plan --save autumn-2"},
		},
		"both rows": {
			[]core.Command{core.Transfer{From: "oak", To: "elm", Partition: "tiger/h200", GPUs: 8}},
			[]string{"the grant of oak in tiger/h200 was 80 GPUs and is 72", "the grant of elm in tiger/h200 was 16 GPUs and is 24"},
		},
		"its reason": {
			[]core.Command{core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "b", Nodes: 6}}}},
			[]string{"tiger/h200 has 96 GPUs assigned (it had 96) and can sustain 96 (64): 0 are over, and this wave cuts 32"},
		},
	} {
		st := overGranted(t)
		for _, c := range one.do {
			st.do(0, c)
		}
		refusal := st.apply()
		if refusal == nil || refusal.Code != core.Stale {
			t.Errorf("%s: %v", name, refusal)
			continue
		}
		for _, says := range one.says {
			if !strings.Contains(refusal.Message, says) {
				t.Errorf("%s: %q lacks %q", name, refusal.Message, says)
			}
		}
	}
}

// TestAPlanIsDeletedUnlessAWaveIsInForce: only the plan can undo its wave.
func TestAPlanIsDeletedUnlessAWaveIsInForce(t *testing.T) {
	st := overGranted(t)
	if refusal := st.apply(); refusal != nil {
		t.Fatal(refusal)
	}
	_, refusal := core.Step(st.s, core.Request{Command: core.DeleteHaircut{Name: "autumn"}, Actor: core.System}, moment(2))
	if refusal == nil || refusal.Code != core.WrongState || !strings.Contains(refusal.Message, "muster haircut undo autumn") {
		t.Fatalf("%v", refusal)
	}
	st.do(3, core.UndoHaircut{Name: "autumn"})
	st.do(4, core.DeleteHaircut{Name: "autumn"})
	if st.s.Haircut("autumn") != nil {
		t.Error("it is still there")
	}
}

// TestAWaveIsUndoneOnceWhatWasGivenForATimeHasEnded: GPUs that came for a time since the wave keep it
// from being undone, and the refusal says how they end.
func TestAWaveIsUndoneOnceWhatWasGivenForATimeHasEnded(t *testing.T) {
	st := overGranted(t)
	if refusal := st.apply(); refusal != nil {
		t.Fatal(refusal)
	}
	cut := st.s.Haircut("autumn").Waves[0].Parts[0].Cuts[0]
	st.do(2, core.SetGrant{Quota: cut.Quota, Partition: "tiger/h200", GPUs: 8, Until: moment(2 * 3600e9), KeepGang: true, Overcommit: true})
	_, refusal := core.Step(st.s, core.Request{Command: core.UndoHaircut{Name: "autumn"}, Actor: core.System}, moment(3))
	if refusal == nil || refusal.Code != core.Stale || !strings.Contains(refusal.Message, "muster quota grant "+cut.Quota+" tiger/h200 0 --until now") {
		t.Fatalf("%v", refusal)
	}
	st.do(4, core.SetGrant{Quota: cut.Quota, Partition: "tiger/h200", Until: moment(4), KeepGang: true})
	st.do(5, core.UndoHaircut{Name: "autumn"})
	if now := st.s.Partition("tiger/h200").Account(cut.Quota).Grant; now != cut.Was {
		t.Errorf("it has %d GPUs again, and had %d", now, cut.Was)
	}
}

// TestACutOfWhatEndsIsUndoneOnlyUntilItsEnd: what of a grant ends is cut first, and given back
// as long as its end is to come.
func TestACutOfWhatEndsIsUndoneOnlyUntilItsEnd(t *testing.T) {
	for _, one := range []struct {
		name        string
		undone      int // hours
		lasts, ends int
	}{{"before its end", 1, 48, 32}, {"after its end", 3, 48, 0}} {
		t.Run(one.name, func(t *testing.T) {
			st := overGranted(t)
			st.do(0, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 48})
			st.do(0, core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 32, Until: moment(2 * 3600e9), KeepGang: true, Overcommit: true})
			st.do(0, core.DeleteHaircut{Name: "autumn"})
			st.do(0, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisCluster}})
			st.do(0, core.TellHaircut{Name: "autumn"})
			if refusal := st.apply(); refusal != nil {
				t.Fatal(refusal)
			}
			a := st.s.Partition("tiger/h200").Account("oak")
			if a.Lasting() != 48 || a.Temporary.GPUs >= 32 {
				t.Fatalf("cut to %d that last and %d that end", a.Lasting(), a.Temporary.GPUs)
			}
			st.do(0, core.Tick{})
			tick(t, st.s, 3600e9*7/10)
			if one.undone > 2 {
				tick(t, st.s, 2*3600e9)
			}
			if _, refusal := core.Step(st.s, core.Request{Command: core.UndoHaircut{Name: "autumn"}, Actor: core.System}, moment(3600e9*time.Duration(one.undone))); refusal != nil {
				t.Fatal(refusal)
			}
			if a.Lasting() != one.lasts || a.Temporary.GPUs != one.ends {
				t.Errorf("undone to %d that last and %d that end", a.Lasting(), a.Temporary.GPUs)
			}
		})
	}
}

// TestAWaveBeforeItsDayIsEarlyOnPurpose: people were told that nothing changes before.
func TestAWaveBeforeItsDayIsEarlyOnPurpose(t *testing.T) {
	st := overGranted(t)
	st.do(0, core.DeleteHaircut{Name: "autumn"})
	st.do(0, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisCluster}, Effective: moment(60)})
	st.do(0, core.TellHaircut{Name: "autumn"})
	if h := st.s.Haircut("autumn"); h.Effective != moment(60) {
		t.Errorf("the plan keeps %v as its day", h.Effective)
	}
	before := st.s.Hash()
	for _, one := range []struct {
		early  bool
		reason string
		want   core.Code
	}{{false, "", core.TooEarly}, {false, "as mailed", core.TooEarly}, {true, "", core.ReasonNeeded}} {
		trial := core.Request{Command: core.ApplyHaircut{Name: "autumn", Early: one.early}, Actor: core.System, Reason: one.reason, Trial: true}
		tried, _ := core.Step(st.s.Clone(), trial, moment(1))
		if len(tried.Lets) != 1 || tried.Lets[0].Code != one.want {
			t.Errorf("a dry run of a wave before its day, early %t for %q: %v", one.early, one.reason, tried.Lets)
		}
		refusal := st.applyEarly(one.early, one.reason)
		if refusal == nil || refusal.Code != one.want || !strings.Contains(refusal.Message, "takes effect before") || st.s.Hash() != before {
			t.Errorf("a wave before its day, early %t for %q: %v", one.early, one.reason, refusal)
		}
	}
	if refusal := st.applyEarly(true, "the hall is too hot to wait"); refusal != nil {
		t.Error(refusal)
	}
	_, refusal := core.Step(st.s, core.Request{Command: core.PlanHaircut{Name: "winter", Ask: haircut.Ask{Basis: fleet.BasisQuota}, Effective: 1}, Actor: core.System}, moment(2))
	if refusal == nil || refusal.Code != core.Invalid {
		t.Errorf("a day that is past: %v", refusal)
	}
}

// TestAQuotaWithoutAnOwnerBlocksOnlyWaves that cut it.
func TestAQuotaWithoutAnOwnerBlocksOnlyWaves(t *testing.T) {
	st := overGranted(t)
	st.do(0, core.CreateQuota{Path: "yew"})
	st.do(0, core.SetGrant{Quota: "yew", Partition: "tiger/h200", GPUs: 8, Overcommit: true})
	if refusal := st.apply(); refusal != nil {
		t.Errorf("a quota that is not cut has no owner: %v", refusal)
	}
	st = overGranted(t)
	st.do(0, core.SetOwner{Path: "oak"})
	if refusal := st.apply(); refusal == nil || refusal.Code != core.NotReadyForWave || !strings.Contains(refusal.Message, "quota oak has no owner") {
		t.Errorf("a quota that is cut has no owner: %v", refusal)
	}
}

// TestABufferPolicyIsTakenAway: the next wider one holds, and work that loses its protection is told.
func TestABufferPolicyIsTakenAway(t *testing.T) {
	st := overGranted(t)
	wide := st.s.BufferFor(st.s.Partition("tiger/h200"), 0)
	st.do(0, core.SetBuffer{Scope: "tiger/h200", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 500}})
	st.do(0, core.SetBuffer{Scope: "tiger/h200"})
	if got := st.s.BufferFor(st.s.Partition("tiger/h200"), 0); got != wide || len(st.s.Buffers) != 0 {
		t.Errorf("%v is in force, and there are %v", got, st.s.Buffers)
	}
	seq := st.s.Seq
	st.do(0, core.SetBuffer{Scope: "tiger/h200"})
	if st.s.Seq != seq {
		t.Error("taking away what is not there changed something")
	}
}

// Before any wave is in force there is nothing to undo, whichever cluster is named; a cluster without a wave is no such thing.
func TestNothingIsUndoneBeforeAWaveIsInForce(t *testing.T) {
	st := overGranted(t)
	st.by(time.Hour, ops, core.UndoHaircut{Name: "autumn"}, "no wave of haircut autumn is in force")
	st.by(time.Hour, ops, core.UndoHaircut{Name: "autumn", Cluster: "tiger"}, "no wave of haircut autumn over tiger is in force")
	st.by(time.Hour, ops, core.UndoHaircut{Name: "autumn", Cluster: "lion"}, "haircut autumn has no wave over lion; it has waves over tiger (assigned above usage)")
}

// twoWaves is a plan of two waves over one cluster, of which people were told.
func twoWaves(t *testing.T, two fleet.TwoPeople) tale {
	st := overGranted(t)
	st.do(0, core.DeleteHaircut{Name: "autumn"})
	st.do(0, core.SetPolicy{Policy: plainPolicy()})
	for i := range 9 {
		st.do(0, job("ns", string(rune('a'+i)), "oak", fleet.Mid, pool("p", 0, 8, 1)))
	}
	policy := plainPolicy()
	policy.Buffer.Share, policy.TwoPeople = 333, two
	st.do(0, core.SetPolicy{Policy: policy})
	st.do(0, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisCluster}})
	st.do(0, core.TellHaircut{Name: "autumn"})
	return st
}

// asks has a person who signed in give a command, and says what it is refused for; "": nothing.
func (st tale) asks(who string, at time.Duration, c core.Command) core.Code {
	by := core.Actor{Name: "user:" + who, User: who, Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: who}, Operator: true}
	if _, refusal := core.Step(st.s, core.Request{Command: c, Actor: by, Reason: "the story"}, moment(at)); refusal != nil {
		return refusal.Code
	}
	return ""
}

// A wave that is asked for by its class alone waits for those before it, and is not called undone: nothing was applied.
func TestAClassWaitsForTheOneBefore(t *testing.T) {
	st := twoWaves(t, fleet.TwoPeople{})
	rest := core.ApplyHaircut{Name: "autumn", Class: fleet.CutRest}
	st.by(time.Hour, ops, rest, "wave 1 of haircut autumn (tiger: assigned above usage) comes first: each class is cut from what the one before left")
	st.by(time.Hour, ops, core.ApplyHaircut{Name: "autumn", Class: fleet.CutIdle},
		"haircut autumn has no wave of the class held by idle jobs; it has waves over tiger (assigned above usage), tiger (the rest)")
	st.do(time.Hour, core.ApplyHaircut{Name: "autumn"})
	st.by(time.Hour, ops, core.ApplyHaircut{Name: "autumn", Class: fleet.CutUnscheduled}, "the wave of haircut autumn (assigned above usage) is in force")
	st.do(time.Hour, core.UndoHaircut{Name: "autumn"})
	st.by(time.Hour, ops, rest, "0 of 1 wave of haircut autumn (the rest) is in force; undone: tiger. Name one to apply it again: muster haircut apply autumn tiger")
}

// What is proposed is one wave. Once that was applied otherwise, its approval applies no other one.
func TestAProposalIsOfOneWave(t *testing.T) {
	st := twoWaves(t, fleet.TwoPeople{Waves: true})
	if code := st.asks("amy", time.Hour, core.Propose{Command: core.ApplyHaircut{Name: "autumn"}}); code != "" {
		t.Fatal(code)
	}
	if code := st.asks("cat", time.Hour, core.Propose{Command: core.ApplyHaircut{Name: "autumn", Cluster: "tiger"}}); code != core.NameTaken {
		t.Errorf("the same wave by its cluster: %q, want that it is proposed already", code)
	}
	st.do(time.Hour, core.ApplyHaircut{Name: "autumn"}) // by Muster's own parts, for which one is enough
	if code := st.asks("ben", time.Hour, core.AnswerProposal{ID: 1, Approve: true}); code != core.NothingToDo || st.s.Haircut("autumn").Waves[1].Applied != 0 {
		t.Errorf("approved after its wave is in force: %q; the next wave was applied at %v", code, st.s.Haircut("autumn").Waves[1].Applied)
	}
}

// A plan that takes the place of the one that was proposed is not approved with it, and its wave is proposed anew.
func TestAProposalIsOfThePlanThatWasShown(t *testing.T) {
	st := overGranted(t)
	policy := plainPolicy()
	policy.Buffer.Share, policy.TwoPeople.Waves = 333, true
	st.do(0, core.SetPolicy{Policy: policy})
	wave := core.Propose{Command: core.ApplyHaircut{Name: "autumn"}}
	if code := st.asks("amy", time.Hour, wave); code != "" {
		t.Fatal(code)
	}
	st.do(2*time.Hour, core.DeleteHaircut{Name: "autumn"})
	st.do(2*time.Hour, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisQuota}}, core.TellHaircut{Name: "autumn"})
	if !core.MovedOn(st.s, st.s.Proposal(1)) {
		t.Error("the proposal is not stale")
	}
	if code := st.asks("ben", 3*time.Hour, core.AnswerProposal{ID: 1, Approve: true}); code != core.Stale || st.s.Haircut("autumn").Waves[0].Applied != 0 {
		t.Errorf("approved after another plan took its place: %q", code)
	}
	if code := st.asks("amy", 3*time.Hour, wave); code != "" {
		t.Errorf("proposed anew: %q", code)
	}
	if code := st.asks("ben", 3*time.Hour, core.AnswerProposal{ID: 2, Approve: true}); code != "" {
		t.Errorf("approved: %q", code)
	}
}

// What time alone will bring stops no wave: work that starts when nodes are back waits for them, and not for the wave's undoing.
func TestTheGateIsOpenForWorkThatStartsAnyway(t *testing.T) {
	st := overGranted(t)
	st.do(0, core.DeleteHaircut{Name: "autumn"})
	for i := range 2 {
		st.do(0, job("ns", string(rune('x'+i)), "elm", fleet.Mid, pool("p", 0, 8, 1)))
	}
	st.do(0, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisCluster}}, core.TellHaircut{Name: "autumn"})
	st.do(1, core.ApplyHaircut{Name: "autumn"})
	p, fail := st.s.Partition("tiger/h200"), 6
	for _, n := range p.Nodes {
		if fail > 0 && n.InUse() == 0 {
			st.do(2, core.SetNodes{Names: []string{n.Name}, State: fleet.Probation})
			fail--
		}
	}
	for i := range p.Account("oak").Grant / 8 {
		st.do(3, job("ns", string(rune('a'+i)), "oak", fleet.Mid, pool("p", 0, 8, 1)))
	}
	waits := 0
	for _, w := range st.s.Workloads {
		if w.State == fleet.Pending {
			waits++
		}
	}
	if stops := core.GateOf(st.s, st.s.Haircut("autumn"), 0, moment(4)); waits == 0 || len(stops) == 0 {
		t.Errorf("%d jobs wait for nodes in probation, and the gate says %v", waits, stops)
	}
	if stops := core.GateOf(st.s, st.s.Haircut("autumn"), 0, moment(30*24*time.Hour)); len(stops) > 0 {
		t.Errorf("once the probation is over the gate says %v", stops)
	}
}
