package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file keeps what each namespace gives flex claims, those of others and its own. Dozens of claims ask for it in
// one round of a turn, and mostly find that it is too little.

// giving is what a namespace gives claims: one above its share those of others, or any its own more important work.
type giving struct {
	now   fleet.Instant // when, and with how many GPUs above its share, it was found out
	above int
	along int // the most that leaves along with a unit that may leave: see leavesAbove

	list []*candidateVictim // whom they may evict, the cheapest first
	down int                // so many of them, from the first on, are taken while the namespace is above its share
	most int                // the most GPUs that they give: see mostGivable
	here [][]int            // positions by island in which they may make room
}

// givingOf is what a namespace above its share gives a claim of another one, none of whose work has passed the claim's.
func (pl *Planner) givingOf(c *claim, namespace string) *giving {
	above := pl.p.FlexOf(namespace).Staying - pl.sharesNow()[namespace]
	kept := pl.keptOf(namespace)
	g := &kept.gives
	if g.here != nil && g.now == pl.now && g.above == above {
		return g
	}
	if g.here == nil || g.now != pl.now || min(g.above, above) <= g.along {
		g.setList(pl.evictableAmong(g.list[:0], c, namespace, true), len(pl.p.Islands))
		g.along = pl.mostAlong(c, namespace)
	}
	g.now, g.above = pl.now, above
	g.most, g.down = mostGivable(g.list, above), 0
	for left := above; g.down < len(g.list) && left > 0; g.down++ {
		left -= g.list[g.down].onFlex.freed
	}
	return g
}

// mostAlong is the most that leaves along with a unit of another namespace that may leave for a claim.
func (pl *Planner) mostAlong(c *claim, namespace string) (most int) {
	for _, v := range pl.flexCandidates(namespace) {
		if along := v.onFlex.freedAll - v.onFlex.freed; along > most && pl.mayEvictOnFlex(c, &v.unit, true) {
			most = along
		}
	}
	return most
}

// setList notes where candidates stand.
func (g *giving) setList(list []*candidateVictim, islands int) {
	if g.list = list; g.here == nil {
		g.here = make([][]int, islands)
	}
	for i := range g.here {
		g.here[i] = g.here[i][:0]
	}
	for at, v := range list {
		for _, island := range v.islands {
			g.here[island] = append(g.here[island], at)
		}
	}
}

// ownGiving is what a namespace gives more important work of its own.
type ownGiving struct {
	gpus int // of its use
	most *leavable

	lasts bool // it is kept for other claims
	list  giving
}

// ownGivingOf lists what work of its own namespace gives a flex claim.
func (pl *Planner) ownGivingOf(c *claim) *giving {
	own := pl.ownGives(c)
	if g := &own.list; !own.lasts || g.here == nil || g.now != pl.now {
		g.now = pl.now
		g.setList(pl.evictableAmong(g.list[:0], c, c.w.Namespace, false), len(pl.p.Islands))
		g.down = len(g.list)
	}
	return &own.list
}

// ownGives is what work of its own namespace gives a flex claim. It is kept for all claims of one importance that find
// nothing of their own there.
func (pl *Planner) ownGives(c *claim) *ownGiving {
	kept, to := pl.keptOf(c.w.Namespace), c.key.Importance()
	alike := pl.alike(c)
	if g := kept.own[to]; g != nil && alike {
		return g
	}
	g := &ownGiving{most: pl.leavable(), lasts: alike}
	for _, v := range kept.units {
		if pl.mayEvictOnFlex(c, &v.unit, false) {
			pl.countLeavable(g.most, v)
			g.gpus += v.onFlex.freed
		}
	}
	if alike {
		if kept.own == nil {
			kept.own = map[fleet.Importance]*ownGiving{}
		}
		kept.own[to] = g
	}
	return g
}

// alike says whether a flex claim may take of its own namespace what others of its importance may.
func (pl *Planner) alike(c *claim) bool {
	return !standsAnywhere(c.w) && !c.w.Overran(pl.now) && !pl.passedFrom(c, c.w.Namespace)
}

// passedFrom says whether work of a namespace has passed a claim's.
func (pl *Planner) passedFrom(c *claim, namespace string) bool {
	return slices.ContainsFunc(pl.p.PassedBy(c.w.ID), func(w *fleet.Workload) bool { return w.Namespace == namespace })
}

// standsAnywhere says whether something of a workload stands, or leaves.
func standsAnywhere(w *fleet.Workload) bool {
	return slices.ContainsFunc(w.Replicas, func(of []fleet.Replica) bool { return len(of) > 0 })
}

// othersLeavable is what namespaces other than a claim's could leave free, by island.
type othersLeavable struct {
	of     []otherLeavable
	gpus   []int // with all of their candidates gone
	shared []int // with as many gone as shares allow
}

// otherLeavable is what one namespace could leave free, and how much of it may go by shares.
type otherLeavable struct {
	*leavable
	namespace string
	givable   int
}

// in is how many GPUs of an island the namespace gives at most by shares: what it has above its share, the last of it whole.
func (o *otherLeavable) in(island int) int { return max(0, min(o.gpus[island], o.givable)) }

// addOther counts what a namespace could leave free.
func (pl *Planner) addOther(all *othersLeavable, namespace string, l *leavable) {
	if all.gpus == nil {
		all.gpus, all.shared = make([]int, len(pl.p.Islands)), make([]int, len(pl.p.Islands))
	}
	o := otherLeavable{l, namespace, pl.p.FlexOf(namespace).Staying - pl.sharesNow()[namespace] - 1 + l.largest}
	all.of = append(all.of, o)
	for i, gpus := range l.gpus {
		all.gpus[i] += gpus
		all.shared[i] += o.in(i)
	}
}

// leavableAbove is what all namespaces above their shares could leave free for others, for as long as nothing changes.
func (pl *Planner) leavableAbove() *othersLeavable {
	if stamp := pl.flexStamp(); pl.above == nil || pl.aboveAt != stamp {
		pl.above, pl.aboveAt = &othersLeavable{}, stamp
		shares := pl.sharesNow()
		for ns, u := range pl.p.FlexUses() {
			if u.Staying > shares[ns] {
				pl.addOther(pl.above, ns, pl.leavableOf(ns))
			}
		}
	}
	return pl.above
}

// leavableBut is leavableAbove without a namespace.
func (pl *Planner) leavableBut(namespace string) *othersLeavable {
	all := pl.leavableAbove()
	at := slices.IndexFunc(all.of, func(o otherLeavable) bool { return o.namespace == namespace })
	if at < 0 {
		return all
	}
	but := &othersLeavable{of: slices.Delete(slices.Clone(all.of), at, at+1), gpus: slices.Clone(all.gpus), shared: slices.Clone(all.shared)}
	for i, gpus := range all.of[at].gpus {
		but.gpus[i] -= gpus
		but.shared[i] -= all.of[at].in(i)
	}
	return but
}
