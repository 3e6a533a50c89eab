package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// tight says that the workload would start now were it not for nodes that have GPUs for it, and too
// little of something else: on a copy in which GPUs alone count, it could. What no node could ever take
// is told apart from what others are in the way of.
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
	figures := map[string]int{"needs": q.gpus, "nodes": len(nodes)}
	if !q.everTaken() {
		return block(reason.DoesNotFit, q.p, figures, namesOfTight(nodes),
			"It would start now by its GPUs, but the nodes of %s could not take all of its pods (%s) even if they were empty: %s. Its pods must ask for less, or for something else.",
			q.p.ID, q.footprints(), whyTight(nodes, func(t Tight) string { return t.Why })).of(reason.Change), true
	}
	return block(reason.DoesNotFit, q.p, figures, namesOfTight(nodes),
		"It would start now by its GPUs, but %s of %s cannot take all of its pods (%s): %s. It starts once enough of that has left.",
		text.Count(len(nodes), "node"), q.p.ID, q.footprints(), whyTight(q.told(nodes), Tight.String)).by(q.worksOn(nodes)), true
}

// tightNodes lists the nodes that are tight for the workload's lowest-rank pools, once each: those that others
// are in the way on come first, then those that are too small.
func (q *question) tightNodes() (list []Tight) {
	for _, pool := range q.basePools() {
		f := q.p.Footprint(pool.Footprint)
		if f == nil {
			continue
		}
		for _, t := range f.Tight {
			if n := q.p.Nodes[t.Node]; !slices.ContainsFunc(list, func(o Tight) bool { return o.Name == n.Name }) {
				list = append(list, tightOn(n, f.Name, t, pool.GPUs))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Tight) int { return cmp.Compare(turn(a), turn(b)) })
	return list
}

func turn(t Tight) int {
	if t.Foreign || len(t.Work) > 0 {
		return 0
	}
	return 1
}

func (q *question) basePools() (list []fleet.Pool) {
	for _, pool := range q.w.Pools {
		if pool.Rank == q.w.BaseRank() {
			list = append(list, pool)
		}
	}
	return list
}

// everTaken says whether the nodes would take the replicas of each pool if nothing at all stood on them: those
// of one island for a gang that stands in one. Each pool is looked at alone.
func (q *question) everTaken() bool {
	return !slices.ContainsFunc(q.basePools(), func(pool fleet.Pool) bool { return !q.takesEver(pool) })
}

func (q *question) takesEver(pool fleet.Pool) bool {
	f, all, in := q.p.Footprint(pool.Footprint), 0, make([]int, len(q.p.Islands))
	for i, n := range q.p.Nodes {
		if n.State == fleet.Retired {
			continue
		}
		slots := n.GPUs / pool.GPUs
		if t := f.At(i); t != nil {
			slots = min(slots, t.Empty)
		}
		all += slots
		in[n.Island] += slots
	}
	if pool.Reach == fleet.ReachAny || pool.Elastic {
		return all >= pool.Min
	}
	return slices.Max(in) >= pool.Min
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

// whyTight says of a few nodes what they lack, and who has it.
func whyTight(nodes []Tight, says func(Tight) string) string {
	const told = 2
	var list []string
	for _, t := range nodes[:min(len(nodes), told)] {
		list = append(list, t.Name+" "+says(t))
	}
	if n := len(nodes) - told; n > 0 {
		list = append(list, "and "+text.Count(n, "other"))
	}
	return strings.Join(list, "; ")
}

func namesOfTight(nodes []Tight) (names []string) {
	for _, t := range nodes[:min(len(nodes), most)] {
		names = append(names, t.Name)
	}
	return names
}

// told are the nodes with the names that the reader may be told.
func (q *question) told(nodes []Tight) []Tight {
	list := make([]Tight, len(nodes))
	for i, t := range nodes {
		list[i] = t.To(func(name string) bool { return q.reader.may(q.p, name) })
	}
	return list
}

// worksOn names the work of Muster's that is in the way.
func (q *question) worksOn(nodes []Tight) (n named) {
	seen := map[string]bool{}
	for _, t := range nodes {
		for _, name := range t.Work {
			switch {
			case seen[name]:
			case !q.reader.may(q.p, name):
				n.others++
			default:
				n.names = append(n.names, name)
			}
			seen[name] = true
		}
	}
	return n
}
