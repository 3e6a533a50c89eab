package placement

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// candidateVictim is a unit that a claim may evict, with what that would cost.
type candidateVictim struct {
	unit
	class     Class
	flex      int            // GPUs that its namespace has on flex
	lost      int            // GPU-seconds since its last checkpoint
	all       unit           // all that leaves with it
	successor successorState // whether it has one if nobody else leaves
}

// cheaper orders candidates: by dearness, then the least work lost, then surplus
// before what it is surplus of, then the last submitted.
func (a *candidateVictim) cheaper(b *candidateVictim) bool {
	switch {
	case dearer(b, a):
		return true
	case dearer(a, b):
		return false
	case a.lost != b.lost:
		return a.lost < b.lost
	case a.key.Surplus != b.key.Surplus:
		return a.key.Surplus
	}
	return b.key.Before(a.key)
}

// dearer says whether one candidate is kept rather than another, whatever they
// lose (semantics §5): who overran its declared maximum goes first, then class,
// then the least important; on flex the namespace with the most flex before that.
func dearer(a, b *candidateVictim) bool {
	switch {
	case a.overran != b.overran:
		return b.overran
	case a.class != b.class:
		return a.class > b.class
	case a.flex != b.flex:
		return a.flex < b.flex
	}
	return a.key.Importance().Above(b.key.Importance())
}

// frees says whether evicting the unit makes room in the count of the claim's tree.
func (a *candidateVictim) frees(c *claim) bool {
	return c.account != nil && a.w.Tree() == c.account.Tree() && a.class != ClassUnprotected
}

// freed is how many GPUs fewer the claim's tree must cover once the victim and
// all that leaves with it are gone.
func (a *candidateVictim) freed(c *claim) int { return freedWith(c, &a.unit) }

// freedWith is how many GPUs fewer the claim's tree must cover without a unit and
// all that leaves with it.
func freedWith(c *claim, u *unit) int {
	if c.account == nil || u.w.Tree() != c.account.Tree() {
		return 0
	}
	gpus := 0
	u.eachLeaving(func(pool int, r fleet.Replica) {
		if c.holds != fleet.HoldsGuaranteed || r.Holds != fleet.HoldsUnprotected {
			gpus += u.w.Pools[pool].GPUs
		}
	})
	return gpus
}

// eachLeaving calls fn for the replicas that leave with a unit, its own among
// them, each with its pool.
func (u *unit) eachLeaving(fn func(pool int, r fleet.Replica)) {
	for i, replicas := range u.w.Replicas {
		if u.pool != fleet.Base && u.pool != i {
			continue
		}
		for at, r := range replicas {
			if r.Phase != fleet.Leaving && (!u.key.Surplus || u.index == at) {
				fn(i, r)
			}
		}
	}
}

// preempt plans a claim that finds no free room: it looks for the cheapest set
// of victims that lets the claim start, island by island where its reach asks for one.
func (pl *Planner) preempt(c *claim) (Plan, bool) {
	own, ok := pl.evictableInQuota(c)
	if !ok {
		return Plan{}, false
	}
	if pl.lacking = max(pl.lacking, fleet.LacksNodes); !pl.mayFit(c, own) {
		return Plan{}, false
	}
	list := make([]*candidateVictim, 0, len(own)+16)
	for _, v := range own {
		list = append(list, pl.candidate(*v.unit, v.class))
	}
	if !pl.fitsWithoutFlex(c, list) {
		return Plan{}, false
	}
	pl.lacking = fleet.LacksRoom
	list = append(list, pl.evictableFlex(c)...)
	spots, ok := pl.fits(c, list)
	if !ok {
		return Plan{}, false // not even with all of them gone
	}
	if len(list) == 0 {
		return pl.preemptionPlan(c, spots, nil), true // only what does not count for the claim was in its way
	}
	spots, victims, ok := pl.cheapestBorrowers(c, byCost(list))
	if !ok {
		return Plan{}, false
	}
	return pl.preemptionPlan(c, spots, victims), true
}

// preemptionPlan is the plan of a claim whose victims are chosen.
func (pl *Planner) preemptionPlan(c *claim, spots []fleet.Spot, victims []*candidateVictim) Plan {
	pl.give(c, spots, 1)
	plan := pl.finish(c, spots, asVictims(victims))
	pl.give(c, spots, -1)
	return plan
}

