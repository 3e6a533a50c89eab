package fleet

import (
	"strconv"
	"time"
)

// The shape of waiting work is all that decides whether it finds room, beside its age and its
// queue (see Waiting.Shape). Shapes have numbers, so that they are compared at once.

// shapeKey is what workloads of one shape have in common.
type shapeKey struct {
	importance Importance
	needs      string // of the lowest-rank pools
	partition  string
	maxRuntime time.Duration
}

// shapeOf is the number of the shape of a workload's lowest-rank pools, from 1. Numbers are
// given in the order in which shapes are met, and kept with the workload.
func (s *State) shapeOf(w *Workload) int {
	if w.shape == 0 {
		key := shapeKey{KeyOf(w, w.BaseRank(), false).Importance(), w.needs(), w.Partition, w.MaxRuntime}
		if s.shapes[key] == 0 {
			s.shapes[key] = s.shaped + len(s.shapes) + 1
		}
		w.shape = int32(s.shapes[key])
	}
	return int(w.shape)
}

// needs is what the lowest-rank pools need, as a text: "8x1 island  " for 8 replicas of one GPU
// in one island, and what they ask of their nodes beside.
func (w *Workload) needs() string {
	base, room := w.BaseRank(), [64]byte{}
	text := room[:0]
	for i := range w.Pools {
		if p := &w.Pools[i]; p.Rank == base {
			text = append(strconv.AppendInt(text, int64(p.Min), 10), 'x')
			text = append(strconv.AppendInt(text, int64(p.GPUs), 10), ' ')
			text = append(append(text, p.Reach...), ' ')
			text = append(append(text, p.Footprint...), ' ')
		}
	}
	return string(text)
}
