package placement

import "github.com/muster-fleet/muster/internal/fleet"

// mayPass says whether a unit that outlives the head's start may take a place
// all the same: the head still fits its quota's private cluster at the moment
// when it should start, with what has ended by then gone and the unit there.
func (h *head) mayPass(pl *Planner, it fleet.Waiting, plan Plan) bool {
	if !h.known || h.shadow == fleet.Never || h.tree != "" || it.Workload.MaxRuntime == 0 || inQuotaVictims(plan) {
		return false
	}
	used, gpus := h.standingAtShadow(pl)
	for _, spot := range plan.Spots {
		for _, node := range spot.Nodes {
			used[node] += it.Workload.Pools[spot.Pool].GPUs
			gpus += it.Workload.Pools[spot.Pool].GPUs
		}
	}
	return gpus+h.gpus <= h.backed && h.packsBeside(pl, used)
}

func inQuotaVictims(plan Plan) bool {
	for _, v := range plan.Victims {
		if v.Class != ClassFlex {
			return true
		}
	}
	return false
}

// standingAtShadow is what of the quota's work has not ended when the head should start.
func (h *head) standingAtShadow(pl *Planner) (used map[int]int, gpus int) {
	used = map[int]int{}
	for _, w := range h.work() {
		if w.MaxRuntime > 0 && w.Started != 0 && w.Started.Add(w.MaxRuntime) <= h.shadow {
			continue
		}
		for _, u := range pl.units(w) {
			gpus += u.gpus
			u.eachNode(func(node, g int) { used[node] += g })
		}
	}
	return used, gpus
}

// packsBeside says whether the head fits the nodes that back its quota beside what uses them.
func (h *head) packsBeside(pl *Planner, used map[int]int) bool {
	c := pl.privateCluster(h.account.Backing)
	for node, gpus := range used {
		c.use(pl.p.Nodes[node], gpus)
	}
	return c.packs(needs(nil, h.it))
}
