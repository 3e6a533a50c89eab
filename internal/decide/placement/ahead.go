package placement

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file is what placement does about planned work that has not made a node leaving yet
// (maintenance §7): work prefers other nodes.

// Plans is what is planned on the nodes of a partition.
type Plans struct {
	// Ahead says of each node from when on planned work may disturb what stands there (fleet.Never:
	// not at all; nil: nowhere). It is asked at most once; nil: nothing is planned in the fleet.
	Ahead func() []fleet.Instant

	asked bool
	known []fleet.Instant
	shuns bool // nodes with planned work ahead are closed
}

func (pl *Planner) planned() []fleet.Instant {
	if !pl.asked {
		pl.asked = true
		if pl.Ahead != nil {
			pl.known = pl.Ahead()
		}
	}
	return pl.known
}

// disturbed says whether planned work may disturb the claim's work on a node: not where that has
// ended before, as its owner declared.
func (pl *Planner) disturbed(c *claim, node int) bool {
	return pl.Ahead != nil && pl.disturbedByPlan(c, node)
}

// disturbedByPlan is disturbed where there is planned work in the fleet.
func (pl *Planner) disturbedByPlan(c *claim, node int) bool {
	at := pl.planned()
	return len(at) > 0 && at[node] != fleet.Never && !pl.endsBefore(c, at[node])
}

// disturbedOf counts the nodes on which planned work may disturb the claim's work.
func (pl *Planner) disturbedOf(c *claim, nodes []int) (n int) {
	if pl.planned() == nil {
		return 0
	}
	for i, node := range nodes {
		if (i == 0 || nodes[i-1] != node) && pl.disturbed(c, node) {
			n++
		}
	}
	return n
}

// endsBefore says whether the claim's work ends before a moment, as its owner declared.
func (pl *Planner) endsBefore(c *claim, at fleet.Instant) bool {
	return c.w.MaxRuntime > 0 && pl.now.Add(c.w.MaxRuntime) <= at
}
