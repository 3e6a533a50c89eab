package stage

import (
	"context"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// unseen says what the reconciler does not see as the API server has it; "": nothing.
func (s *Stage) unseen(pods []pod) string {
	nodes, seen, listed := s.reconciler.Observed()
	if !listed {
		return "nothing is listed yet"
	}
	if n, want := len(nodes), len(s.created.nodes); n != want {
		return fmt.Sprintf("%d of %d nodes are seen", n, want)
	}
	for _, n := range nodes {
		if n.Broken != "" || slices.ContainsFunc(n.Signals, func(s fleet.Signal) bool { return !s.Well }) {
			return n.Name + " is not ready yet" // in a story no kubelet is late
		}
	}
	return unseenPod(pods, seen)
}

// unseenPod names a pod that the reconciler does not see as it is; "": there is none.
func unseenPod(pods []pod, observed []translate.Pod) string {
	seen := map[string]translate.Pod{}
	for _, p := range observed {
		seen[p.UID] = p
	}
	for _, p := range pods {
		is, ok := seen[p.UID]
		if !ok || is.Gated != p.waits || is.Node != p.bound || is.Leaving != p.deleted() || is.Over != p.ended() {
			return p.Name + " is not seen as it is"
		}
		delete(seen, p.UID)
	}
	if len(seen) > 0 {
		return "a deleted pod is still seen"
	}
	return ""
}

// Wrong lists where the cluster is not as the state says.
func (s *Stage) Wrong(state *fleet.State) (wrong []string) {
	want, leaving := seatsIn(state, fleet.Running), seatsIn(state, fleet.Leaving)
	pods, err := s.list(context.Background())
	if err != nil {
		return []string{err.Error()}
	}
	for _, p := range pods {
		switch {
		case p.waits || p.ended():
		case p.deleted():
			leaving[seatOf(&p)]--
		default:
			want[seatOf(&p)]--
		}
	}
	for seat, n := range want {
		if n != 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d more should run", seat, n))
		}
	}
	for seat, n := range leaving {
		if n != 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d more should be leaving", seat, n))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// Report says what should run and leave, and what the pods show: for finding out why a
// story fails.
func (s *Stage) Report() (lines []string) {
	for _, phase := range []fleet.Phase{fleet.Running, fleet.Leaving} {
		for seat, n := range s.seats(phase) {
			lines = append(lines, fmt.Sprintf("desired: %d %v: %s", n, phase, seat))
		}
	}
	slices.Sort(lines)
	pods, _ := s.list(context.Background())
	for _, p := range pods {
		lines = append(lines, fmt.Sprintf("pod %s: waits %t, on %q, pinned %q, %s %s %v", p.path(), p.waits, p.bound, p.Annotations[translate.AnnotationNode], p.phase, p.DeletionTimestamp, p.Finalizers))
	}
	return lines
}

// seats counts the replicas of the state in a phase, by workload, pool and node.
func (s *Stage) seats(phase fleet.Phase) (count map[string]int) {
	s.engine.Read(func(state *fleet.State) { count = seatsIn(state, phase) })
	return count
}

func seatsIn(state *fleet.State, phase fleet.Phase) map[string]int {
	count := map[string]int{}
	for _, w := range state.Workloads {
		if w.At() == nil {
			continue
		}
		for pool, replicas := range w.Replicas {
			for _, r := range replicas {
				if r.Phase == phase {
					count[seatName(workload{w.Namespace, w.Name}, w.Pools[pool].Name, w.At().Nodes[r.Node].Name)]++
				}
			}
		}
	}
	return count
}

func seatOf(p *pod) string { return seatName(p.workload(), p.Labels[translate.LabelPool], p.node()) }

func seatName(of workload, pool, node string) string { return fmt.Sprint(of, pool, " on ", node) }
