package promise

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file finds which work of an account comes first, wherever it stands: the
// units that its backing covers by number, in the quota's order (semantics §5).
// Backing stays with that work, and never moves under what comes after while the
// first work lacks cover where it stands (rule 3).

// standing is a unit, as far as the order of its quota tells it apart from others.
type standing struct {
	key        fleet.Key
	gpus       int
	nodes      []int
	guaranteed bool // as it was classified last
}

// firstIn is what of an account's first work stands in an island.
type firstIn struct {
	island, nodes int
	usable        bool // whether some of it stands on a usable node
	turn          int  // of the first of it in the quota's order
}

// firstWork is where the first work of an account stands, up to what it gets, while neither its work nor any node changes.
type firstWork struct {
	target int // nodes that it gets, plus 1; 0: not found yet
	ground uint64
	in     []firstIn
}

// findFirst counts, for each island, the nodes that the account's first work
// touches there, up to what the account gets. It is found once for each target.
func (al *aligner) findFirst(k int) {
	r := &al.rows[k]
	if r.firstFor == r.target+1 {
		return
	}
	r.firstFor = r.target + 1
	for x := range r.stands {
		s := &r.stands[x]
		s.first, s.usable, s.turn = s.mending, s.mending > 0, noTurn
	}
	for _, f := range al.firstWorkOf(r) {
		s := al.stand(k, f.island)
		s.first, s.usable, s.turn = s.first+f.nodes, s.usable || f.usable, f.turn
	}
}

func (al *aligner) firstWorkOf(r *row) []firstIn {
	f := &al.workOf(r.account).first
	if f.target != r.target+1 || f.ground != al.p.Ground() {
		*f = firstWork{r.target + 1, al.p.Ground(), al.addFirst(f.in[:0], r.account, r.target*al.p.GPUsPerNode)}
	}
	return f.in
}

// addFirst lists where the first so many GPUs of an account's work stand.
func (al *aligner) addFirst(list []firstIn, a *fleet.Account, left int) []firstIn {
	seen := al.newMark()
	for turn, u := range al.unitsOfAccount(a) {
		fits := u.gpus <= left
		if left -= u.gpus; !fits {
			continue
		}
		for _, n := range u.nodes {
			if al.marks[n] >= seen {
				continue
			}
			al.marks[n] = seen
			node := al.p.Nodes[n]
			at := slices.IndexFunc(list, func(f firstIn) bool { return f.island == node.Island })
			if at < 0 {
				at, list = len(list), append(list, firstIn{island: node.Island, turn: turn})
			}
			list[at].nodes, list[at].usable = list[at].nodes+1, list[at].usable || node.UsableGPUs() > 0
		}
	}
	return list
}

// noTurn is the turn of an island in which none of an account's first work stands: after all others.
const noTurn = 1 << 30

// staysBefore says whether first work of an account stands covered on usable nodes here and comes before its work in
// another island: then no backing leaves here for that, idle or not (rule 3).
func (s *stand) staysBefore(other *stand) bool {
	return s.usable && s.first > 0 && s.first <= s.backing && s.turn < other.turn
}

// standingUnits lists what of an account's work stays, in the quota's order.
func standingUnits(a *fleet.Account) []standing {
	var list []standing
	for _, w := range a.Work() {
		for i, pool := range w.Pools {
			list = append(list, unitsOf(w, i, pool)...)
		}
	}
	slices.SortStableFunc(list, func(x, y standing) int { return x.key.Compare(y.key) })
	return list
}

// unitsOf is the staying part of a pool: what it needs at least is one unit, each
// replica above that another.
func unitsOf(w *fleet.Workload, i int, pool fleet.Pool) []standing {
	core := standing{key: fleet.KeyOf(w, pool.Rank, false)}
	var list []standing
	for _, r := range w.Replicas[i] {
		switch {
		case r.Phase == fleet.Leaving:
		case len(core.nodes) < pool.Min:
			core.gpus, core.nodes = core.gpus+pool.GPUs, append(core.nodes, r.Node)
			core.guaranteed = r.HeldAs == fleet.HoldsGuaranteed
		default:
			list = append(list, standing{fleet.KeyOf(w, pool.Rank, true), pool.GPUs, []int{r.Node}, r.HeldAs == fleet.HoldsGuaranteed})
		}
	}
	if core.gpus == 0 {
		return list
	}
	return append(list, core)
}

// countMending counts the nodes that gangs have lost and are mended with: what backs
// guaranteed ones, and what their tree lends to others, stays where they stand meanwhile.
func (al *aligner) countMending() {
	for _, w := range al.p.Broken() {
		k := al.accountOf(w)
		if k < 0 {
			continue
		}
		for i, pool := range w.Pools {
			lost := al.lostNodes(w, i)
			if lost == 0 || pool.Reach == fleet.ReachAny {
				continue
			}
			b := al.gangOf(w.Replicas[i])
			s := al.stand(k, b.island)
			if len(b.guaranteed) > 0 {
				s.mending, s.touched, s.covered = s.mending+lost, s.touched+lost, s.covered+lost
			}
			al.treeOf(s).touched += lost
		}
	}
}

// lostNodes is how many nodes a gang that stands has lost and is mended with.
func (al *aligner) lostNodes(w *fleet.Workload, pool int) int {
	if w.Stays(pool) == 0 || !w.IsMended() {
		return 0
	}
	each := max(1, al.p.GPUsPerNode/w.Pools[pool].GPUs)
	return (w.Misses(pool) + each - 1) / each
}

// accountOf is the index of the account that a workload runs under, or −1.
func (al *aligner) accountOf(w *fleet.Workload) int {
	k, found := slices.BinarySearchFunc(al.p.Accounts, w.Target, func(a *fleet.Account, quota string) int {
		switch {
		case a.Quota < quota:
			return -1
		case a.Quota > quota:
			return 1
		}
		return 0
	})
	if !found || w.Flexes() {
		return -1
	}
	return k
}

// firstWorkLacks is how many nodes an account's first work lacks where it stands on usable
// nodes: so many wait for their island rather than move under later work.
func (r *row) firstWorkLacks() int {
	n := 0
	for _, s := range r.stands {
		if s.usable {
			n += max(0, s.first-s.backing)
		}
	}
	return n
}

// later says whether work that comes after an account's first stands uncovered in an island.
func (s *stand) later() bool { return s.touched > max(s.first, s.backing) }

// uncovered says whether work of an account stands uncovered in some island.
func (r *row) uncovered() bool {
	return slices.ContainsFunc(r.stands, func(s stand) bool { return s.touched > s.backing })
}
