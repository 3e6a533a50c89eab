package promise

import "github.com/muster-fleet/muster/internal/state/fleet"

// Leaver is a part of a workload that is about to leave.
type Leaver struct {
	Workload *fleet.Workload
	Spots    []fleet.Spot
}

// Uncovers says whether what backs the accounts now covers less of their running work than another backing would: of all
// that stands, and also of what stays when some work has left.
func Uncovers(p *fleet.Partition, before Alignment, leave []Leaver) bool {
	now := Present(p)
	beside := func(leave []Leaver) func(*fleet.Account) (own, all []int) {
		return func(a *fleet.Account) (own, all []int) {
			nodes := touchedBeside(p, a, leave)
			return nodes, nodes
		}
	}
	return !now.uncoversNone(p, before, beside(nil)) && !now.uncoversNone(p, before, beside(leave))
}

// touchedBeside counts, by island, the nodes on which work of an account stands and stays when some has left.
func touchedBeside(p *fleet.Partition, a *fleet.Account, leave []Leaver) []int {
	nodes, seen := make([]int, len(p.Islands)), map[int]bool{}
	for _, w := range a.Work() {
		gone := leavingOf(w, leave)
		for pool, replicas := range w.Replicas {
			for _, r := range replicas {
				at := [2]int{pool, r.Node}
				switch {
				case r.Phase == fleet.Leaving:
				case gone[at] > 0:
					gone[at]--
				case !seen[r.Node]:
					seen[r.Node] = true
					nodes[p.Nodes[r.Node].Island]++
				}
			}
		}
	}
	return nodes
}

// leavingOf counts the replicas of a workload that are about to leave, by pool and node.
func leavingOf(w *fleet.Workload, leave []Leaver) map[[2]int]int {
	gone := map[[2]int]int{}
	for _, l := range leave {
		for _, spot := range l.Spots {
			for _, node := range spot.Nodes {
				if l.Workload == w {
					gone[[2]int{spot.Pool, node}]++
				}
			}
		}
	}
	return gone
}
