package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// UsageMeasured says: what a workload's GPUs are seen to do from now on. The
// figures are in thousandths of full activity; fleet.Unmeasured where nobody
// measured, and nothing is known of the workload where that is SM. A measurement that tells nothing new is no event (core/decide_measure.go).
type UsageMeasured struct {
	Workload uint64         `json:"workload"` // its ID
	SM       fleet.Permille `json:"sm"`       // busy by the plain figure: share of time in which SMs work
	Tensor   fleet.Permille `json:"tensor"`   // activity of the tensor cores
	Network  fleet.Permille `json:"network"`  // activity of the fabric: NVLink and InfiniBand together
}

// Kind is the event's stable name.
func (UsageMeasured) Kind() string { return "usage.measured" }
