package api

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// workOn adds up work: how many workloads, and the GPUs that they hold.
type workOn struct {
	gpus int
	ids  map[uint64]bool
}

func (w *workOn) add(id uint64, gpus int) {
	if w.ids == nil {
		w.ids = map[uint64]bool{}
	}
	w.ids[id] = true
	w.gpus += gpus
}

func (w *workOn) String() string {
	return fmt.Sprintf("%s (%s)", text.Count(len(w.ids), "workload"), text.Count(w.gpus, "GPU"))
}

// leaversOf says how large a change of nodes is: the work that stands on them, how much of it
// would leave them, and how much of that starts elsewhere at once.
func leaversOf(s *fleet.State, events []event.Event) []string {
	var stands, leaves workOn
	nodes, again := map[string]bool{}, elsewhere{}
	for _, e := range events {
		switch e := e.(type) {
		case event.NodeChanged:
			if !nodes[e.Node] {
				nodes[e.Node] = true
				stands.on(s.Partition(e.Partition), e.Node)
			}
		case event.ReplicasLost:
			if w := s.Workloads[e.ID]; w != nil {
				leaves.add(e.ID, gpusIn(w, e.Spots))
			}
		case event.ReplicasPlaced:
			if leaves.ids[e.ID] {
				again[e.ID] = again[e.ID] || !e.Reserved
			}
		}
	}
	if len(leaves.ids) == 0 {
		return nil
	}
	return []string{saysLeavers(&stands, &leaves, len(nodes), again)}
}

// elsewhere are workloads that get other room, and whether they get it at once: else the work
// in it leaves first.
type elsewhere map[uint64]bool

func (all elsewhere) String() string {
	atOnce, later := "None", ""
	n := 0
	for _, is := range all {
		if is {
			n++
		}
	}
	if n > 0 {
		atOnce = text.Group(n)
	}
	if rest := len(all) - n; rest > 0 {
		later = fmt.Sprintf("; %s would once others have left", text.Group(rest))
	}
	return atOnce + " would start elsewhere at once, whole or in part" + later
}

// on adds the work that runs on a node.
func (w *workOn) on(p *fleet.Partition, node string) {
	if p == nil {
		return
	}
	i, known := p.Node(node)
	if !known {
		return
	}
	for _, r := range p.Nodes[i].Residents() {
		if r.Phase != fleet.Reserved {
			w.add(r.Workload.ID, r.GPUs())
		}
	}
}

func saysLeavers(stands, leaves *workOn, nodes int, again elsewhere) string {
	these := fmt.Sprintf("These %d nodes run", nodes)
	if nodes == 1 {
		these = "This node runs"
	}
	return fmt.Sprintf("%s %s; %s would leave. %s.", these, stands, leaves, again)
}
