package placement

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says which work flex may evict, and which sets of victims are fair: a
// namespace evicts another's flex only while its use with the newcomer stays
// within its share and the other's is above its own (semantics §5).

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

// sharesNow is Shares, computed once for as long as nothing changes.
func (pl *Planner) sharesNow() map[string]int {
	if stamp := pl.flexStamp(); pl.shares == nil || pl.sharesAt != stamp {
		pl.shares, pl.sharesAt = Shares(pl.p), stamp
	}
	return pl.shares
}

// fair says whether a claim may evict a set of victims on flex.
func (pl *Planner) fair(c *claim, victims []*candidateVictim) bool {
	shares, others, own := pl.sharesNow(), false, 0
	taken, largest := map[string]int{}, map[string]int{}
	for _, v := range victims {
		ns := v.w.Namespace
		if v.follows(victims) || passed(c, &v.unit) {
			continue // who passed it gives its room back, shares notwithstanding
		}
		if ns == c.w.Namespace {
			own += v.onFlex.freedAll
			continue
		}
		others = true
		taken[ns] += v.onFlex.freedAll
		largest[ns] = max(largest[ns], v.onFlex.freedAll)
	}
	grows := own > 0 && (c.gpus > own || c.gpus > shares[c.w.Namespace]) && pl.othersWant(c.w.Namespace)
	if (others || grows) && pl.p.FlexOf(c.w.Namespace).Staying-own+c.gpus > shares[c.w.Namespace] {
		return false // above its share it grows on free room only
	}
	for ns, gpus := range taken {
		if gpus-largest[ns] >= pl.p.FlexOf(ns).Staying-shares[ns] {
			return false
		}
	}
	return true
}

// othersWant says whether another namespace asks for more flex than it has.
func (pl *Planner) othersWant(namespace string) bool {
	return slices.ContainsFunc(pl.p.Namespaces(), func(ns string) bool {
		use := pl.p.FlexOf(ns)
		return ns != namespace && use.Demand() > use.Staying
	})
}

// evictableOnFlex lists whom a flex claim may evict, cheapest first; none if
// there would not be enough room even with all of them gone that may go together.
func (pl *Planner) evictableOnFlex(c *claim) []*candidateVictim {
	passed := pl.passersOf(c, false)
	list, room := pl.evictableBy(c)
	for _, v := range passed {
		room += v.all.gpus // what joined it leaves along
	}
	if room < c.gpus {
		return nil
	}
	return byCost(append(list, passed...))
}

// evictableBy lists whom a flex claim may evict by importance and shares, and bounds the room
// that there would be without them.
func (pl *Planner) evictableBy(c *claim) (list []*candidateVictim, room int) {
	givers, room := pl.giversTo(c)
	shares := pl.sharesNow()
	for _, g := range givers {
		if g.namespace == c.w.Namespace {
			list = pl.evictableAmong(list, c, g.namespace, false)
			continue
		}
		had := len(list)
		list = pl.evictableAmong(list, c, g.namespace, true)
		room += mostGivable(list[had:], g.has-shares[g.namespace])
	}
	return list, room
}

// giversTo lists the namespaces of which a flex claim may take something; none for one that has too little by the count of
// its own namespace alone and may take nothing of others. It bounds the room that there would be without what its own may give.
func (pl *Planner) giversTo(c *claim) (list []giver, room int) {
	own := pl.evictableOwn(c)
	room = pl.p.Tally().Room + own
	above := pl.p.FlexOf(c.w.Namespace).Staying-own+c.gpus > pl.sharesNow()[c.w.Namespace]
	if above && room < c.gpus && len(pl.p.PassedBy(c.w.ID)) == 0 {
		return nil, room
	}
	return pl.givers(c, own > 0, !above), room
}

// giver is a namespace of which a flex claim may take something, with what it has on flex.
type giver struct {
	namespace string
	has       int
}

