package explain

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file looks for room on flex, island by island, and for the work that stands in it.

// fitsFree says whether its largest gang has room in one piece, on free nodes.
func (q *question) fitsFree() bool {
	for i := range q.p.Islands {
		if q.freeNodes(i) >= q.gang {
			return true
		}
	}
	return false
}

// looseOnFlex is the GPUs of an island that are free or that flex work holds: what
// could be free for other flex work.
func (q *question) looseOnFlex(island int) int {
	n := 0
	for _, k := range q.p.Islands[island].Nodes() {
		node := q.p.Nodes[k]
		n += node.Room()
		for _, r := range node.Residents() {
			if r.Workload.Flexes() && r.Phase != fleet.Leaving {
				n += r.GPUs()
			}
		}
	}
	return n
}

func (q *question) freeNodes(island int) int {
	n := 0
	for _, k := range q.p.Islands[island].Nodes() {
		if node := q.p.Nodes[k]; node.Room() >= q.p.GPUsPerNode {
			n++
		}
	}
	return n
}

// inTheWay names the work that keeps the island where the least is missing from having room in one piece, the smallest
// first: flex work, and work in quota that leaves nodes of its free in part.
func (q *question) inTheWay() (n named) {
	best := q.nearestIsland()
	if best < 0 {
		return n
	}
	var list []*fleet.Workload
	for _, k := range q.p.Islands[best].Nodes() {
		node := q.p.Nodes[k]
		for _, r := range node.Residents() {
			if (r.Workload.Flexes() || node.Room() > 0) && !slices.Contains(list, r.Workload) {
				list = append(list, r.Workload)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *fleet.Workload) int {
		return cmp.Or(cmp.Compare(a.GPUs(), b.GPUs()), cmp.Compare(a.ID, b.ID))
	})
	return q.reader.named(q.p, list[:min(len(list), most)])
}

// nearestIsland is the island in which the least is missing for room in one piece, or −1.
func (q *question) nearestIsland() int {
	best, free := -1, -1
	for i, island := range q.p.Islands {
		n := q.freeNodes(i)
		if q.looseOnFlex(i) >= max(q.gang*q.p.GPUsPerNode, 1) {
			n += len(q.p.Nodes) // there it could be
		}
		if n > free && len(island.Nodes()) >= q.gang {
			best, free = i, n
		}
	}
	return best
}
