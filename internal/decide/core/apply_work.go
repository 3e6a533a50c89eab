package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func applyWork(s *fleet.State, e event.Event, at fleet.Instant) bool {
	if w := s.Workloads[event.Workload(e)]; w != nil {
		s.TouchRetiring(w.Where) // once it has left, where it stood is not known any more
	}
	switch e := e.(type) {
	case event.WorkloadSubmitted:
		s.AddWorkload(e.ID, e.Spec, at)
	case event.WorkloadCancelled:
		w := s.Workloads[e.ID]
		s.End(w, fleet.Cancelled, at)
		w.Gone = e.Gone
		s.Order(w, 0, at, w.GraceEnds)
	case event.WorkloadFinished:
		s.End(s.Workloads[e.ID], ending(e.Failed), at)
	case event.WorkloadRetargeted:
		applyRetargeted(s, s.Workloads[e.ID], e, at)
	case event.WorkloadPrioritised:
		s.Change(s.Workloads[e.ID], func(w *fleet.Workload) { w.Priority = e.Priority })
	case event.WorkloadResized:
		applyResized(s, s.Workloads[e.ID], e, at)
	case event.WorkloadAdopted:
		applyAdopted(s, s.Workloads[e.ID], e, at)
	default:
		return applyReplicas(s, e, at)
	}
	return true
}

// applyRetargeted changes the target at once where nothing stands; else the
// workload leaves its nodes first.
func applyRetargeted(s *fleet.State, w *fleet.Workload, e event.WorkloadRetargeted, at fleet.Instant) {
	w.Moves = &fleet.Move{Target: e.Target, Partition: e.Partition}
	if w.At() != nil {
		w.GraceEnds = e.Until
		s.LeaveAll(w)
		s.Order(w, 0, at, e.Until)
		s.Settle(w, at)
	}
	if w.At() == nil && w.Moves != nil {
		s.Change(w, func(w *fleet.Workload) { w.Target, w.Partition, w.Moves = e.Target, e.Partition, nil })
	}
}

func ending(failed bool) fleet.WorkloadState {
	if failed {
		return fleet.Failed
	}
	return fleet.Finished
}

func applyReplicas(s *fleet.State, e event.Event, at fleet.Instant) bool {
	w := s.Workloads[event.Workload(e)]
	switch e := e.(type) {
	case event.ReplicasPlaced:
		applyPlaced(s, w, e)
	case event.ReplicasStarted:
		w.Mends += int32(w.Mending())
		s.Start(w)
	case event.ReplicasEvicted:
		applyEvicted(s, w, e, at)
	case event.GangReturned:
		applyReturned(s, w, e, at)
	case event.ReplicasOverdue:
		s.Repeat(w, e.Order, e.Again)
	case event.ReplicasStopped:
		s.Drop(w, e.Spots)
	case event.ReplicasLost:
		if p := w.At(); p != nil {
			if node, ok := p.Node(e.Node); ok {
				s.Interrupted(p, node, at)
			}
		}
		s.Lose(w, e.Spots, at)
	case event.ReplicasUnfit:
		s.Unfit(w, e.Spots)
	case event.ReplicasObserved:
		applyObserved(s, w, e)
	case event.ReservationEnded:
		s.Unreserve(w, e.Spots)
	case event.ProtectionCut:
		w.Cut = &fleet.ProtectionCut{At: at, GPUs: e.GPUs, Change: e.Change, By: e.By, Reason: e.Reason}
		return true // it is told when all is decided, and changes no replica
	case event.HoldsChanged:
		s.SetHolds(w, e.Pool, e.From, e.To, e.Holds)
	default:
		return false
	}
	s.TouchRetiring(w.Where)
	s.Settle(w, at)
	return true
}

func applyReturned(s *fleet.State, w *fleet.Workload, e event.GangReturned, at fleet.Instant) {
	if w.GraceEnds = e.Until; e.Stop {
		w.Stops++
	}
	s.Leave(w, e.Spots)
	s.Order(w, 0, at, e.Until)
}

func applyPlaced(s *fleet.State, w *fleet.Workload, e event.ReplicasPlaced) {
	phase := fleet.Running
	if e.Reserved {
		phase = fleet.Reserved
	}
	if e.Mend && !e.Reserved { // else it counts when the room is there
		w.Mends += int32(mended(e.Spots))
	}
	if w.At() == nil {
		w.Passed = e.Passed
	}
	s.Place(w, s.Partition(e.Partition), e.Spots, phase, e.Holds)
}

// mended counts the nodes that are swapped in.
func mended(spots []fleet.Spot) int {
	on := map[int]bool{}
	for _, spot := range spots {
		for _, n := range spot.Nodes {
			on[n] = true
		}
	}
	return len(on)
}

func applyEvicted(s *fleet.State, w *fleet.Workload, e event.ReplicasEvicted, at fleet.Instant) {
	if e.Whole {
		w.WasEvicted(at)
	}
	w.GraceEnds, w.For = e.Until, e.For
	s.Leave(w, e.Spots)
	s.Order(w, e.For, at, e.Until)
}
