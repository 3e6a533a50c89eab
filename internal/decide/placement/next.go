package placement

import (
	"cmp"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Next is the next decision of the partition, if there is one.
func (pl *Planner) Next() (Plan, bool) {
	clear(pl.back)  // the state has changed since
	if !pl.open() { // no step changes that
		return pl.releaseUnusable()
	}
	steps := [...]func(*Planner) (Plan, bool){
		(*Planner).giveUpRoom,      // 1. reserved room in which nothing can start is given up
		(*Planner).mendGangs,       // 2. gangs that lost nodes get others, or go back
		(*Planner).admitGuaranteed, // 3. what fits its quota's backing, quota by quota
		(*Planner).admitBorrowing,  // 4. what fits its tree's backing, tree by tree
		(*Planner).growInQuota,     // 5. elastic pools in quota, before flex: it would be evicted at once
		(*Planner).startInQuota,    // 6. who waited for victims starts when they have gone, and no work comes first
		(*Planner).admitFlex,       // 7. flex, the namespace with the least first
		(*Planner).growOnFlex,      // 8. elastic pools on flex
		(*Planner).startOnFlex,     // 9. as 6, on flex
	}
	for _, step := range steps {
		if plan, ok := step(pl); ok {
			return plan, true
		}
	}
	return Plan{}, false
}

// Again makes a new plan for the unit of an earlier plan, in the state as it is now and before
// anything else is decided. It says false where there is none, and for growth and mending: Next
// comes to them in their order.
func (pl *Planner) Again(plan Plan) (Plan, bool) {
	clear(pl.back)
	w, part := plan.Workload, plan.Part()
	if plan.Kind != Place || !asks(w, part.Pool) || pl.isWithheld(w, part.Pool) {
		return Plan{}, false
	}
	rank := w.BaseRank()
	if part.Pool != fleet.Base {
		rank = w.Pools[part.Pool].Rank
	}
	it := fleet.Waiting{Workload: w, Pool: part.Pool, Key: fleet.KeyOf(w, rank, false)}
	plan, ok := pl.offer(it)
	return plan, ok && !pl.betterInAnother(it, plan)
}

// asks says whether a part of a workload waits for room: all of it until it has some, a pool of it below its min while
// it runs. What a turn took back may have been the start that let the pool join.
func asks(w *fleet.Workload, pool int) bool {
	if pool == fleet.Base {
		return w.State == fleet.Pending
	}
	return w.State == fleet.RunningW && w.Stays(pool) < w.Pools[pool].Min
}

// giveUpRoom gives up reserved room in which nothing can start any more.
func (pl *Planner) giveUpRoom() (Plan, bool) {
	if pl.keptAt == pl.p.Shifted()+1 {
		return Plan{}, false
	}
	for _, w := range pl.p.Reserving() {
		if plan, ok := pl.releaseOutOfUse(w); ok {
			return plan, true
		}
		if plan, ok := releaseUncovered(w); ok {
			return plan, true
		}
	}
	pl.keptAt = pl.p.Shifted() + 1
	return Plan{}, false
}

// startInQuota starts work in quota whose reserved room is free. All that could take the room has been
// asked before: what starts is not evicted by the same decision.
func (pl *Planner) startInQuota() (Plan, bool) { return pl.startReserved(false) }

// startOnFlex starts flex work whose reserved room is free.
func (pl *Planner) startOnFlex() (Plan, bool) { return pl.startReserved(true) }

// startReserved starts the first workload of one side, flex or in quota, whose reserved room is free.
func (pl *Planner) startReserved(flex bool) (Plan, bool) {
	if pl.restedAt == pl.p.Shifted()+1 || len(pl.p.Reserving()) == 0 {
		return Plan{}, false
	}
	if w := pl.firstVacated(flex); w != nil {
		return Plan{Kind: Start, Workload: w}, true
	}
	if flex {
		pl.restedAt = pl.p.Shifted() + 1
	}
	return Plan{}, false
}

// firstVacated is the workload of one side that starts first of those whose reserved room is free. Once it runs, a pool
// of it may join, or others may pass the head that waits for its end: at the cost of work that has not started.
func (pl *Planner) firstVacated(flex bool) (first *fleet.Workload) {
	var awaited map[uint64]bool // much may leave where little has reserved room: it is asked only for that
	for _, w := range pl.p.Reserving() {
		if w.Flexes() != flex || first != nil && !comesFirst(w, first) {
			continue
		}
		if awaited == nil {
			awaited = pl.awaited()
		}
		if !awaited[w.ID] && pl.vacated(w) {
			first = w
		}
	}
	return first
}

// awaited are the numbers of the workloads for which others still leave.
func (pl *Planner) awaited() map[uint64]bool {
	all := map[uint64]bool{}
	for _, w := range pl.p.Leaving() {
		if w.For != 0 {
			all[w.For] = true
		}
	}
	return all
}

// comesFirst says who of two starts first where the room of both is free: new work and gangs that are mended before growth, guaranteed
// work before what borrows, and then by their order. So what joins the first evicts nothing that started before it.
func comesFirst(a, b *fleet.Workload) bool {
	return cmp.Or(
		threeWay(!runs(a) && runs(b), !runs(b) && runs(a)),
		byStanding(a, b),
	) < 0
}

// runs says whether a workload runs without the room that is reserved for it: a pool of it may join already.
func runs(w *fleet.Workload) bool { return w.Started != 0 && w.State != fleet.Mending }

// byStanding orders workloads by how they hold their GPUs, the best first, and then by their order.
func byStanding(a, b *fleet.Workload) int {
	return cmp.Or(
		cmp.Compare(standsAs(a), standsAs(b)),
		fleet.KeyOf(a, a.BaseRank(), false).Compare(fleet.KeyOf(b, b.BaseRank(), false)),
	)
}

// vacated says that the tree's usage has room for a workload for which nothing
// has to leave any more, and that its nodes are free.
func (pl *Planner) vacated(w *fleet.Workload) bool {
	if w.Account() != nil && !pl.treeHasLeft(w) {
		return false
	}
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Phase == fleet.Reserved && !pl.free(w, r.Node) {
				return false
			}
		}
	}
	return true
}

