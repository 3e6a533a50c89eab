package fleet

import "slices"

// Resize gives a pool another size. What of it stays above the size must be told to
// leave besides.
func (s *State) Resize(w *Workload, pool, low, high int) {
	s.Change(w, func(w *Workload) {
		w.Pools = slices.Clone(w.Pools) // copies of the state, and drivers, share it
		w.Pools[pool].Min, w.Pools[pool].Max = low, high
	})
	if w.partition != nil {
		w.partition.restand(w) // other replicas are surplus now
		w.unalign()
	}
}

// FinishPool takes a pool out of a workload that stands nowhere: all of it has finished.
func (s *State) FinishPool(w *Workload, pool int) {
	s.Change(w, func(w *Workload) {
		w.Pools = slices.Delete(slices.Clone(w.Pools), pool, pool+1)
		w.Replicas = make([][]Replica, len(w.Pools))
	})
}
