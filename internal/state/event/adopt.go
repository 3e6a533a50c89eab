package event

// WorkloadAdopted says: work that was seen on a cluster is Muster's from now on, where
// it stands. Its groups say what makes its pods, as those of work that was submitted do.
type WorkloadAdopted struct {
	ID     uint64   `json:"id"`
	Groups []string `json:"groups"` // those that come to the ones it has
}

func (WorkloadAdopted) Kind() string { return "workload.adopted" } // Kind is the event's stable name.
