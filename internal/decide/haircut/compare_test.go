package haircut_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestEffectCountsWhoIsOverThoughNothingIsCut: a partition above the line that a
// plan cuts nothing in is above the line even so.
func TestEffectCountsWhoIsOverThoughNothingIsCut(t *testing.T) {
	h := fleet.Haircut{
		Waves: []fleet.Wave{{Cluster: "tiger", Parts: []fleet.CutPart{{
			Partition: "tiger/h200", Assigned: 80, Sustainable: 64, Excess: 16,
			Cuts: []fleet.Cut{{Quota: "a", Owner: "ada", Was: 48, Now: 40, Unscheduled: 8}, {Quota: "b", Owner: "ada", Was: 32, Now: 24, Rest: 8, Gang: 32}},
		}}}},
		Fit: []fleet.CutPart{
			{Partition: "lynx/h100", Assigned: 40, Sustainable: 32, Excess: 8},
			{Partition: "puma/h100", Assigned: 8, Sustainable: 32, Unallocated: 24},
		},
	}
	want := haircut.Effect{
		Clusters: 2, Sustainable: 128, Excess: 24, Quotas: 2, People: 1, BelowGang: 1,
		Cut: haircut.Sums{Total: 16, Unscheduled: 8, Rest: 8},
	}
	if got := haircut.EffectOf(&h); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
