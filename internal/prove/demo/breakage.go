package demo

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Some work ends when a GPU under it fails: its launcher has no attempts left, so the cluster
// reports that it failed before a monitor says a word of the node. All other work is mended or
// starts again elsewhere.

// attemptsLeft is the share of work that outlives such a fault.
const attemptsLeft = 0.5

// broken lists reports that work has failed, of what stood on nodes whose GPUs fail by a report.
func broken(seed uint64, s *fleet.State, r driver.Report) (list []core.Request) {
	if r.Nodes == nil || r.Nodes.State != fleet.Quarantined || !ofGPU(r.Nodes.Signal) {
		return nil
	}
	for _, w := range ours(s, fleet.RunningW) {
		if standsOn(s, w, r.Nodes.Names) && stream(seed, "attempts", strconv.FormatUint(w.ID, 10)).Float64() >= attemptsLeft {
			list = append(list, core.Request{Command: core.ReportFinished{ID: w.ID, Run: w.Run, Failed: true}, Actor: core.Reporter})
		}
	}
	return list
}

// standsOn says whether replicas of a workload run on one of these nodes.
func standsOn(s *fleet.State, w *fleet.Workload, nodes []string) bool {
	p := s.Partition(w.Where)
	if p == nil {
		return false
	}
	return slices.ContainsFunc(slices.Concat(w.Replicas...), func(r fleet.Replica) bool {
		return r.Phase == fleet.Running && slices.Contains(nodes, p.Nodes[r.Node].Name)
	})
}

// ofGPU says whether a cause of the measured faults is one that DCGM sees, as an XID.
func ofGPU(cause string) bool { return codesOf[cause] != nil }

// codesOf are the XIDs as which GPUs report causes of the measured faults. Half of those are GPUs,
// or of no known part.
var codesOf = map[string][]string{
	"GPU":           {"79", "48", "95", "119"},
	"unknown error": {"62", "109", "120", "154"},
}

// called is a cause as people read it while a node is repaired: what its GPU said, where it said
// something.
func (c *Cluster) called(node, cause string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(c.said[node], cause)
}

// note keeps what the GPU of a node said; other faults forget it.
func (c *Cluster) note(s fleet.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.said, s.Node); len(s.Codes) > 0 {
		c.said[s.Node] = "XID " + s.Codes[0]
	}
}
