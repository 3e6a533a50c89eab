package view

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Work whose owner agreed to a moment stops then; once that has passed, as soon as a visit may begin. Of what people
// announce the owner can choose the moment, and of what the provider does not.
func TestAnAgreedMomentIsAheadOrPast(t *testing.T) {
	f := PlannedFor{Workload: &fleet.Workload{ID: 1, Spec: fleet.Spec{Namespace: "oak", Name: "base", Target: "research"}}}
	now := fleet.InstantOf(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		provider bool
		agreed   fleet.Instant
		want     string
		help     bool
	}{
		{false, 0, "Work inside its quota is left alone until it ends", true},
		{false, now.Add(time.Hour), "at Sat 2026-11-21 13:00Z as was agreed, if visits of its nodes are due then", true},
		{false, now.Add(-time.Hour), "agreed to a stop from Sat 2026-11-21 11:00Z on. It stops once, as a whole and with its grace, as soon as a visit", true},
		{true, 0, "The provider takes the nodes at that moment", false},
	} {
		w := PlannedWork{State: fleet.VisitAnnounced, Impact: fleet.ImpactRestart, Provider: c.provider, Begins: now}
		if w.says(f, c.agreed, now); !strings.Contains(w.Becomes, c.want) || (w.Help != "") != c.help {
			t.Errorf("%q with help %q, want %q", w.Becomes, w.Help, c.want)
		}
	}
}
