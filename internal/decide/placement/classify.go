package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Change says that replicas from..to−1 of a pool now hold their GPUs in another way.
type Change struct {
	Workload *fleet.Workload
	Pool     int
	From, To int
	Holds    fleet.HeldAs
}

// Classify lists whose way of holding GPUs has changed. Units are guaranteed in
// the quota's order as long as they fit the backing, in number and on its nodes.
// What comes after borrows as long as the tree's backing covers it, and the rest is
// unprotected. All earlier units count, wherever they stand (semantics §5).
func (pl *Planner) Classify() []Change {
	var changes []Change
	for _, tree := range pl.unsettled() {
		if at := tree.Version(pl.p); pl.trees[tree] != at {
			pl.trees[tree] = at
			changes = append(changes, pl.classifyTree(tree)...)
		}
	}
	return changes
}

// unsettled lists the trees in which work may hold its GPUs otherwise than it does: also those with gangs that
// are being mended, which need more than stands of them.
func (pl *Planner) unsettled() []*fleet.Tree {
	list := pl.p.Unsettled()
	for _, w := range pl.p.Broken() {
		if a := w.Account(); a != nil && !slices.Contains(list, a.Root()) {
			list = append(slices.Clip(list), a.Root())
		}
	}
	return list
}

// judgedUnit is a standing unit and how it should hold its GPUs.
type judgedUnit struct {
	*unit
	holds fleet.HeldAs
}

func (pl *Planner) classifyTree(tree *fleet.Tree) []Change {
	backing, backed := make([]int, len(pl.p.Islands)), 0
	for i := range backing {
		backing[i] = tree.Backing(i)
	}
	inside, rest := pl.guarded[:0], pl.others[:0]
	for _, a := range tree.Accounts() {
		backed += a.BackedGPUs()
		inside, rest = pl.insideQuota(a, inside, rest)
	}
	c := pl.newCover(backed, backing)
	for _, u := range inside {
		c.add(u.unit)
	}
	// Work that is covered now stays so before any that is not: the end of one, or
	// nodes that come back, make no work unprotected.
	slices.SortStableFunc(rest, func(x, y judgedUnit) int {
		a, b := x.unit.holds == fleet.HoldsUnprotected, y.unit.holds == fleet.HoldsUnprotected
		if a != b {
			return threeWay(b, a)
		}
		return x.key.Compare(y.key)
	})
	for i, u := range rest {
		rest[i].holds = fleet.HoldsBorrowing
		if !c.add(u.unit) {
			c.undo(u.unit)
			rest[i].holds = fleet.HoldsUnprotected
		}
	}
	inside = append(inside, rest...)
	pl.guarded, pl.others = inside, rest
	return changesOf(inside)
}

// insideQuota splits an account's units: those inside its backing, in number in
// the quota's order and on its nodes, and the rest. On nodes too no unit loses its
// cover to one that has none; what leaves with a unit is inside only if that is.
func (pl *Planner) insideQuota(a *fleet.Account, inside, rest []judgedUnit) (in, out []judgedUnit) {
	var bare []*unit
	gpus, c := a.BackedGPUs(), pl.newCover(unlimited, a.Backing)
	var bareParts, outside parts
	try := func(u *unit) {
		if u.goesWith(outside) || !c.add(u) {
			outside.mark(u)
			rest = append(rest, judgedUnit{unit: u})
			return
		}
		inside = append(inside, judgedUnit{u, fleet.HoldsGuaranteed})
	}
	for _, u := range pl.accountUnits(a) {
		fits := !u.aside && gpus >= u.counts()
		if fits || !u.over { // what a hold keeps out counts for no other unit
			gpus -= u.counts()
		}
		switch {
		case !fits:
			outside.mark(u)
			rest = append(rest, judgedUnit{unit: u})
		case u.holds == fleet.HoldsUnprotected || u.goesWith(bareParts):
			bareParts.mark(u)
			bare = append(bare, u)
		default:
			try(u)
		}
	}
	for _, u := range bare {
		try(u)
	}
	return inside, rest
}

// changesOf compares what units should hold with what their replicas hold.
func changesOf(all []judgedUnit) []Change {
	wrong := slices.DeleteFunc(all, judgedUnit.right)
	slices.SortStableFunc(wrong, func(x, y judgedUnit) int { return x.key.Compare(y.key) })
	var changes []Change
	for _, u := range wrong {
		for _, spot := range u.spots {
			changes = append(changes, changesIn(u, spot.Pool)...)
		}
	}
	return changes
}

// right says whether all replicas of a unit hold their GPUs as they should.
func (u judgedUnit) right() bool {
	return !slices.ContainsFunc(u.spots, func(s fleet.Spot) bool { return len(changesIn(u, s.Pool)) > 0 })
}

// changesIn lists the replicas of a unit's pool that hold otherwise than the unit.
func changesIn(u judgedUnit, pool int) []Change {
	if u.key.Surplus {
		if u.w.Replicas[pool][u.index].HeldAs == u.holds {
			return nil
		}
		return []Change{{u.w, pool, u.index, u.index + 1, u.holds}}
	}
	var changes []Change
	seen := 0
	for i, r := range u.w.Replicas[pool] {
		if r.Phase == fleet.Leaving {
			continue
		}
		if seen++; seen > u.w.Pools[pool].Min {
			break
		}
		if r.HeldAs == u.holds {
			continue
		}
		if n := len(changes); n > 0 && changes[n-1].To == i {
			changes[n-1].To = i + 1
			continue
		}
		changes = append(changes, Change{u.w, pool, i, i + 1, u.holds})
	}
	return changes
}
