package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// backfill plans a unit that outlives the start of its queue's head: in a place that
// leaves the head its room. Whether there is one does not depend on what flex work
// does (decision record 0004): the place counts that the unit would have without any.
// There it starts if flex work would push it to where it delays the head.
func (pl *Planner) backfill(a *fleet.Account, it fleet.Waiting, h *head) (Plan, bool) {
	plan, ok := pl.guarantee(a, it)
	pl.lacking = fleet.LacksRoom
	if !ok || inQuotaVictims(plan) {
		return Plan{}, false
	}
	c := pl.claimOf(it, a, fleet.HoldsGuaranteed)
	spots, ok := pl.findIgnoringFlex(c)
	if !ok || !h.keepsRoom(pl, it, spots) {
		return Plan{}, false
	}
	if h.keepsRoom(pl, it, plan.Spots) {
		return plan, true
	}
	return pl.planAt(c, spots), true
}

// findIgnoringFlex finds the place that a claim would have inside its quota's backing if no
// flex work were there, and nobody of its quota had to leave.
func (pl *Planner) findIgnoringFlex(c *claim) ([]fleet.Spot, bool) {
	pl.limitByTree(c)
	if c.account.Stays()+c.gpus <= c.account.BackedGPUs() {
		pl.limitByQuota(c)
	} else {
		pl.limitByEarlier(c)
	}
	pl.ignoreFlex = true
	spots, ok := pl.find(c)
	pl.ignoreFlex = false
	if ok {
		pl.release(c, spots)
	}
	return spots, ok
}

// planAt is the plan of a claim whose place is chosen: flex work that stands in it leaves.
func (pl *Planner) planAt(c *claim, spots []fleet.Spot) Plan {
	pl.give(c, spots, 1)
	plan := pl.finish(c, spots, asVictims(pl.flexVictimsAt(spots)))
	pl.give(c, spots, -1)
	return plan
}

// keepsRoom says whether a unit leaves the head its room in a place: the head still fits
// its quota's private cluster at the moment when it should start, with what has
// ended by then gone and the unit there.
func (h *head) keepsRoom(pl *Planner, it fleet.Waiting, spots []fleet.Spot) bool {
	used, gpus := h.inUseAtShadow(pl)
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			used[node] += it.Workload.Pools[spot.Pool].GPUs
			gpus += it.Workload.Pools[spot.Pool].GPUs
		}
	}
	return gpus+h.gpus <= h.backed && h.fitsBesideUse(pl, used)
}

func inQuotaVictims(plan Plan) bool {
	for _, v := range plan.Victims {
		if v.Class != ClassFlex {
			return true
		}
	}
	return false
}

// inUseAtShadow is what of the quota's work has not ended when the head should start.
func (h *head) inUseAtShadow(pl *Planner) (used map[int]int, gpus int) {
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

// fitsBesideUse says whether the head fits the nodes that back its quota beside what uses them.
func (h *head) fitsBesideUse(pl *Planner, used map[int]int) bool {
	c := pl.privateCluster(h.account.Backing)
	for node, gpus := range used {
		c.use(pl.p.Nodes[node], gpus)
	}
	return c.packs(needs(nil, h.it))
}