// asVictims joins chosen units by workload: who loses the lowest-rank pools loses all.
func asVictims(list []*candidateVictim) []Victim {
	var out []Victim
	at := map[uint64]int{}
	for _, v := range list {
		whole := v.pool == fleet.Base
		i, seen := at[v.w.ID]
		if !seen {
			i = len(out)
			at[v.w.ID] = i
			out = append(out, Victim{Workload: v.w, Class: v.class})
		}
		o := &out[i]
		o.Class = max(o.Class, v.class)
		if whole {
			o.Whole = true
			o.Spots = v.w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving })
		} else if !o.Whole && !v.follows(list) {
			o.Spots = join(o.Spots, v.all.spots)
		}
	}
	return out
}

// join adds spots to others, one spot per pool.
func join(spots, more []fleet.Spot) []fleet.Spot {
	for _, m := range more {
		i := slices.IndexFunc(spots, func(s fleet.Spot) bool { return s.Pool == m.Pool })
		if i < 0 {
			spots = append(spots, fleet.Spot{Pool: m.Pool, Nodes: slices.Clone(m.Nodes)})
			continue
		}
		spots[i].Nodes = append(spots[i].Nodes, m.Nodes...)
	}
	return spots
}

// evictable is a unit that a claim may evict, and as what.
type evictable struct {
	*unit
	class Class
}

// evictableInQuota lists the in-quota units that an in-quota claim may evict, in no order;
// false if the claim would not fit its tree's count even with all of them gone.
func (pl *Planner) evictableInQuota(c *claim) ([]evictable, bool) {
	list := pl.inQuota[:0]
	freed := 0
	for _, a := range pl.accountsInTheWay(c) {
		order := pl.orderWith(c, a)
		for _, u := range pl.accountUnits(a) {
			if class, ok := order.class(u); ok && (u.w != c.w || c.mends(u)) {
				list = append(list, evictable{u, class})
				freed += freedWith(c, u)
			} else if a == c.account {
				order.couldPush(u)
			}
		}
	}
	pl.inQuota = list
	return list, c.uncovered || c.covered.gpus-freed+c.gpus <= pl.backedGPUs(c.account.Root())
}

// mends says whether a unit of the claim's own workload gives way to the mending of a more important pool.
func (c *claim) mends(u *unit) bool {
	return c.needs[0].beside >= 0 && !c.w.Pools[c.needs[0].pool].Elastic && u.pool != fleet.Base && c.key.Importance().Above(u.key.Importance())
}

// accountsInTheWay lists the accounts with work that a claim may evict: its own,
// those of its tree with loose work, and, for guaranteed claims, all with loose work.
func (pl *Planner) accountsInTheWay(c *claim) []*fleet.Account {
	list := pl.inTheWay[:0]
	own := false
	for _, t := range pl.p.Unsettled() {
		if t != c.account.Root() && c.holds != fleet.HoldsGuaranteed || t.Loose() == 0 {
			continue
		}
		for _, a := range t.Accounts() {
			if a.Loose() > 0 || a == c.account {
				list, own = append(list, a), own || a == c.account
			}
		}
	}
	if !own {
		list = append(list, c.account)
	}
	slices.SortFunc(list, func(a, b *fleet.Account) int { return strings.Compare(a.Quota, b.Quota) })
	pl.inTheWay = list
	return list
}

// evictableFlex lists the flex work in the islands that a claim may use.
func (pl *Planner) evictableFlex(c *claim) []*candidateVictim {
	var list []*candidateVictim
	outside := func(node int) bool { return !c.mayUseVacated(pl.p.Nodes[node].Island) }
	for _, w := range pl.flexIn(c) {
		for _, u := range pl.unitsBy(w, outside) {
			if pl.inReach(c, u) {
				list = append(list, pl.candidate(u, ClassFlex))
			}
		}
	}
	return list
}

// flexIn lists the flex workloads in the islands that a claim may use, in order of ID.
func (pl *Planner) flexIn(c *claim) []*fleet.Workload {
	list := pl.flexWork[:0]
	for i, island := range pl.p.Islands {
		if c.mayUseVacated(i) {
			list = pl.addFlexOn(list, island.Nodes())
		}
	}
	list = byID(list)
	pl.flexWork = list
	return list
}

