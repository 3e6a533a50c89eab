package placement

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says what a victim is, what leaves with it, and which set of victims is cheaper.

// candidateVictim is a unit that a claim may evict, with what that would cost.
type candidateVictim struct {
	unit
	class     Class
	runs      int    // GPUs of all that leaves with it and runs
	lost      int    // GPU-seconds of these since its last checkpoint
	all       unit   // all that leaves with it
	onFlex    onFlex // nothing for a unit that is not on flex
	ownPart   bool   // it is a less important pool of the workload that is mended
	successor *bool  // whether it has one if nothing else leaves; nil: not asked yet
	instead   bool   // it is surplus in place of other surplus: see insteadOf
	down      bool   // of the last shortlist that it is on: downToShare keeps it there
	islands   []int  // of a kept candidate on flex, see islandsOf; nil: not noted

	// Of a kept candidate on flex: the unit that it is made of, and with whom it is kept.
	of *unit
	in *flexCandidates
}

// onFlex is what a candidate means for its namespace's use of flex, in GPUs.
type onFlex struct {
	namespace int // that its namespace has on flex
	freed     int // of them, those of the candidate
	freedAll  int // of them, those of all that leaves with it
}

// compareCost orders candidates, the cheapest first: by dearness, then the least work lost, then the last
// submitted, and of the surplus of one pool the last replica.
func (a *candidateVictim) compareCost(b *candidateVictim) int {
	dearness := compareDearness(a, b)
	switch {
	case dearness != 0:
		return dearness
	case a.lost != b.lost:
		return cmp.Compare(a.lost, b.lost)
	}
	return threeWay(b.before(a.unit), a.before(b.unit))
}

// dearer says whether one candidate is kept rather than another, whatever they lose.
func dearer(a, b *candidateVictim) bool { return compareDearness(a, b) > 0 }

// compareDearness orders candidates by who is kept rather than another, last, whatever they
// lose (semantics §5): work past its declared maximum goes first, then class,
// then the least important; on flex the namespace with the most flex before that. Surplus goes before what it is surplus of.
func compareDearness(a, b *candidateVictim) int {
	switch {
	case a.overran != b.overran:
		return threeWay(a.overran, b.overran)
	case a.class != b.class:
		return cmp.Compare(a.class, b.class)
	case a.ownPart != b.ownPart:
		return threeWay(a.ownPart, b.ownPart)
	case a.onFlex.namespace != b.onFlex.namespace:
		return cmp.Compare(b.onFlex.namespace, a.onFlex.namespace)
	case a.key.Priority != b.key.Priority:
		return cmp.Compare(b.key.Priority, a.key.Priority)
	case a.key.Rank != b.key.Rank:
		return cmp.Compare(b.key.Rank, a.key.Rank)
	}
	return threeWay(a.key.Surplus && !b.key.Surplus, b.key.Surplus && !a.key.Surplus)
}

// frees says whether evicting the unit makes room in the count of the claim's tree.
func (a *candidateVictim) frees(c *claim) bool {
	return c.account != nil && a.w.Tree() == c.account.Tree() && a.class != ClassUnprotected
}

// freed is how many GPUs fewer the claim's tree must cover without a unit and
// all that leaves with it.
func (u *unit) freed(c *claim) int {
	if c.account == nil || u.w.Tree() != c.account.Tree() {
		return 0
	}
	gpus := 0
	u.eachLeaving(func(pool int, r fleet.Replica) {
		if !c.besideUncovered() || r.HeldAs != fleet.HoldsUnprotected {
			gpus += u.w.Pools[pool].GPUs
		}
	})
	return gpus
}

func (pl *Planner) candidate(u unit, class Class) *candidateVictim {
	v := &candidateVictim{unit: u, class: class, all: allWith(u), runs: u.running()}
	v.loses(pl.now)
	if class == ClassFlex {
		v.onFlex = onFlex{
			namespace: pl.p.FlexOf(u.w.Namespace).Staying,
			freed:     pl.usedOfFlex(&v.unit),
			freedAll:  pl.usedOfFlex(&v.all),
		}
	}
	return v
}

// loses counts what would be lost with a candidate that leaves at a moment.
func (a *candidateVictim) loses(at fleet.Instant) { a.lost = int(a.w.Unsaved(at).Seconds()) * a.runs }

