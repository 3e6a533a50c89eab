package placement

import (
	"sort"

	"github.com/muster-fleet/muster/internal/fleet"
)

// admitFlex admits the first waiting unit that finds room on flex: the
// namespace with the least flex first, then importance inside it, then age.
func (pl *Planner) admitFlex() (Plan, bool) {
	head := flexHead{}
	for _, ns := range pl.byLeastFlex() {
		if head.bars(pl, ns) {
			return Plan{}, false // those that follow have as much or more
		}
		queue := pl.p.FlexOf(ns).Queue()
		head.consider(pl, queue[0])
		walk := newPass(pl.p.FlexOf(ns).Kinds())
		for i := 0; i < len(queue) && !walk.over(); i++ {
			if !walk.meets(&queue[i]) || pl.p.Tried(&queue[i]) || pl.tired(&queue[i]) {
				continue
			}
			plan, ok := pl.flex(queue[i])
			if !ok {
				pl.p.SetTried(&queue[i])
			} else if !pl.betterElsewhere(queue[i], plan) {
				return plan, true
			}
		}
	}
	return Plan{}, false
}

// flexHead is the first waiting unit of flex. It holds a reservation against
// namespaces that have more flex than its own, so that a large gang is not
// starved by small ones; one that is larger than the pool holds none.
type flexHead struct {
	it    fleet.Waiting
	holds bool
	has   int // flex of its namespace
}

func (h *flexHead) consider(pl *Planner, it fleet.Waiting) {
	if h.it.Workload != nil {
		return
	}
	h.it, h.has = it, pl.p.FlexOf(it.Workload.Namespace).Staying
	h.holds = gpusOf(needs(it)) <= pl.p.Flex() && pl.CouldEver(it)
}

func (h *flexHead) bars(pl *Planner, namespace string) bool {
	return h.holds && pl.p.FlexOf(namespace).Staying > h.has
}

// FlexBarrier is the head of flex that keeps a namespace's work from passing, if it does.
func (pl *Planner) FlexBarrier(namespace string) (fleet.Waiting, bool) {
	for _, ns := range pl.byLeastFlex() {
		head := flexHead{}
		head.consider(pl, pl.p.FlexOf(ns).Queue()[0])
		return head.it, head.bars(pl, namespace)
	}
	return fleet.Waiting{}, false
}

// byLeastFlex lists the namespaces in which somebody waits, the one with the
// least flex first; among equals the one whose head has waited longest.
func (pl *Planner) byLeastFlex() []string {
	var list []string
	for _, ns := range pl.p.Namespaces() {
		if len(pl.p.FlexOf(ns).Queue()) > 0 {
			list = append(list, ns)
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := pl.p.FlexOf(list[i]), pl.p.FlexOf(list[j])
		if a.Staying != b.Staying {
			return a.Staying < b.Staying
		}
		x, y := a.Queue()[0].Workload, b.Queue()[0].Workload
		if x.Submitted != y.Submitted {
			return x.Submitted < y.Submitted
		}
		return x.ID < y.ID
	})
	return list
}

// flex plans a unit on flex: on what is free if it can, else by evicting less
// important work of its namespace, or work of a namespace above its share.
func (pl *Planner) flex(it fleet.Waiting) (Plan, bool) {
	c := pl.claimOf(it, nil, fleet.HoldsFlex)
	if plan, ok := pl.onFreeFlex(c); ok {
		return plan, true
	}
	list := pl.evictableOnFlex(c)
	if len(list) == 0 {
		return Plan{}, false
	}
	spots, victims, ok := pl.cheapestSet(c, list)
	if !ok {
		return Plan{}, false
	}
	return pl.eviction(c, spots, victims), true
}

// onFreeFlex plans a flex claim on free room, if there is as much at all.
func (pl *Planner) onFreeFlex(c *claim) (Plan, bool) {
	if c.gpus > pl.p.Tally().Room {
		return Plan{}, false
	}
	return pl.onFree(c)
}

// evictableOnFlex lists whom a flex claim may evict, cheapest first.
func (pl *Planner) evictableOnFlex(c *claim) []*candidateVictim {
	var list []*candidateVictim
	add := func(namespace string, within bool) {
		units := pl.flexUnitsOf(namespace)
		for i := range units {
			if u := &units[i]; u.w != c.w && pl.mayEvictOnFlex(c, u, within) {
				list = append(list, pl.candidate(*u, ClassFlex))
			}
		}
	}
	add(c.w.Namespace, false)
	shares := pl.sharesNow()
	if pl.p.FlexOf(c.w.Namespace).Staying+c.gpus <= shares[c.w.Namespace] {
		for _, ns := range pl.p.Namespaces() {
			if ns != c.w.Namespace && pl.p.FlexOf(ns).Staying > shares[ns] {
				add(ns, true)
			}
		}
	}
	return pl.downToShare(c, byCost(list), shares)
}

func (pl *Planner) mayEvictOnFlex(c *claim, u *unit, within bool) bool {
	if u.w.Namespace == c.w.Namespace {
		less := c.key.Importance().Above(u.key.Importance())
		return less || ((u.overran && !c.w.Overran(pl.now) || u.key.Surplus) && !u.key.Importance().Above(c.key.Importance()))
	}
	return within && u.w.Started != 0 && pl.now.Sub(u.w.Started) >= pl.s.Policy.FlexMinimum
}

// downToShare keeps, of other namespaces' units, only those that are taken
// while the namespace is still above its share.
func (pl *Planner) downToShare(c *claim, list []*candidateVictim, shares map[string]int) []*candidateVictim {
	left := map[string]int{}
	kept := list[:0]
	for _, v := range list {
		ns := v.w.Namespace
		if ns == c.w.Namespace {
			kept = append(kept, v)
			continue
		}
		if _, seen := left[ns]; !seen {
			left[ns] = pl.p.FlexOf(ns).Staying
		}
		if left[ns] > shares[ns] {
			left[ns] -= v.gpus
			kept = append(kept, v)
		}
	}
	return kept
}

// Shares is each namespace's fair share of a partition's flex in GPUs: the
// max-min level over what each holds and asks for, elastic pools at max.
func Shares(p *fleet.Partition) map[string]int {
	names := p.Namespaces()
	demand := make(map[string]int, len(names))
	for _, ns := range names {
		demand[ns] = p.FlexOf(ns).Demand()
	}
	sort.SliceStable(names, func(i, j int) bool { return demand[names[i]] < demand[names[j]] })
	shares := map[string]int{}
	left := p.Flex()
	for i, ns := range names {
		shares[ns] = min(demand[ns], left/(len(names)-i))
		left -= shares[ns]
	}
	return shares
}
