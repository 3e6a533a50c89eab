package placement

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

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
			if class, ok := order.class(u); ok && (u.w != c.w || c.mends(u)) && !pl.Spared[u.part()] {
				list = append(list, evictable{u, class})
				freed += u.freed(c)
			}
		}
	}
	pl.inQuota = list
	return list, c.uncovered || c.covered.gpus-freed+c.gpus <= pl.backedGPUs(c.account.Root())
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
		for _, u := range pl.unitsKeeping(w, outside) {
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
	may := func(node int) bool { return c.mayUseVacated(pl.p.Nodes[node].Island) }
	return slices.ContainsFunc(u.spots, func(s fleet.Spot) bool { return slices.ContainsFunc(s.Nodes, may) })
}
