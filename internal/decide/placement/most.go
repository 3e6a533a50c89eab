package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file bounds what each island could give a flex claim, so that a search island by
// island leaves out those that could not take it with all candidates gone. In a crowded
// partition most could not.

// mostGPUs bounds, by island, the GPUs that a claim could have there.
type mostGPUs struct {
	gpus []int
	// spans: a candidate there stands in other islands too, and may make room in those.
	spans []bool
}

// mostIn bounds what candidates could leave free in each island. Surplus of an elastic pool may
// be any of its replicas: each counts.
func (pl *Planner) mostIn(c *claim, list []*candidateVictim) mostGPUs {
	if len(c.needs) > 1 || c.needs[0].reach == fleet.ReachAny {
		return mostGPUs{}
	}
	m := mostGPUs{make([]int, len(pl.p.Islands)), make([]bool, len(pl.p.Islands))}
	for i, island := range pl.p.Islands {
		m.gpus[i] = island.Room()
	}
	pools := parts{}
	for _, v := range list {
		pl.countMost(&m, v.all)
		if pool := v.part(); v.key.Surplus && v.w.Flexes() && !pools[pool] {
			pools[pool] = true
			for _, r := range v.w.Replicas[v.pool] {
				m.gpus[pl.p.Nodes[r.Node].Island] += v.w.Pools[v.pool].GPUs
			}
		}
	}
	return m
}

// countMost counts what a unit leaves where it stands.
func (pl *Planner) countMost(m *mostGPUs, u unit) {
	first, several := -1, false
	u.eachNode(func(node, gpus int) {
		island := pl.p.Nodes[node].Island
		m.gpus[island] += gpus
		several = several || first >= 0 && first != island
		first = island
	})
	if several {
		u.eachNode(func(node, _ int) { m.spans[pl.p.Nodes[node].Island] = true })
	}
}

// mayTake says whether a claim could stand in an island, or elsewhere once a candidate has left both.
func (m mostGPUs) mayTake(c *claim, island int) bool {
	return m.gpus == nil || m.spans[island] || m.gpus[island] >= c.gpus
}
