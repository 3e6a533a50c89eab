package kube

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// misplacedPod is a pod that its node does not take, so that its workload looks for another.
type misplacedPod struct {
	start startAction
	why   string
}

// move tells the engine of pods that do not fit where they are to start: it plans them elsewhere, or they wait
// with the reason. A gang that does not run yet is planned anew as a whole; of are all starts of the round.
func (c *fitController) move(s *fleet.State, list []misplacedPod, of []startAction, all *nodeFits) (commands []core.Command) {
	told := map[uint64]bool{}
	for _, m := range list {
		w := s.Workloads[m.start.id]
		if w == nil || w.At() == nil || m.start.pool >= len(w.Pools) {
			continue
		}
		commands = append(commands, c.full(w, m, all)...)
		if m.start.gang {
			if !told[w.ID] {
				told[w.ID] = true
				commands = append(commands, core.ReportUnfit{ID: w.ID, Spots: spotsOf(w, of), Why: m.why})
			}
			continue
		}
		commands = append(commands, core.ReportUnfit{ID: w.ID, Spots: spotsOf(w, []startAction{m.start}), Why: m.why})
	}
	return commands
}

// full says that a node takes no more pods than still fit there beside what stands. Where a workload did not fit
// before though it seemed to, the node counts as full for all of its pools for a while: so it tries others.
func (c *fitController) full(w *fleet.Workload, m misplacedPod, all *nodeFits) (commands []core.Command) {
	key := startKey{w.ID, m.start.node}
	again := c.failed[key] >= mostFailed
	c.failed[key]++
	for i, pool := range w.Pools {
		if pool.Footprint == "" || i != m.start.pool && !again {
			continue
		}
		of := fitKey{pool.Footprint, m.start.node}
		if again {
			c.barred[of] = c.Now().Add(heldFor)
		}
		t := c.takings(of, gpusOn(w.At(), m.start.node)/max(1, pool.GPUs), all.loadOf(m.start.node))
		if !t.Full { // it seemed to fit, and did not: the engine plans it anew only where a node is full
			t.Full, t.More, t.Why = true, t.Takes, m.why
		}
		commands = append(commands, core.ReportFit{Partition: w.At().ID, Footprint: pool.Footprint, Tight: []event.TightNode{t}})
	}
	return commands
}

func gpusOn(p *fleet.Partition, name string) int {
	node, ok := p.Node(name)
	if !ok {
		return 0
	}
	return p.Nodes[node].GPUs
}

// spotsOf are the places of a workload's starts.
func spotsOf(w *fleet.Workload, starts []startAction) (spots []fleet.Spot) {
	for _, s := range starts {
		if s.id != w.ID {
			continue
		}
		node, ok := w.At().Node(s.node)
		if !ok {
			continue
		}
		at := slices.IndexFunc(spots, func(spot fleet.Spot) bool { return spot.Pool == s.pool })
		if at < 0 {
			at = len(spots)
			spots = append(spots, fleet.Spot{Pool: s.pool})
		}
		spots[at].Nodes = append(spots[at].Nodes, node)
	}
	return spots
}
