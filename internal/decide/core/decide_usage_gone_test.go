package core

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestWhatNobodyMeasuresIsNotIdle asks that a workload whose monitor has gone is
// neither idle nor busy, and that this is said once.
func TestWhatNobodyMeasuresIsNotIdle(t *testing.T) {
	s := fleet.NewState()
	w := &fleet.Workload{ID: 1, Spec: fleet.Spec{Namespace: "oak", Name: "train"}, State: fleet.RunningW}
	is := Measured{Namespace: "oak", Name: "train", SM: 10, Tensor: fleet.Unmeasured, Network: fleet.Unmeasured}
	gone := is
	gone.SM = fleet.Unmeasured
	if news(s, w, gone) {
		t.Error("that nobody measures it is news though nobody ever did")
	}
	s.Measure(w, is.SM, is.Tensor, is.Network, 1)
	if w.IdleFor(fleet.Instant(1)) != 0 || w.Usage.IdleSince == 0 {
		t.Fatalf("usage is %+v", w.Usage)
	}
	if refusal := checkMeasured(gone); refusal != nil || !news(s, w, gone) {
		t.Errorf("that nobody measures it any more: refused %v", refusal)
	}
	e := event.UsageMeasured{Workload: 1, SM: gone.SM, Tensor: gone.Tensor, Network: gone.Network}
	if s.Measure(w, e.SM, e.Tensor, e.Network, 2); w.Usage != nil || w.IdleFor(1<<60) != 0 || news(s, w, gone) {
		t.Errorf("afterwards usage is %+v", w.Usage)
	}
	if refusal := checkMeasured(Measured{SM: -2}); refusal == nil {
		t.Error("an activity of -2 is taken")
	}
}
