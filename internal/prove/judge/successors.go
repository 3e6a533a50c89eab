package judge

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// hasSuccessor says whether work of a borrower's quota would be guaranteed, by count, once
// a set of victims is gone, and is not with them there. That is the victim itself, or work
// that waits or is on its way back to its queue. For a newcomer that borrows the victim is no
// borrower then (decision record 0006).
func (j *Judge) hasSuccessor(c Claim, v Unit, set []Unit) bool {
	if c.Holds != fleet.HoldsBorrowing {
		return false
	}
	for _, h := range j.heirsBeside(c, v.Account, set) {
		there, left := h.gpus, h.gpus
		for _, u := range j.units {
			if u.Account != v.Account || earlier(h.key, u.Key) {
				continue
			}
			there += u.GPUs()
			if !goes(u, set) {
				left += u.GPUs()
			}
		}
		if c.Account == v.Account && earlier(c.Key, h.key) {
			left += c.GPUs()
		}
		if there > v.Account.BackedGPUs() && left <= v.Account.BackedGPUs() {
			return true
		}
	}
	return false
}

// heirsBeside lists the heirs of an account that may come while a set of victims leaves for a claim.
func (j *Judge) heirsBeside(c Claim, a *fleet.Account, set []Unit) []heir {
	return slices.DeleteFunc(j.heirs(a), func(h heir) bool { return h.work == c.Work || h.joins && leavesWhole(h.work, set) })
}

// leavesWhole says whether all of a workload leaves with a set of victims. A pool that waits to join it
// then waits with it.
func leavesWhole(w *fleet.Workload, set []Unit) bool {
	return slices.ContainsFunc(set, func(u Unit) bool { return u.Work == w && u.Pool == fleet.Base && !u.Key.Surplus })
}

// heir is a part of a workload that waits for an account, or soon will.
type heir struct {
	work  *fleet.Workload
	key   fleet.Key
	gpus  int
	joins bool // it is a pool that joins its workload
}

func (j *Judge) heirs(a *fleet.Account) []heir {
	var list []heir
	for _, it := range a.Queue() {
		list = append(list, heirOf(it.Workload, it.Pool))
	}
	for _, w := range j.p.Leaving() {
		if w.State == fleet.Evicting && ComesTo(j.p, w) == a {
			list = append(list, heirOf(w, fleet.Base))
		}
	}
	for _, w := range a.Work() {
		for i, p := range w.Pools {
			if w.State == fleet.RunningW && w.InPhase(i, fleet.Leaving) > 0 && w.Stays(i) < p.Min {
				list = append(list, heirOf(w, i))
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return earlier(list[i].key, list[j].key) })
	return list
}

// ComesTo is the account for which work that leaves its nodes will wait in a partition: its own, or where it was
// retargeted to; nil: none here.
func ComesTo(p *fleet.Partition, w *fleet.Workload) *fleet.Account {
	if w.Moves == nil {
		return w.Account()
	}
	return p.Account(comesTo(p, w))
}

// ComesToFlex says whether work that leaves its nodes will wait for flex in a partition, as it did or because it was retargeted.
func ComesToFlex(p *fleet.Partition, w *fleet.Workload) bool { return comesTo(p, w) == fleet.Flex }

// comesTo is the target for which work that leaves its nodes will wait in a partition; "": none.
func comesTo(p *fleet.Partition, w *fleet.Workload) string {
	switch {
	case w.Moves == nil:
		return w.Target
	case w.Moves.Partition != "" && w.Moves.Partition != p.ID:
		return ""
	}
	return w.Moves.Target
}

// heirOf is a pool, or the lowest-rank pools together, at min.
func heirOf(w *fleet.Workload, pool int) heir {
	if pool != fleet.Base {
		p := w.Pools[pool]
		return heir{w, keyOf(w, p.Rank, false), (p.Min - w.Stays(pool)) * p.GPUs, true}
	}
	h := heir{work: w, key: keyOf(w, w.BaseRank(), false)}
	for _, p := range w.Pools {
		if p.Rank == w.BaseRank() {
			h.gpus += p.Min * p.GPUs
		}
	}
	return h
}