// treeHasLeft says whether the tree's covered work fits its backing with those
// what still leaves, except for another workload's room: that counts once already.
func (pl *Planner) treeHasLeft(w *fleet.Workload) bool {
	tree := w.Account().Root()
	if tree.Usage() <= pl.backedGPUs(tree) || !tree.Leaves() {
		return true
	}
	leaving := 0
	for _, other := range pl.p.Leaving() {
		if a := other.Account(); a != nil && a.Root() == tree && (other.For == 0 || other.For == w.ID) {
			leaving += leavingGPUs(other)
		}
	}
	return leaving == 0 || pl.withoutUnprotected(tree).gpus+leaving <= pl.backedGPUs(tree)
}

func leavingGPUs(w *fleet.Workload) int {
	t := 0
	for i, p := range w.Pools {
		t += w.InPhase(i, fleet.Leaving) * p.GPUs
	}
	return t
}

// free says whether a node has physical room for everything that w has reserved
// there, beside what workloads before it have reserved.
func (pl *Planner) free(w *fleet.Workload, node int) bool {
	n := pl.p.Nodes[node]
	if !n.State.Usable() || n.InUse() >= n.Good() { // most often others have not left yet
		return false
	}
	wants := 0
	for _, r := range n.Residents() {
		if r.Phase == fleet.Reserved && (r.Workload == w || startsBefore(r.Workload, w)) {
			wants += r.GPUs()
		}
	}
	return n.InUse()+wants <= n.Good() && !pl.outlastsReserved(w, node)
}

// startsBefore says who of two with reserved room on a node starts first: whose room
// was reserved first, for what leaves by an order given since then ran there when
// it was counted as room for neither. Of one record: work in quota before flex,
// who has not started before who grows, and then their order.
func startsBefore(a, b *fleet.Workload) bool {
	switch {
	case a.Reserved != b.Reserved:
		return a.Reserved < b.Reserved
	case a.Flexes() != b.Flexes():
		return b.Flexes()
	case (a.Started == 0) != (b.Started == 0):
		return a.Started == 0
	}
	return fleet.KeyOf(a, a.BaseRank(), false).Before(fleet.KeyOf(b, b.BaseRank(), false))
}
