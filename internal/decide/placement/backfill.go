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

	// returns: it is on its way back to its queue, and would start at once if it were back.
	// Then less important work waits for it, too: it would be evicted at once.
	returns bool

	shadow fleet.Instant // when the head should start inside its backing; Never if that is not known
	sooner fleet.Instant // when the head of a quota's queue should start by borrowing; Never if that is not known
	known  bool
}

// consider makes a unit the head of its quota's queue if there is none yet and it
// fits the quota's present backing.
func (h *head) consider(pl *Planner, a *fleet.Account, it fleet.Waiting) {
	if h.reserves || !pl.fitsBeside(a, it, false) {
		return
	}
	backed := a.BackedGPUs() - heldFrom(a, it.Workload)
	*h = head{it: it, reserves: true, account: a, gpus: gpusFor(it), backed: backed, stays: a.Stays()}
}

// considerReturning is consider for a unit on its way back to its queue.
func (h *head) considerReturning(pl *Planner, a *fleet.Account, it fleet.Waiting) {
	if h.reserves {
		return
	}
	part := Part{it.Workload.ID, it.Pool}
	now, known := pl.back[part]
	if !known {
		now.considerReturningNow(pl, a, it)
		pl.noteBack(part, now)
	}
	if now.reserves {
		*h = now
	}
}

// considerReturningNow is considerReturning for what is no head yet.
func (h *head) considerReturningNow(pl *Planner, a *fleet.Account, it fleet.Waiting) {
	if h.consider(pl, a, it); !h.reserves {
		return
	}
	h.shadow, h.sooner, h.known = max(pl.now, it.Workload.GraceEnds), fleet.Never, true
	if h.returns = h.keepsRoom(pl, it, nil) && pl.couldReturn(a, it); !h.returns {
		h.known = false
	}
}

// considerTree makes a unit the head of its tree's borrowers if it fits the
// tree's backing but not its quota's.
func (h *head) considerTree(pl *Planner, a *fleet.Account, it fleet.Waiting) {
	if h.reserves || pl.fitsBeside(a, it, false) {
		return
	}
	if borrower := pl.asBorrower(a, it); borrower.reserves {
		*h = borrower
	}
}

