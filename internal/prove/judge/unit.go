package judge

import (
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Unit is what starts and stops as one: the lowest-rank pools of a workload at
// min, a pool of higher rank at min, or one replica above min.
type Unit struct {
	Work    *fleet.Workload
	Account *fleet.Account // that its GPUs count for; nil on flex
	Pool    int            // index of its pool; fleet.Base: the lowest-rank pools
	Replica int            // of surplus: index among the pool's replicas
	nth     int            // of surplus: how many of the pool come before it
	Key     fleet.Key      // its place in the quota's order
	Stands  []Stand
	Holds   fleet.HeldAs
	Passes  bool // it would start as a borrower: more important work that waits in its quota may take its room back
}

// Stand is a replica on a node.
type Stand struct {
	Node, GPUs int
	Runs       bool   // its room is more than reserved
	Footprint  string // what it asks of its node beside GPUs
}

// GPUs is what the unit holds or has reserved.
func (u Unit) GPUs() int {
	t := 0
	for _, st := range u.Stands {
		t += st.GPUs
	}
	return t
}

// misses is the GPUs that broken gangs of the unit lack: it is held as it will be once they are whole.
func (u Unit) misses() int {
	t := 0
	for i, pool := range u.Work.Pools {
		if i == u.Pool || u.Pool == fleet.Base && pool.Rank == u.Work.BaseRank() {
			t += u.Work.Misses(i) * pool.GPUs
		}
	}
	return t
}

// id tells the units of a partition apart.
type id struct {
	work          uint64
	pool, replica int
	surplus       bool
}

func (u Unit) id() id { return id{u.Work.ID, u.Pool, u.Replica, u.Key.Surplus} }

// follows says whether u leaves when v does: everything goes with the
// lowest-rank pools, and a pool's surplus with its min.
func (u Unit) follows(v Unit) bool {
	if u.Work != v.Work || v.Key.Surplus || u.id() == v.id() {
		return false
	}
	return v.Pool == fleet.Base || u.Pool == v.Pool && u.Key.Surplus
}

// earlier is the order inside a quota (semantics §5): importance, which is
// priority and then rank, an elastic pool's min before its surplus, age.
func earlier(a, b fleet.Key) bool {
	switch {
	case a.Priority != b.Priority:
		return a.Priority < b.Priority
	case a.Rank != b.Rank:
		return a.Rank < b.Rank
	case a.Surplus != b.Surplus:
		return b.Surplus
	case a.Since != b.Since:
		return a.Since < b.Since
	}
	return a.ID < b.ID
}

// moreImportant compares priority, then rank.
func moreImportant(a, b fleet.Key) bool {
	return a.Priority < b.Priority || a.Priority == b.Priority && a.Rank < b.Rank
}

// UnitsOf lists what of a workload stands and means to stay.
func UnitsOf(w *fleet.Workload) []Unit { return unitsOf(w, nil) }

// unitsOf is UnitsOf where of identical replicas some (by pool and index) are the
// last: they are surplus first.
func unitsOf(w *fleet.Workload, last map[[2]int]bool) []Unit {
	base := Unit{Work: w, Account: w.Account(), Pool: fleet.Base, Key: keyOf(w, w.BaseRank(), false)}
	var list []Unit
	for i, pool := range w.Pools {
		own := Unit{Work: w, Account: w.Account(), Pool: i, Key: keyOf(w, pool.Rank, false)}
		for n, r := range inTurn(w, i, last) {
			st := Stand{r.node, pool.GPUs, r.runs, pool.Footprint}
			to := &own
			if n >= pool.Min {
				list = append(list, Unit{w, w.Account(), i, r.index, n, keyOf(w, pool.Rank, true), []Stand{st}, r.holds, false})
				continue
			} else if pool.Rank == w.BaseRank() {
				to = &base
			}
			to.Stands, to.Holds = append(to.Stands, st), r.holds
		}
		if len(own.Stands) > 0 {
			list = append(list, own)
		}
	}
	if len(base.Stands) > 0 {
		list = append(list, base)
	}
	return list
}

func keyOf(w *fleet.Workload, rank int, surplus bool) fleet.Key {
	return fleet.Key{Priority: w.Priority, Rank: rank, Surplus: surplus, Since: w.Submitted, ID: w.ID}
}

// unitsIn lists the units that stand in a partition, first in their order first.
func unitsIn(s *fleet.State, p *fleet.Partition) []Unit {
	var list []Unit
	for _, w := range s.Workloads {
		if w.At() == p {
			list = append(list, UnitsOf(w)...)
		}
	}
	inOrder(list)
	return list
}

// inOrder sorts units, first in their order first.
func inOrder(list []Unit) {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Key != b.Key {
			return earlier(a.Key, b.Key)
		}
		return a.Pool < b.Pool || a.Pool == b.Pool && a.nth < b.nth
	})
}