// usedOfFlex is the GPUs of a flex unit that count in its namespace's use: what it holds on a node
// that is not usable is stranded, and no part of flex (semantics §1).
func (pl *Planner) usedOfFlex(u *unit) int {
	if pl.p.Tally().Stranded == 0 {
		return u.gpus
	}
	gpus := 0
	u.eachNode(func(node, g int) {
		if pl.p.Nodes[node].State.Usable() {
			gpus += g
		}
	})
	return gpus
}

// follows says whether a unit leaves with another of the list anyway.
func (a *candidateVictim) follows(list []*candidateVictim) bool {
	return slices.ContainsFunc(list, func(o *candidateVictim) bool {
		core := !o.key.Surplus && (o.pool == fleet.Base || o.pool == a.pool)
		return core && o.w == a.w && (a.key.Surplus || o.pool != a.pool)
	})
}

// leavers are the victims without those that leave with another victim anyway.
func (pl *Planner) leavers(victims []*candidateVictim) []*candidateVictim {
	clear(pl.cores)
	for _, v := range victims {
		pl.cores.mark(&v.unit)
	}
	list := pl.leaving[:0]
	for _, v := range victims {
		if !v.goesWith(pl.cores) {
			list = append(list, v)
		}
	}
	pl.leaving = list
	return list
}

// goneWith says which units are gone once the victims are: they, and what leaves with them.
func goneWith(victims []*candidateVictim) func(*unit) bool {
	if len(victims) == 1 {
		return victims[0].takes
	}
	gone, cores := map[unitID]bool{}, parts{}
	for _, o := range victims {
		gone[o.id()] = true
		cores.mark(&o.unit)
	}
	return func(u *unit) bool { return gone[u.id()] || u.goesWith(cores) }
}

// takes says whether a unit is a victim itself, or leaves with it.
func (a *candidateVictim) takes(u *unit) bool {
	if a.w != u.w {
		return false
	}
	core := !a.key.Surplus && (a.pool == fleet.Base || u.key.Surplus && u.pool == a.pool)
	return core || u.id() == a.id()
}

// asImportance is a victim that is no borrower, but gives way as less important work.
func asImportance(v *candidateVictim) *candidateVictim {
	less := *v
	less.class = ClassImportance
	return &less
}

func without(list []*candidateVictim, v *candidateVictim) []*candidateVictim {
	return slices.DeleteFunc(slices.Clone(list), func(x *candidateVictim) bool {
		return x.key == v.key && x.pool == v.pool && x.index == v.index
	})
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

// cheaperSet compares sets of victims: by the dearest of each, GPU-seconds lost,
// workloads, GPUs taken, and then by who submitted last.
func cheaperSet(a, b []*candidateVictim) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) < len(b)
	}
	wa, wb := dearestOf(a), dearestOf(b)
	if dearer(wa, wb) != dearer(wb, wa) {
		return dearer(wb, wa)
	}
	x, y := billOf(a), billOf(b)
	switch {
	case x.lost != y.lost:
		return x.lost < y.lost
	case x.workloads != y.workloads:
		return x.workloads < y.workloads
	case x.gpus != y.gpus:
		return x.gpus < y.gpus
	}
	return y.oldest.Before(x.oldest)
}

// bill is what a set of victims costs.
type bill struct {
	lost, workloads, gpus int
	oldest                fleet.Key
}

func billOf(list []*candidateVictim) bill {
	b := bill{oldest: list[0].key}
	for i, v := range list {
		if v.key.Before(b.oldest) {
			b.oldest = v.key
		}
		if !v.follows(list) {
			b.lost, b.gpus = b.lost+v.lost, b.gpus+v.all.gpus
		}
		if !slices.ContainsFunc(list[:i], func(o *candidateVictim) bool { return o.w == v.w }) {
			b.workloads++
		}
	}
	return b
}

// dearestOf is the victim of a set that is kept rather than all others.
func dearestOf(list []*candidateVictim) *candidateVictim {
	w := list[0]
	for _, v := range list {
		if dearer(v, w) {
			w = v
		}
	}
	return w
}

// comesBefore says whether a unit counts before a victim: by its place in the order,
// or as surplus of the same pool that stays. Of identical replicas it is the one that
// goes that was too many.
func (u *unit) comesBefore(v *candidateVictim) bool {
	return u.before(v.unit) || u.key.Surplus && v.key.Surplus && u.w == v.w && u.pool == v.pool
}

// fewCandidates is up to how many candidates every set is looked at. Beyond
// that the set is minimal, but another of the same class may cost less.
const fewCandidates = 12
