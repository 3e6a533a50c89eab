package fleet

import (
	"math"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What a rollout took is maintenance, by whatever name its cause has: it is not charged to hardware.
func TestWhatARolloutTookIsMaintenance(t *testing.T) {
	b := burnedOf(&musterv1.Target{Target: 0.9, BudgetGpuHours: 100, BurnedBy: []*musterv1.Burn{
		{Cause: "rollout driver-580", GpuHours: 20}, {Cause: "maintenance", GpuHours: 10}, {Cause: "maintenance host-update", GpuHours: 10}, {Cause: "XID 79", GpuHours: 50}, {Cause: "evicted: flex", GpuHours: 5},
	}})
	for what, c := range map[string][2]float64{"hardware": {b.hardware, 0.05}, "maintenance": {b.maintenance, 0.04}, "evictions": {b.evictions, 0.005}, "kept": {b.kept(), 0.91}} {
		if math.Abs(c[0]-c[1]) > 1e-9 {
			t.Errorf("%s is %g, want %g", what, c[0], c[1])
		}
	}
}
