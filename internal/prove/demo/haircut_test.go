package demo_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestAHaircutIsAppliedWhileTheFleetLivesOn: every quota is cut by 15 %. Work lives for minutes, and between the
// plan, the telling and each wave minutes pass; every wave still comes into force, with a
// reason, and all of it is undone.
func TestAHaircutIsAppliedWhileTheFleetLivesOn(t *testing.T) {
	w := newWorld(t)
	w.pass(10 * time.Minute)
	grants := w.grants()
	do := func(c core.Command) {
		t.Helper()
		w.do(core.Request{Command: c, Actor: core.System, Reason: "15 % less for everybody"})
	}
	do(core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisQuota, Buffer: &fleet.Buffer{Kind: fleet.Fixed, Share: 150}}})
	w.pass(2 * time.Minute)
	do(core.TellHaircut{Name: "autumn"})
	waves := 0
	w.read(func(s *fleet.State) { waves = len(s.Haircut("autumn").Waves) })
	for range waves {
		w.pass(4 * time.Minute)
		do(core.ApplyHaircut{Name: "autumn"})
		w.sound()
	}
	if waves < 2 {
		t.Errorf("%d waves: too few to show that one follows another", waves)
	}
	for range waves {
		w.pass(time.Minute)
		do(core.UndoHaircut{Name: "autumn"})
		w.sound()
	}
	for at, gpus := range w.grants() {
		if grants[at] != gpus {
			t.Errorf("%s was granted %d GPUs, and is granted %d after all is undone", at, grants[at], gpus)
		}
	}
}

// TestAWaveIsNeverSilent: whatever the fleet does meanwhile, a wave without a reason is
// refused only because it names work of which its people were not told.
func TestAWaveIsNeverSilent(t *testing.T) {
	w := newWorld(t)
	w.pass(10 * time.Minute)
	w.do(core.Request{Command: core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisQuota}}, Actor: core.System})
	w.do(core.Request{Command: core.TellHaircut{Name: "autumn"}, Actor: core.System})
	asked := 0
	for range 20 {
		w.pass(time.Minute)
		var no *core.Refusal
		w.read(func(s *fleet.State) {
			_, no = core.Decide(s, core.Request{Command: core.ApplyHaircut{Name: "autumn"}, Actor: core.System}, w.now)
		})
		if no == nil {
			continue
		}
		if asked++; no.Code != core.ReasonNeeded {
			t.Errorf("%v", no)
		}
	}
	t.Logf("a reason was asked for %d times in 20 minutes", asked)
}

// grants lists what is granted, by quota and partition.
func (w *world) grants() map[string]int {
	list := map[string]int{}
	w.read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			for _, a := range p.Accounts {
				list[a.Quota+" "+p.ID] = a.Grant
			}
		}
	})
	return list
}