// addFlexOn adds the flex workloads that mean to stay on some nodes, in the order of these.
func (pl *Planner) addFlexOn(list []*fleet.Workload, nodes []int) []*fleet.Workload {
	for _, node := range nodes {
		for _, r := range pl.p.Nodes[node].Residents() {
			if r.Workload.Account() == nil && r.Phase != fleet.Leaving && (len(list) == 0 || list[len(list)-1] != r.Workload) {
				list = append(list, r.Workload)
			}
		}
	}
	return list
}

// byID sorts workloads by ID, each once.
func byID(list []*fleet.Workload) []*fleet.Workload {
	slices.SortFunc(list, func(a, b *fleet.Workload) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(list)
}

func (pl *Planner) inReach(c *claim, u unit) bool {
	for _, spot := range u.spots {
		for _, n := range spot.Nodes {
			if c.mayUseVacated(pl.p.Nodes[n].Island) {
				return true
			}
		}
	}
	return false
}

func byCost(list []*candidateVictim) []*candidateVictim {
	slices.SortStableFunc(list, func(a, b *candidateVictim) int { return threeWay(a.cheaper(b), b.cheaper(a)) })
	return list
}

func (pl *Planner) candidate(u unit, class Class) *candidateVictim {
	v := &candidateVictim{unit: u, class: class, all: allWith(u)}
	v.lost = int(u.w.Unsaved(pl.now).Seconds()) * v.running()
	if class == ClassFlex {
		v.flex = pl.p.FlexOf(u.w.Namespace).Staying
	}
	return v
}

// running is the GPUs of all that leaves with the unit and runs: what is only
// reserved loses no work.
func (u *unit) running() int {
	t := 0
	u.eachLeaving(func(pool int, r fleet.Replica) {
		if r.Phase == fleet.Running {
			t += u.w.Pools[pool].GPUs
		}
	})
	return t
}

// allWith is a unit with all that leaves with it: everything with the
// lowest-rank pools, a pool's surplus with its min.
func allWith(u unit) unit {
	if u.key.Surplus || len(u.w.Pools) == 1 && !u.w.Pools[0].Elastic {
		return u
	}
	spots := u.w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving })
	gpus := 0
	var kept []fleet.Spot
	for _, s := range spots {
		if u.pool == fleet.Base || s.Pool == u.pool {
			kept = append(kept, s)
			gpus += len(s.Nodes) * u.w.Pools[s.Pool].GPUs
		}
	}
	if gpus == u.gpus {
		return u
	}
	u.spots, u.gpus = kept, gpus
	return u
}

// classFor says whether a claim may evict a unit of an account as what it is now. A
// younger unit of equal importance that is guaranteed may stay: what passed a
// waiting head is not taken back when the head could start sooner than thought.
func classFor(c *claim, a *fleet.Account, u *unit) (Class, bool) {
	guaranteed := c.holds == fleet.HoldsGuaranteed
	sibling := a.Tree() == c.account.Tree()
	own := a == c.account
	less := c.key.Importance().Above(u.key.Importance())
	switch {
	case own && u.key.Before(c.key) && !(guaranteed && u.aside), usesForeignHold(c, a, u):
		return 0, false
	case guaranteed && u.holds == fleet.HoldsUnprotected:
		return ClassUnprotected, true
	case guaranteed && sibling && u.holds == fleet.HoldsBorrowing:
		return ClassBorrowing, true
	case guaranteed && own && less:
		return ClassImportance, true
	case !guaranteed && sibling && less && u.holds == fleet.HoldsBorrowing:
		return ClassBorrowing, true
	case own && givesWay(c, u):
		return ClassImportance, true
	}
	return 0, false
}

// givesWayAnyway says whether a unit of a claim's own quota gives way to it even where it
// is no borrower: less important work of a guaranteed claim's, and what givesWay.
func givesWayAnyway(c *claim, u *unit) bool {
	less := c.holds == fleet.HoldsGuaranteed && c.key.Importance().Above(u.key.Importance())
	return u.w.Account() == c.account && (less || givesWay(c, u))
}

// givesWay says whether a unit of the claim's own quota gives way to a claim of
// equal importance: surplus does, and work past its declared maximum to work that is not.
func givesWay(c *claim, u *unit) bool {
	overran := u.overran && c.holds == fleet.HoldsGuaranteed && c.key.Since != fleet.Never
	return (u.key.Surplus || overran) && !u.key.Importance().Above(c.key.Importance())
}
