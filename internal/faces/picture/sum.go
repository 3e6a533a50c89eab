package picture

import musterv1 "github.com/muster-fleet/muster/gen/muster/v1"

// Sum is the figures of all that an answer covers: the fleet's, or those of its
// partitions together.
func Sum(c *musterv1.CapacityResponse) *musterv1.Figures {
	if c.GetFleet() != nil {
		return c.GetFleet()
	}
	s := &musterv1.Figures{}
	for _, p := range c.GetPartitions() {
		f := p.GetFigures()
		s.Installed += f.GetInstalled()
		s.Healthy += f.GetHealthy()
		s.Promisable += f.GetPromisable()
		s.Assigned += f.GetAssigned()
		s.Backed += f.GetBacked()
		s.Unallocated += f.GetUnallocated()
		s.Scheduled += f.GetScheduled()
		s.Idle += f.GetIdle()
		s.Measured += f.GetMeasured()
	}
	return s
}
