package core_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// starting is a fleet whose flex work leaves for a gang of oak: ten of twelve nodes are
// reserved for it, and nothing runs there yet.
func starting(t *testing.T) tale {
	st := overGranted(t)
	st.do(0, core.DeleteHaircut{Name: "autumn"})
	st.do(0, core.SetPolicy{Policy: plainPolicy()})
	st.do(0, job("fir", "sweep", "flex", fleet.Mid, pool("p", 0, 8, 12)))
	st.do(0, job("ns", "gang", "oak", fleet.Mid, pool("p", 0, 8, 10)))
	if w := st.s.Workload("ns", "gang"); w.State != fleet.Starting {
		t.Fatalf("the gang is %v", w.State)
	}
	return st
}

// TestAHaircutNamesWorkThatLosesItsReservedRoom: nothing of it runs yet, so it does not become
// unprotected; it goes back to its queue, and the plan and its letters say so.
func TestAHaircutNamesWorkThatLosesItsReservedRoom(t *testing.T) {
	st := starting(t)
	h, refusal := core.DraftHaircut(st.s, haircut.Ask{Basis: fleet.BasisQuota, Buffer: &fleet.Buffer{Kind: fleet.Fixed, Share: 333}}, moment(1))
	if refusal != nil {
		t.Fatal(refusal)
	}
	var named []fleet.Touched
	for _, part := range haircut.Parts(&h) {
		named = append(named, part.Requeued...)
	}
	if want := (fleet.Touched{Workload: "ns/gang", Quota: "oak", Owner: "oak-owner", GPUs: 80}); len(named) != 1 || named[0] != want {
		t.Errorf("the plan names %v, want %v", named, want)
	}
}

// TestAWaveThatTakesReservedRoomUntoldNeedsAReason: the gang came after the plan.
func TestAWaveThatTakesReservedRoomUntoldNeedsAReason(t *testing.T) {
	st := overGranted(t)
	st.do(0, core.DeleteHaircut{Name: "autumn"})
	st.do(0, core.SetPolicy{Policy: plainPolicy()})
	st.do(0, core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisQuota, Buffer: &fleet.Buffer{Kind: fleet.Fixed, Share: 333}}})
	st.do(0, core.TellHaircut{Name: "autumn"})
	st.do(0, job("fir", "sweep", "flex", fleet.Mid, pool("p", 0, 8, 12)))
	st.do(0, job("ns", "gang", "oak", fleet.Mid, pool("p", 0, 8, 10)))
	if refusal := st.applyFor(""); refusal == nil || refusal.Code != core.ReasonNeeded {
		t.Errorf("without a reason: %v", refusal)
	}
	if refusal := st.applyFor("the nodes are needed"); refusal != nil {
		t.Errorf("with a reason: %v", refusal)
	}
}
