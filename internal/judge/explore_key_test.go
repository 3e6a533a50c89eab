package judge_test

import (
	"fmt"
	"hash/fnv"
	"sort"
	"strings"

	"github.com/muster-fleet/muster/internal/fleet"
)

// key tells two moments of a model apart where what may follow differs: the
// backing, what stands where and how, and the workloads in their order. What
// nodes are named, which namespace is which, and when all this is, does not matter.
func (at moment) key() uint64 {
	h := fnv.New64a()
	h.Write([]byte(at.text()))
	return h.Sum64()
}

func (at moment) text() string {
	var b strings.Builder
	p := at.s.Partition(here)
	open := inOrder(at.open())
	order := ages(open)
	fmt.Fprint(&b, p.Promisable)
	for _, a := range p.Accounts {
		fmt.Fprint(&b, a.Backing, a.GangMissing, a.GangIsland)
	}
	for _, island := range p.Islands {
		nodes := make([]string, 0, len(island.Nodes()))
		for _, n := range island.Nodes() {
			nodes = append(nodes, nodeText(p.Nodes[n], order))
		}
		sort.Strings(nodes)
		fmt.Fprint(&b, island.Share, nodes)
	}
	names := map[string]int{}
	for _, w := range open {
		space := -1
		if w.Flexes() {
			if _, known := names[w.Namespace]; !known {
				names[w.Namespace] = len(names)
			}
			space = names[w.Namespace]
		}
		victimOf := -1
		if at, known := order[w.For]; known && w.For != 0 {
			victimOf = at
		}
		fmt.Fprint(&b, "|", w.Target, space, w.Priority, w.Pools[0].Rank, w.Pools[0].Min, w.State, victimOf, w.Started != 0)
	}
	return b.String()
}

// inOrder lists in-quota work in the order of importance and age (age between
// unequals decides nothing), and then flex work by age.
func inOrder(open []*fleet.Workload) []*fleet.Workload {
	list := append([]*fleet.Workload(nil), open...)
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Flexes() || b.Flexes() {
			return !a.Flexes()
		}
		return fleet.KeyOf(a, a.BaseRank(), false).Before(fleet.KeyOf(b, b.BaseRank(), false))
	})
	return list
}

// ages numbers workloads.
func ages(open []*fleet.Workload) map[uint64]int {
	order := map[uint64]int{}
	for i, w := range open {
		order[w.ID] = i
	}
	return order
}

// nodeText is what stands on a node and how.
func nodeText(n *fleet.Node, order map[uint64]int) string {
	t := fmt.Sprint(n.Island, n.State)
	for _, r := range n.Residents() {
		t += fmt.Sprint("/", order[r.Workload.ID], r.Pool, r.Phase, holdsOn(r, n))
	}
	return t
}

// holdsOn is how a resident holds its GPU.
func holdsOn(r fleet.Resident, n *fleet.Node) fleet.Holds {
	p := r.Workload.At()
	if p == nil {
		return fleet.NoHolds
	}
	for _, x := range r.Workload.Held[r.Pool] {
		if x.Phase == r.Phase && p.Nodes[x.Node] == n {
			return x.Holds
		}
	}
	return fleet.NoHolds
}
