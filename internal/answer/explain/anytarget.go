package explain

import (
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// everywhere is what keeps work of any target from starting.
func (q *question) everywhere() []Blocker {
	var list []Blocker
	if c := q.s.Cluster(q.p.Cluster); c != nil && (c.Stale || c.Mode != fleet.Enforce) {
		list = append(list, q.notReady(c))
	}
	if q.p.Halted() != "" {
		list = append(list, block(reason.ClusterNotReady, q.p, nil, nil, "Nothing new is decided in %s: %s.", q.p.ID, q.p.Halted()))
	}
	if !q.pl.CouldEver(q.it) {
		list = append(list, q.tooLarge())
	}
	return list
}

// notReady is the blocker of a cluster in which nothing new may start.
func (q *question) notReady(c *fleet.Cluster) Blocker {
	if c.Stale {
		return block(reason.ClusterNotReady, q.p, nil, []string{c.Name}, "The reports of %s have stopped; nothing new starts there until it reports again.", c.Name)
	}
	// The cluster's mode is a choice, no fault: an operator can change it.
	return block(reason.ClusterNotReady, q.p, nil, []string{c.Name}, "Cluster %s is in mode %s; Muster starts nothing there.", c.Name, c.Mode).of(reason.Ask)
}

// tooLarge is the blocker of a workload that the partition could not hold even empty: a
// replica larger than a node, a gang larger than any island or rack, or too many GPUs in all.
func (q *question) tooLarge() Blocker {
	for _, pool := range q.w.Pools {
		if pool.GPUs > q.p.GPUsPerNode {
			return block(reason.GangTooLarge, q.p, map[string]int{"needs": pool.GPUs, "perNode": q.p.GPUsPerNode}, nil,
				"A replica of %s needs %s on one node; a node of %s has %d.", pool.Name, text.Count(pool.GPUs, "GPU"), q.p.ID, q.p.GPUsPerNode)
		}
	}
	largest := q.largest()
	figures := map[string]int{"needs": q.gpus, "needsNodes": q.gang, "largestNodes": largest}
	if q.gang == 0 {
		delete(figures, "needsNodes")
		return block(reason.GangTooLarge, q.p, figures, nil, "It needs %s at once, and all of %s could not hold it.", text.Count(q.gpus, "GPU"), q.p.ID)
	}
	return block(reason.GangTooLarge, q.p, figures, nil, "Its gang needs %s in one %s; no %s of %s could ever hold it (the largest %s has %s).",
		text.Count(q.gang, "node"), q.reach(), q.reach(), q.p.ID, q.reach(), text.Count(largest, "node"))
}

// largest counts the nodes of the largest island, or of the largest rack where the gang must
// stand in one.
func (q *question) largest() int {
	most := 0
	for _, island := range q.p.Islands {
		if q.reach() == "island" {
			most = max(most, len(island.Nodes()))
			continue
		}
		racks := map[int]int{}
		for _, n := range island.Nodes() {
			racks[q.p.Nodes[n].Rack]++
			most = max(most, racks[q.p.Nodes[n].Rack])
		}
	}
	return most
}