// asBorrower is a unit as the head of its tree's borrowers, if it fits the tree's backing.
func (pl *Planner) asBorrower(a *fleet.Account, it fleet.Waiting) head {
	if !pl.fitsBeside(a, it, true) || pl.rests(it) {
		return head{}
	}
	backed := pl.backedGPUs(a.Root()) - heldFrom(a, it.Workload)
	return head{it: it, reserves: true, account: a, tree: a.Tree(), gpus: gpusFor(it), backed: backed, stays: a.Root().Stays()}
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
func (h *head) bars(pl *Planner, it fleet.Waiting, as fleet.HeldAs) bool {
	if !h.reserves || it.Workload == h.it.Workload {
		return false
	}
	if h.it.Key.Importance().Above(it.Key.Importance()) && !h.returns && !pl.rests(it) {
		return false
	}
	if as == HoldBorrowing && h.tree == "" {
		return false
	}
	return !h.endsInTime(pl, it)
}

// passedBy is the head of a tree's borrowers that a unit of the head's own quota passes because the head may evict it,
// or 0. The head may do so also when the unit does not borrow any more (decision record 0023).
func (h *head) passedBy(a *fleet.Account, it fleet.Waiting) uint64 {
	if !h.reserves || h.account != a || it.Pool != fleet.Base || !h.it.Key.Importance().Above(it.Key.Importance()) {
		return 0
	}
	return h.it.Workload.ID
}

// endsInTime says whether the unit, started now, cannot delay the head: it ends
// before the head should start, by whichever way is the sooner.
func (h *head) endsInTime(pl *Planner, it fleet.Waiting) bool {
	if !h.known {
		h.shadow, h.sooner, h.known = h.shadowTime(pl), h.borrowingShadow(pl), true
	}
	w, starts := it.Workload, min(h.shadow, h.sooner)
	return starts != fleet.Never && w.MaxRuntime > 0 && pl.now.Add(w.MaxRuntime) <= starts
}

// shadowTime is when enough running work has reached its declared maximum for the head to fit: by count, and if such a moment
// is known, on the nodes that back its quota, too.
func (h *head) shadowTime(pl *Planner) fleet.Instant {
	type end struct {
		at   fleet.Instant
		gpus int
	}
	var ends []end
	left := h.gpus - h.backed + h.stays
	for _, w := range h.work() {
		evicted, kept := h.couldGain(pl, w)
		left -= evicted
		if kept > 0 && pl.hasKnownEnd(w) {
			ends = append(ends, end{w.Started.Add(w.MaxRuntime), kept})
		}
	}
	sort.SliceStable(ends, func(i, j int) bool { return ends[i].at < ends[j].at })
	byCount, tries := fleet.Never, mostShadows
	for _, e := range ends {
		if left -= e.gpus; left > 0 {
			continue
		}
		if byCount = min(byCount, e.at); h.tree != "" || tries == 0 || h.fitsAt(pl, e.at) {
			return e.at
		}
		tries--
	}
	return byCount
}

// hasKnownEnd says whether it is known when a workload has ended at the latest: not of one that runs longer than it declared.
func (pl *Planner) hasKnownEnd(w *fleet.Workload) bool {
	return w.MaxRuntime > 0 && w.Started != 0 && w.Started.Add(w.MaxRuntime) >= pl.now
}

// mostShadows bounds how many moments are looked at node by node for one head; after that the counts decide.
const mostShadows = 8

// fitsAt says whether the head fits the nodes that back its quota at a moment, beside what has not ended by then.
func (h *head) fitsAt(pl *Planner, at fleet.Instant) bool {
	then := *h
	then.shadow = at
	return then.keepsRoom(pl, h.it, nil)
}

// borrowingShadow is when the head of a quota's queue should start in its tree's backing, by count.
func (h *head) borrowingShadow(pl *Planner) fleet.Instant {
	if h.tree != "" || !h.account.Root().Borrows() {
		return fleet.Never
	}
	borrower := pl.asBorrower(h.account, h.it)
	if !borrower.reserves {
		return fleet.Never
	}
	return borrower.shadowTime(pl)
}

// couldGain is the GPUs of a workload that the head could take, and those for whose end it waits.
func (h *head) couldGain(pl *Planner, w *fleet.Workload) (evicted, kept int) {
	for _, u := range pl.units(w) {
		if h.couldEvict(&u) {
			evicted += u.gpus
		} else {
			kept += u.gpus
		}
	}
	return evicted, kept
}

// couldEvict says whether the head need not wait for a unit's end: it is surplus of the head's quota, less important work
// there, or work that runs longer than it declared. A head that borrows takes less important work only where that borrows, too.
func (h *head) couldEvict(u *unit) bool {
	mine, its, own := h.it.Key.Importance(), u.key.Importance(), u.w.Account() == h.account
	if own && (u.key.Surplus || u.overran && h.tree == "") && !its.Above(mine) {
		return true
	}
	return mine.Above(its) && (own && h.tree == "" || h.tree != "" && u.holds == fleet.HoldsBorrowing)
}

// standsAs is how a workload's lowest-rank pools hold, or will hold, their GPUs.
func standsAs(w *fleet.Workload) fleet.HeldAs {
	base := w.BaseRank()
	for i, p := range w.Pools {
		for _, r := range w.Replicas[i] {
			if p.Rank == base && r.Phase != fleet.Leaving {
				return r.HeldAs
			}
		}
	}
	return fleet.NoHolds
}

// heads are the waiting units of a queue that hold reservations: the first of
// all, and the first of those who share a hold. A unit that starts within a hold delays
// only its holders.
type heads struct {
	first head
	own   map[*fleet.Hold]*head
}

// consider makes a unit a head where none is yet, and it fits the present backing.
func (hs *heads) consider(pl *Planner, a *fleet.Account, it fleet.Waiting) {
	hs.first.consider(pl, a, it)
	h := holdOf(a, it.Workload)
	if h == nil {
		return
	}
	if hs.own == nil {
		hs.own = map[*fleet.Hold]*head{}
	}
	if hs.own[h] == nil {
		hs.own[h] = &head{}
	}
	hs.own[h].consider(pl, a, it)
}

// barring is the head for which a unit must wait, or nil.
func (hs *heads) barring(pl *Planner, a *fleet.Account, it fleet.Waiting, as fleet.HeldAs) *head {
	if hs == nil {
		return nil
	}
	h := holdOf(a, it.Workload)
	if (h == nil || !pl.withinHold(pl.claimOf(it, a, as))) && hs.first.bars(pl, it, as) {
		return &hs.first
	}
	if own := hs.own[h]; h != nil && own != nil && own.bars(pl, it, as) {
		return own
	}
	return nil
}

// holdOf is the first hold inside the quota that is for a workload, or nil.
func holdOf(a *fleet.Account, w *fleet.Workload) *fleet.Hold {
	for _, h := range a.InsideHolds() {
		if h.For(w) {
			return h
		}
	}
	return nil
}

// withinHold says whether what earlier work leaves of its holds takes a claim whole.
func (pl *Planner) withinHold(c *claim) bool {
	e := c.account.Earmarks()
	pl.eachEarlier(c, func(u *unit) { e.Take(u.w, u.counts()) })
	return e.Own(c.w) >= c.gpus
}

// borrowingHead is the head of a tree's borrowers, among those before a key if one is given.
func (pl *Planner) borrowingHead(tree *fleet.Tree, before *fleet.Key) head {
	h, walk, back := head{}, walkTree(tree), pl.returningTo(tree)
	consider := func(it fleet.Waiting, a *fleet.Account) {
		if before == nil || it.Key.Before(*before) {
			h.considerTree(pl, a, it)
		}
	}
	for it := walk.next(); it != nil && !h.reserves && (before == nil || it.Key.Before(*before)); it = walk.next() {
		for _, r := range earlierThan(&back, it.Key) {
			consider(r, r.Workload.ReturnsTo())
		}
		consider(*it, it.Account())
	}
	for _, r := range back {
		consider(r, r.Workload.ReturnsTo())
	}
	return h
}

// backfill plans a unit that outlives the start of its queue's head: in a place that
// leaves the head its room. Whether there is one does not depend on what flex work
// does (decision record 0004): the place counts that the unit would have without any.
// There it starts if flex work would push it to where it delays the head. That place is
// asked first: most units have none, and to look for victims costs a hundred times as much.
func (pl *Planner) backfill(a *fleet.Account, it fleet.Waiting, h *head) (Plan, bool) {
	pl.lacking = lacksRoom
	c, ok := pl.guaranteeClaim(a, it)
	if !ok {
		return Plan{}, false
	}
	spots, ok := pl.findIgnoringFlex(c)
	if !ok || !h.keepsRoom(pl, it, spots) {
		return Plan{}, false
	}
	plan, ok := pl.guarantee(a, it)
	pl.lacking = lacksRoom
	if !ok || inQuotaVictims(plan) {
		return Plan{}, false
	}
	if h.keepsRoom(pl, it, plan.Spots) {
		return plan, true
	}
	return pl.planAt(c, spots), true
}

// findIgnoringFlex finds the place that a claim would have inside its quota's backing if no
// flex work were there, and no work of its quota had to leave.
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
	return slices.ContainsFunc(plan.Victims, func(v Victim) bool { return v.Class != ClassFlex })
}

// inUseAtShadow is what of the quota's work has not ended when the head should start.
func (h *head) inUseAtShadow(pl *Planner) (used map[int]int, gpus int) {
	used = map[int]int{}
	for _, w := range h.work() {
		if pl.hasKnownEnd(w) && w.Started.Add(w.MaxRuntime) <= h.shadow {
			continue
		}
		for _, u := range pl.units(w) {
			if h.couldEvict(&u) {
				continue
			}
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
