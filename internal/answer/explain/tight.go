package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// tight says that the workload would start now were it not for nodes that have GPUs for it, and too
// little of something else: on a copy in which GPUs alone count, it could.
func (q *question) tight() (Blocker, bool) {
	nodes := q.tightNodes()
	if len(nodes) == 0 {
		return Blocker{}, false
	}
	c := q.s.ForkOf([]*fleet.Partition{q.p})
	p := c.Partition(q.p.ID)
	p.Footprints = nil
	w := c.Workload(q.w.Namespace, q.w.Name)
	if !placement.New(c, p, q.now).StartsNow(fleet.Waiting{Workload: w, Pool: q.it.Pool, Key: q.it.Key}) {
		return Blocker{}, false
	}
	b := block(reason.DoesNotFit, q.p, map[string]int{"needs": q.gpus, "nodes": len(nodes)}, namesOfNodes(q.p, nodes),
		"It would start now by its GPUs, but %s of %s cannot take all of its pods (%s): %s.", text.Count(len(nodes), "node"), q.p.ID, q.footprints(), whyTight(q.p, nodes))
	if q.never() {
		b.Text += " No node would take them even if it were free: they must ask for less, or for something else."
		return b.of(reason.Change), true
	}
	return b, true
}

// tightNodes lists what is known of the nodes that are tight for the workload's lowest-rank pools, once each.
func (q *question) tightNodes() (list []fleet.Tight) {
	for _, pool := range q.basePools() {
		f := q.p.Footprint(pool.Footprint)
		if f == nil {
			continue
		}
		for _, t := range f.Tight {
			if !slices.ContainsFunc(list, func(o fleet.Tight) bool { return o.Node == t.Node }) {
				list = append(list, t)
			}
		}
	}
	return list
}

func (q *question) basePools() (list []fleet.Pool) {
	for _, pool := range q.w.Pools {
		if pool.Rank == q.w.BaseRank() {
			list = append(list, pool)
		}
	}
	return list
}

// never says whether some pool is such that no usable node takes one of its replicas, whatever of
// Muster's work leaves it.
func (q *question) never() bool {
	return slices.ContainsFunc(q.basePools(), func(pool fleet.Pool) bool {
		f := q.p.Footprint(pool.Footprint)
		takes := false
		for i, n := range q.p.Nodes {
			t := f.At(i)
			takes = takes || n.State.Usable() && (t == nil || t.Takes > 0)
		}
		return !takes
	})
}

// footprints names what the workload's replicas ask for that some node is tight for.
func (q *question) footprints() string {
	var names []string
	for _, pool := range q.basePools() {
		if q.p.Footprint(pool.Footprint) != nil && !slices.Contains(names, pool.Footprint) {
			names = append(names, pool.Footprint)
		}
	}
	return strings.Join(names, "; ")
}

// whyTight says of a few nodes what they lack.
func whyTight(p *fleet.Partition, nodes []fleet.Tight) string {
	const told = 2
	var says []string
	for _, t := range nodes[:min(len(nodes), told)] {
		says = append(says, p.Nodes[t.Node].Name+" "+t.Why)
	}
	if n := len(nodes) - told; n > 0 {
		return strings.Join(says, "; ") + fmt.Sprintf("; and %d others", n)
	}
	return strings.Join(says, "; ")
}

func namesOfNodes(p *fleet.Partition, nodes []fleet.Tight) (names []string) {
	for _, t := range nodes[:min(len(nodes), most)] {
		names = append(names, p.Nodes[t.Node].Name)
	}
	return names
}