// givers lists the namespaces of which a flex claim may take something, that with the most flex first: whose work is
// cheaper, all else being equal. They are its own, and those above their share.
func (pl *Planner) givers(c *claim, own, others bool) []giver {
	list := pl.giving[:0]
	if own && !others {
		return append(list, giver{namespace: c.w.Namespace})
	}
	shares := pl.sharesNow()
	for ns, u := range pl.p.FlexUses() {
		if ns == c.w.Namespace && own || ns != c.w.Namespace && others && u.Staying > shares[ns] {
			list = append(list, giver{ns, u.Staying})
		}
	}
	slices.SortStableFunc(list, func(a, b giver) int { return cmp.Compare(b.has, a.has) })
	pl.giving = list
	return list
}

// evictableOwn is how many GPUs of its own namespace's use a flex claim may take.
func (pl *Planner) evictableOwn(c *claim) int {
	if !pl.p.FlexOf(c.w.Namespace).CouldGiveWay(c.key.Importance()) {
		return 0
	}
	return pl.ownGives(c).gpus
}

// evictableAmong adds the units of a namespace that a flex claim may evict.
func (pl *Planner) evictableAmong(list []*candidateVictim, c *claim, namespace string, other bool) []*candidateVictim {
	above := pl.p.FlexOf(namespace).Staying - pl.sharesNow()[namespace]
	for _, v := range pl.flexCandidates(namespace) {
		if pl.mayEvictOnFlex(c, &v.unit, other) && (!other || v.leavesAbove(above)) {
			list = append(list, v)
		}
	}
	return list
}

// leavesAbove says whether a namespace that is above its share by so many GPUs is so even without
// what would leave along with a victim. Else that alone is what it has too much: two
// workloads would take each other's place because of what joined them.
func (a *candidateVictim) leavesAbove(above int) bool {
	return above > a.onFlex.freedAll-a.onFlex.freed
}

// mayEvictOnFlex says whether a flex claim may evict a unit by importance or shares, which what
// passed the claim's workload does not ask for.
func (pl *Planner) mayEvictOnFlex(c *claim, u *unit, other bool) bool {
	if u.w == c.w || passed(c, u) {
		return false
	}
	if u.w.Namespace == c.w.Namespace {
		less := c.key.Importance().Above(u.key.Importance())
		return less || ((u.overran && !c.w.Overran(pl.now) || u.key.Surplus) && !u.key.Importance().Above(c.key.Importance()))
	}
	return other && pl.ranMinimum(u.w)
}

// mostGivable is the most GPUs that units of one namespace may give while it is above
// its share by so many before each of them: the largest goes last.
func mostGivable(list []*candidateVictim, excess int) int {
	all, largest := 0, 0
	for _, v := range list {
		all, largest = all+v.onFlex.freed, max(largest, v.onFlex.freedAll)
	}
	return min(all, excess-1+largest)
}

// passersOf lists the units of workloads that passed a claim's own, cheapest first; those that have run
// for less than the minimum only where young is true.
func (pl *Planner) passersOf(c *claim, young bool) (list []*candidateVictim) {
	for _, w := range pl.p.PassedBy(c.w.ID) {
		if !young && !pl.ranMinimum(w) {
			continue
		}
		for _, u := range pl.units(w) {
			if passed(c, &u) {
				list = append(list, pl.candidate(u, ClassFlex))
			}
		}
	}
	return byCost(list)
}

// passed says whether a unit passed the workload that claims room. What its workload got later,
// surplus and further pools, leaves for the start of that one, too: parts go before wholes. It
// goes by the shares against what that one gets later, or the two would take turns.
func passed(c *claim, u *unit) bool {
	return u.w.Passed != 0 && u.w.Passed == c.w.ID && (c.w.State == fleet.Pending || u.pool == fleet.Base && !u.key.Surplus)
}

// ranMinimum says whether flex work has run for its minimum time.
func (pl *Planner) ranMinimum(w *fleet.Workload) bool {
	return w.Started != 0 && pl.now.Sub(w.Started) >= pl.s.Policy.FlexRun()
}
