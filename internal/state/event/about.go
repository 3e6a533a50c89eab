package event

// Workload is the id of the workload that an event is about; 0: it is about none.
func Workload(e Event) uint64 {
	switch e := e.(type) {
	case WorkloadSubmitted:
		return e.ID
	case WorkloadCancelled:
		return e.ID
	case WorkloadFinished:
		return e.ID
	case WorkloadRetargeted:
		return e.ID
	case WorkloadPrioritised:
		return e.ID
	case WorkloadResized:
		return e.ID
	case WorkloadAdopted:
		return e.ID
	case WorkloadAgreed:
		return e.ID
	case WorkloadPaused:
		return e.ID
	case WorkloadResumed:
		return e.ID
	}
	return replicasOf(e)
}

// replicasOf is the workload whose replicas an event moves.
func replicasOf(e Event) uint64 {
	switch e := e.(type) {
	case ReplicasPlaced:
		return e.ID
	case ReplicasStarted:
		return e.ID
	case ReplicasObserved:
		return e.ID
	case ReplicasEvicted:
		return e.ID
	case GangReturned:
		return e.ID
	case ReplicasStopped:
		return e.ID
	case ReplicasOverdue:
		return e.ID
	case ReplicasLost:
		return e.ID
	case ReplicasUnfit:
		return e.ID
	case ReservationEnded:
		return e.ID
	case HoldsChanged:
		return e.ID
	case ProtectionCut:
		return e.ID
	}
	return 0
}
