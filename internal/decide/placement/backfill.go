package placement

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The ways in which a waiting unit may be admitted in quota.
const (
	HoldGuaranteed = fleet.HoldsGuaranteed
	HoldBorrowing  = fleet.HoldsBorrowing
)

// head is the first waiting unit of a queue that holds a reservation: it fits
// the present backing, but not yet. Those behind may pass only if they cannot delay it.
type head struct {
	it       fleet.Waiting
	reserves bool
	account  *fleet.Account
	gpus     int
	backed   int
	stays    int
	tree     string

	shadow fleet.Instant // when the head should start; Never if nobody can know
	known  bool
}

// consider makes a unit the head of its quota's queue if nobody is yet and it
// fits the quota's present backing.
func (h *head) consider(pl *Planner, a *fleet.Account, it fleet.Waiting) {
	if h.reserves || !pl.fitsBeside(a, it, false) {
		return
	}
	backed := a.BackedGPUs() - heldFrom(a, it.Workload)
	*h = head{it: it, reserves: true, account: a, gpus: gpusFor(it), backed: backed, stays: a.Stays()}
}

// considerTree makes a unit the head of its tree's borrowers if it fits the
// tree's backing but not its quota's.
func (h *head) considerTree(pl *Planner, a *fleet.Account, it fleet.Waiting) {
	if h.reserves || pl.fitsBeside(a, it, false) || !pl.fitsBeside(a, it, true) {
		return
	}
	backed := pl.backedGPUs(a.Root()) - heldFrom(a, it.Workload)
	*h = head{it: it, reserves: true, account: a, tree: a.Tree(), gpus: gpusFor(it), backed: backed, stays: a.Root().Stays()}
}

// work is the running work that the head waits for: its quota's or its tree's.
func (h *head) work() (list []*fleet.Workload) {
	if h.tree == "" {
		return h.account.Work()
	}
	for _, a := range h.account.Root().Accounts() {
		list = append(list, a.Work()...)
	}
	return list
}

// bars says whether a unit behind the head must wait for it: it may pass if the
// head could evict it, or if it will be gone when the head should start.
func (h *head) bars(pl *Planner, it fleet.Waiting, as fleet.Holds) bool {
	if !h.reserves || it.Workload == h.it.Workload {
		return false
	}
	if h.it.Key.Importance().Above(it.Key.Importance()) {
		return false
	}
	if as == HoldBorrowing && h.tree == "" {
		return false
	}
	return !h.endsInTime(pl, it)
}

// endsInTime says whether the unit, started now, cannot delay the head: it ends
// before the head should start, or leaves the head enough at that moment.
func (h *head) endsInTime(pl *Planner, it fleet.Waiting) bool {
	if !h.known {
		h.shadow, h.known = h.shadowTime(pl.now), true
	}
	w := it.Workload
	return h.shadow != fleet.Never && w.MaxRuntime > 0 && pl.now.Add(w.MaxRuntime) <= h.shadow
}

// shadowTime is when enough running work has reached its declared maximum for
// the head to fit, by count.
func (h *head) shadowTime(now fleet.Instant) fleet.Instant {
	type end struct {
		at   fleet.Instant
		gpus int
	}
	var ends []end
	for _, w := range h.work() {
		if w.MaxRuntime > 0 && w.Started != 0 {
			ends = append(ends, end{max(now, w.Started.Add(w.MaxRuntime)), w.GPUs()})
		}
	}
	sort.SliceStable(ends, func(i, j int) bool { return ends[i].at < ends[j].at })
	left := h.stays + h.gpus - h.backed
	for _, e := range ends {
		if left -= e.gpus; left <= 0 {
			return e.at
		}
	}
	return fleet.Never
}

// fitsBeside is fitsEmpty beside what others hold inside the quota: one that
// would need that holds up nobody.
func (pl *Planner) fitsBeside(a *fleet.Account, it fleet.Waiting, tree bool) bool {
	if barred := barredFrom(a, it.Workload); barred > 0 {
		backed := a.BackedGPUs()
		if tree {
			backed = pl.backedGPUs(a.Root())
		}
		if gpusFor(it) > backed-barred {
			return false
		}
	}
	return pl.fitsEmpty(a, it, tree)
}

// fitsEmpty says whether a unit would fit the backing of its quota (or tree) if
// nothing ran there: in number, and each gang in one island.
func (pl *Planner) fitsEmpty(a *fleet.Account, it fleet.Waiting, tree bool) bool {
	if it.Pool == fleet.Base && len(it.Workload.Pools) == 1 && it.Workload.Pools[0].Reach != fleet.ReachRack {
		return pl.onePoolFitsEmpty(a, it.Workload.Pools[0], tree)
	}
	nodes := slices.Clone(a.Backing)
	for i := range nodes {
		if tree {
			nodes[i] = a.Root().Backing(i)
		}
	}
	if it.Pool != fleet.Base {
		pl.beside(it.Workload, nodes)
	}
	return pl.privateCluster(nodes).packs(needs(nil, it))
}

// onePoolFitsEmpty is fitsEmpty for a workload of one pool, which most are.
func (pl *Planner) onePoolFitsEmpty(a *fleet.Account, pool fleet.Pool, tree bool) bool {
	per := pl.p.GPUsPerNode / max(1, pool.GPUs)
	if per == 0 {
		return false
	}
	want := (pool.Min + per - 1) / per
	whole := a.BackedNodes()
	if tree {
		whole = a.Root().BackedNodes()
	}
	if want > whole || pool.Reach == fleet.ReachAny || want <= 1 {
		return want <= whole
	}
	if !tree {
		return largestBacking(a) >= want
	}
	for _, other := range a.Root().Accounts() {
		for _, i := range other.Islands() {
			if a.Root().Backing(i) >= want {
				return true
			}
		}
	}
	return false
}

// largestBacking is the most nodes that back an account in one island.
func largestBacking(a *fleet.Account) int {
	most := 0
	for _, i := range a.Islands() {
		most = max(most, a.Backing[i])
	}
	return most
}

// beside takes the nodes out that a workload's own replicas fill: a pool that
// joins finds room beside them or not at all.
func (pl *Planner) beside(w *fleet.Workload, nodes []int) {
	own := map[int]int{}
	for i, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Phase != fleet.Leaving {
				own[r.Node] += w.Pools[i].GPUs
			}
		}
	}
	for node, gpus := range own {
		if n := pl.p.Nodes[node]; gpus >= n.GPUs {
			nodes[n.Island]--
		}
	}
}
