package placement

import (
	"sort"

	"github.com/muster-fleet/muster/internal/fleet"
)

// admitGuaranteed admits the first waiting unit that fits its quota's backing.
func (pl *Planner) admitGuaranteed() (Plan, bool) {
	for _, a := range pl.p.Accounts {
		head, failed := head{}, shapes{}
		queue := a.Queue()
		for i := range queue {
			it := queue[i]
			if pl.p.Tried(&queue[i]) {
				head.consider(pl, a, it)
				continue
			}
			if failed.failed(it) || head.bars(pl, it, HoldGuaranteed) {
				continue
			}
			if plan, ok := pl.guarantee(a, it); ok {
				if pl.betterElsewhere(it, plan) {
					continue
				}
				return plan, true
			}
			failed.fail(it)
			head.consider(pl, a, it)
		}
	}
	return Plan{}, false
}

// guarantee plans a unit inside its quota's backing: on what is free if it can,
// else by evicting the cheapest set that lets it start.
func (pl *Planner) guarantee(a *fleet.Account, it fleet.Waiting) (Plan, bool) {
	c := claimOf(it, a, fleet.HoldsGuaranteed)
	if c.gpus > a.Backed() {
		return Plan{}, false
	}
	pl.limitByTree(c)
	if a.Stays()+c.gpus <= a.Backed() {
		pl.limitByQuota(c)
		if plan, ok := pl.inside(c); ok {
			return plan, true
		}
	}
	if earlier := pl.limitByEarlier(c); earlier+c.gpus > a.Backed() {
		return Plan{}, false
	}
	return pl.displace(c)
}

// admitBorrowing admits the first waiting unit that fits its tree's backing, in the order of the tree.
func (pl *Planner) admitBorrowing() (Plan, bool) {
	for _, tree := range pl.borrowingTrees() {
		head, failed := head{}, shapes{}
		for _, item := range pl.treeQueue(tree) {
			it := *item
			a := pl.p.Account(it.Workload.Target)
			if pl.p.Tried(item) {
				head.considerTree(pl, a, it)
				continue
			}
			if !failed.failed(it) && !head.bars(pl, it, HoldBorrowing) {
				if plan, ok := pl.borrow(a, it); ok {
					if pl.betterElsewhere(it, plan) {
						continue
					}
					return plan, true
				}
				failed.fail(it)
			}
			pl.p.SetTried(item)
			head.considerTree(pl, a, it)
		}
	}
	return Plan{}, false
}

// borrowingTrees lists the trees in which somebody waits.
func (pl *Planner) borrowingTrees() []string {
	var list []string
	last := ""
	for _, a := range pl.p.Accounts {
		if len(a.Queue()) > 0 && a.Tree() != last {
			last = a.Tree()
			list = append(list, last)
		}
	}
	return list
}

// treeQueue lists what waits in all quotas of a tree, in the order of importance and age.
func (pl *Planner) treeQueue(tree string) []*fleet.Waiting {
	var list []*fleet.Waiting
	members := 0
	for _, a := range pl.p.Accounts {
		if a.Tree() == tree {
			members++
			queue := a.Queue()
			for i := range queue {
				list = append(list, &queue[i])
			}
		}
	}
	if members > 1 {
		sort.SliceStable(list, func(i, j int) bool { return list[i].Key.Before(list[j].Key) })
	}
	return list
}

// borrow plans a unit inside its tree's backing.
func (pl *Planner) borrow(a *fleet.Account, it fleet.Waiting) (Plan, bool) {
	backed := pl.treeBacked(a.Tree())
	c := claimOf(it, a, fleet.HoldsBorrowing)
	if c.gpus > backed || backed == a.Backed() {
		return Plan{}, false
	}
	pl.limitByTree(c)
	pl.noOwnLimit(c)
	if pl.treeStays(a.Tree())+c.gpus <= backed {
		if spots, ok := pl.find(c); ok {
			plan := pl.finish(c, spots, nil)
			pl.release(c, spots)
			return plan, true
		}
	}
	return pl.displace(c)
}
