package simulate

import (
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What mending is worth shows only beside a world without it. That world needs
// nothing of the engine: in the same breath in which a node fails, its gangs are
// sent back to their queue.

// strike is the request that a node's new state becomes.
func (r *run) strike(set driver.Nodes) core.Request {
	q := engine.RequestOf(driver.Report{At: r.now, Nodes: &set})
	if !r.options.NoMend || set.State == fleet.Healthy {
		return q
	}
	var batch []core.Command
	r.engine.Read(func(s *fleet.State) { batch = reschedule(s, set.Names[0]) })
	q.Command = core.Batch{Commands: append(batch, q.Command)}
	return q
}

// reschedule is what a world without mending does before a node fails: its gangs
// go back to their queue, with their age. A workload that is given another
// partition leaves its nodes and waits anew; naming the one that it stands in, or
// taking the name back, changes nothing else where the fleet has one partition.
func reschedule(s *fleet.State, node string) []core.Command {
	var list []core.Command
	for _, w := range gangsOn(s, node) {
		partition := w.Where
		if w.Partition != "" {
			partition = ""
		}
		list = append(list, core.Retarget{Namespace: w.Namespace, Name: w.Name, Target: w.Target, Partition: partition})
	}
	return list
}

// gangsOn lists the workloads that lose a replica of a gang with a node and keep
// others elsewhere, in order of arrival on the node.
func gangsOn(s *fleet.State, node string) []*fleet.Workload {
	var list []*fleet.Workload
	for _, p := range s.Partitions {
		n, ok := p.Node(node)
		if !ok {
			continue
		}
		seen := map[uint64]bool{}
		for _, r := range p.Nodes[n].Residents() {
			w := r.Workload
			if !seen[w.ID] && w.State == fleet.RunningW && !w.Pools[r.Pool].Elastic && standsBeside(w, n) {
				list = append(list, w)
			}
			seen[w.ID] = true
		}
	}
	return list
}

// standsBeside says whether a workload runs on another node too.
func standsBeside(w *fleet.Workload, node int) bool {
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Node != node && r.Phase == fleet.Running {
				return true
			}
		}
	}
	return false
}
