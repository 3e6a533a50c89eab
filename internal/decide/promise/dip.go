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
	return moveBack(s, p, stood(p, p.Dip), now, func(a *fleet.Account) []int { return coveredBefore(p, a) })
}

// coveredBefore counts, by island, the nodes with work of an account that was not unprotected before the dip.
func coveredBefore(p *fleet.Partition, a *fleet.Account) []int {
	nodes, seen := make([]int, len(p.Islands)), map[int]bool{}
	for _, w := range a.Work() {
		for pool, replicas := range w.Replicas {
			for i, held := range p.Dip.HeldBefore(w, pool) {
				r := replicas[i]
				if r.Phase == fleet.Leaving || held == fleet.HoldsUnprotected || seen[r.Node] {
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

// MoveBack is a backing that stood at another moment, as a change of what stands now. false: nothing
// is different, or it does not stand any more: it is not allowed, backs less, or covers less running work.
func MoveBack(s *fleet.State, p *fleet.Partition, a Alignment, now fleet.Instant) (Alignment, bool) {
	return moveBack(s, p, a, now, func(acc *fleet.Account) []int {
		touched := make([]int, len(p.Islands))
		for i := range touched {
			touched[i] = acc.Touched(i)
		}
		return touched
	})
}

// moveBack is MoveBack; work says on how many nodes of each island work of an account stands that
// is to stay covered.
func moveBack(s *fleet.State, p *fleet.Partition, a Alignment, now fleet.Instant, work func(*fleet.Account) []int) (Alignment, bool) {
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
	return a, a.isAllowed(p) && a.uncoversNone(p, work)
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

// uncoversNone says whether as much running work stays covered: of each quota in all, and of
// each tree in every island.
func (a Alignment) uncoversNone(p *fleet.Partition, work func(*fleet.Account) []int) bool {
	trees, touched := map[*fleet.Tree][]int{}, map[*fleet.Tree][]int{}
	for k, acc := range p.Accounts {
		t, stands := acc.Root(), work(acc)
		if covered(stands, a.Backing[k]) < covered(stands, acc.Backing) {
			return false
		}
		if trees[t] == nil {
			trees[t], touched[t] = make([]int, len(p.Islands)), make([]int, len(p.Islands))
		}
		for i, n := range a.Backing[k] {
			trees[t][i] += n
			touched[t][i] += stands[i]
		}
	}
	for t, backing := range trees {
		for i, n := range backing {
			if n < min(t.Backing(i), touched[t][i]) {
				return false
			}
		}
	}
	return true
}

// covered is on how many nodes of running work a backing covers it.
func covered(touched, backing []int) (n int) {
	for i, backed := range backing {
		n += min(backed, touched[i])
	}
	return n
}
