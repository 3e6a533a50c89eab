package promise

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Trim is the backing of a partition whose reports are stale. The last backing
// stays (semantics §2), but no more of it than the grants are now. A declared gang
// that its backing does not hold in one piece is flagged. Everything else waits
// for fresh reports.
func Trim(p *fleet.Partition) Alignment {
	a := Alignment{
		Capacity: Capacity{Promisable: p.Promisable, Sustainable: p.Sustainable()},
		Backing:  make([][]int, len(p.Accounts)), Gangs: make([]Gang, len(p.Accounts)),
	}
	for _, island := range p.Islands {
		a.Shares = append(a.Shares, island.Share)
	}
	for k, acc := range p.Accounts {
		a.Backing[k] = acc.Backing
		if excess := acc.BackedNodes() - acc.GrantNodes(); excess > 0 {
			a.Backing[k], a.Moved = trimmed(p, acc, excess), append(a.Moved, k)
		}
		a.Gangs[k] = heldGang(p, acc, a.Backing[k])
	}
	return a
}

// trimmed takes so many nodes from an account's backing: idle ones first, small
// pieces before large ones, and rather none of the block that backs its declared gang.
func trimmed(p *fleet.Partition, a *fleet.Account, excess int) []int {
	left, block := slices.Clone(a.Backing), make([]int, len(a.Backing))
	if a.Gang > 0 && a.GangMissing == 0 {
		block[a.GangIsland] = a.Gang / p.GPUsPerNode
	}
	order := slices.Clone(a.Islands())
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.Backing[i], a.Backing[j]) })
	for _, keeps := range []func(i int) int{
		func(i int) int { return max(block[i], a.Touched(i)) },
		a.Touched,
		func(int) int { return 0 },
	} {
		for _, i := range order {
			n := max(0, min(excess, left[i]-keeps(i)))
			left[i], excess = left[i]-n, excess-n
		}
	}
	return left
}

// heldGang says whether a backing holds an account's declared gang in one piece:
// where it did, or else in its largest piece.
func heldGang(p *fleet.Partition, a *fleet.Account, backing []int) Gang {
	gang := a.Gang / p.GPUsPerNode
	was := Gang{Missing: a.GangMissing, Island: a.GangIsland}
	switch {
	case gang == 0:
		return Gang{}
	case was.Missing == 0 && backing[was.Island] >= gang:
		return was
	}
	most := was.Island
	for i, n := range backing {
		if n > backing[most] {
			most = i
		}
	}
	missing := max(0, gang-min(backing[most], p.Islands[most].Share)) * p.GPUsPerNode
	if was.Missing > 0 && was.Missing <= missing {
		return was
	}
	return Gang{Missing: missing, Island: most}
}
