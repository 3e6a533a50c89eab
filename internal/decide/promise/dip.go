package promise

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Restore is the backing as it stood before nodes became suspect, in the record by which the
// last of them comes back: a short dip leaves no trace (semantics §2, §3.3). false: there was
// no dip, nothing has moved, or what stood does not stand any more, as when other nodes
// failed meanwhile, or would cover less running work. Grants that change end a dip.
func Restore(s *fleet.State, p *fleet.Partition, now fleet.Instant) (Alignment, bool) {
	if p.Dip == nil || p.Dip.Ended != s.Number() {
		return Alignment{}, false
	}
	if regranted(p, p.Dip) {
		return Alignment{}, false
	}
	a, ok := Moved(s, p, stood(p, p.Dip), now)
	return a, ok && a.uncoversNone(p, Present(p), func(acc *fleet.Account) (own, all []int) {
		return heldBefore(p, acc, fleet.HoldsGuaranteed), heldBefore(p, acc, fleet.HoldsGuaranteed, fleet.HoldsBorrowing)
	})
}

// heldBefore counts, by island, the nodes with work of an account that held its GPUs in some way before the dip.
func heldBefore(p *fleet.Partition, a *fleet.Account, as ...fleet.HeldAs) []int {
	nodes, seen := make([]int, len(p.Islands)), map[int]bool{}
	for _, w := range a.Work() {
		if w.Started == 0 || w.Started >= p.Dip.Began {
			continue // it came in the dip, on room that was there for as long as that
		}
		for pool, replicas := range w.Replicas {
			for i, held := range p.Dip.HeldBefore(w, pool) {
				r := replicas[i]
				if r.Phase == fleet.Leaving || !slices.Contains(as, held) || seen[r.Node] {
					continue
				}
				seen[r.Node] = true
				nodes[p.Nodes[r.Node].Island]++
			}
		}
	}
	return nodes
}

// Present is what backs the accounts of a partition now.
func Present(p *fleet.Partition) Alignment {
	a := Alignment{Backing: make([][]int, len(p.Accounts)), Gangs: make([]Gang, len(p.Accounts))}
	for k, acc := range p.Accounts {
		a.Backing[k], a.Gangs[k] = slices.Clone(acc.Backing), Gang{acc.GangMissing, acc.GangIsland}
	}
	return a
}

// Moved is a backing that stood at another moment, as a change of what stands now. false: nothing is different, or it is not
// allowed any more, or backs less. What it means to running work is another question: see Uncovers.
func Moved(s *fleet.State, p *fleet.Partition, a Alignment, now fleet.Instant) (Alignment, bool) {
	a.Moved = nil
	for k, acc := range p.Accounts {
		if !slices.Equal(a.Backing[k], acc.Backing) {
			a.Moved = append(a.Moved, k)
		}
	}
	if len(a.Moved) == 0 {
		return Alignment{}, false
	}
	a.Capacity = CapacityOf(s, p, now)
	return a, a.isAllowed(p)
}

// stood is what backed the accounts before a dip; where nothing is kept it is what backs them now.
func stood(p *fleet.Partition, d *fleet.Dip) Alignment {
	a := Present(p)
	for k, acc := range p.Accounts {
		i := slices.IndexFunc(d.Stood, func(s fleet.Stood) bool { return s.Quota == acc.Quota })
		if i >= 0 {
			a.Backing[k] = make([]int, len(p.Islands))
			copy(a.Backing[k], d.Stood[i].Backing)
			a.Gangs[k] = Gang{d.Stood[i].GangMissing, d.Stood[i].GangIsland}
		}
	}
	return a
}

// regranted says whether a grant has changed since a dip began.
func regranted(p *fleet.Partition, d *fleet.Dip) bool {
	return slices.ContainsFunc(d.Stood, func(s fleet.Stood) bool {
		a := p.Account(s.Quota)
		return a != nil && (s.Nodes != a.GrantNodes() || s.Gang != a.Gang)
	})
}

// isAllowed says whether a backing keeps rules 1 and 2, and backs no fewer nodes than now.
func (a Alignment) isAllowed(p *fleet.Partition) bool {
	used, gangs := make([]int, len(p.Islands)), make([]int, len(p.Islands))
	all, now := 0, 0
	for k, acc := range p.Accounts {
		if sum(a.Backing[k]) > acc.GrantNodes() {
			return false
		}
		for i, n := range a.Backing[k] {
			used[i] += n
		}
		all, now = all+sum(a.Backing[k]), now+acc.BackedNodes()
		if g := a.Gangs[k]; acc.Gang > 0 && g.Missing == 0 {
			gangs[g.Island] += acc.Gang / p.GPUsPerNode
		}
	}
	for i, is := range p.Islands {
		if used[i] > is.Whole() || gangs[i] > a.Shares[i] {
			return false
		}
	}
	return all <= a.Promisable && all >= now
}

// uncoversNone says whether as much running work stays covered as by what stood before: of each quota in all, and
// of each tree in every island. That is so for the work of which the last argument says, by account, on how many nodes
// of each island it stands: what counts for the quota's own cover, and what for the tree's.
func (a Alignment) uncoversNone(p *fleet.Partition, before Alignment, work func(*fleet.Account) (own, all []int)) bool {
	trees := map[*fleet.Tree]*treeCover{}
	for k, acc := range p.Accounts {
		own, all := work(acc)
		if covered(own, a.Backing[k]) < covered(own, before.Backing[k]) {
			return false
		}
		t := trees[acc.Root()]
		if t == nil {
			t = &treeCover{make([]int, len(p.Islands)), make([]int, len(p.Islands)), make([]int, len(p.Islands))}
			trees[acc.Root()] = t
		}
		t.add(all, before.Backing[k], a.Backing[k])
	}
	for _, t := range trees {
		if t.falls() {
			return false
		}
	}
	return true
}

// treeCover is on how many nodes of each island work of a tree stands, and how many back it before and after.
type treeCover struct{ touched, before, after []int }

func (t *treeCover) add(touched, before, after []int) {
	for i := range t.touched {
		t.touched[i] += touched[i]
		t.before[i] += before[i]
		t.after[i] += after[i]
	}
}

// falls says whether the tree's backing covers less of its work in some island.
func (t *treeCover) falls() bool {
	for i, n := range t.after {
		if n < min(t.before[i], t.touched[i]) {
			return true
		}
	}
	return false
}

// covered is on how many nodes of running work a backing covers it.
func covered(touched, backing []int) (n int) {
	for i, backed := range backing {
		n += min(backed, touched[i])
	}
	return n
}
