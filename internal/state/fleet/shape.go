package fleet

import (
	"fmt"
	"time"
)

// shapeKey is what a shape stands for.
type shapeKey struct {
	importance Importance
	needs      string // of the lowest-rank pools
	partition  string
	maxRuntime time.Duration
}

// shapeOf numbers the shape of a workload's lowest-rank pools, from 1.
func (s *State) shapeOf(w *Workload) int {
	if w.shape == 0 {
		key := shapeKey{KeyOf(w, w.BaseRank(), false).Importance(), w.needs(), w.Partition, w.MaxRuntime}
		if s.shapes[key] == 0 {
			s.shapes[key] = s.shaped + len(s.shapes) + 1
		}
		w.shape = s.shapes[key]
	}
	return w.shape
}

// needs is what the lowest-rank pools need, as a text.
func (w *Workload) needs() string {
	base, text := w.BaseRank(), ""
	for _, p := range w.Pools {
		if p.Rank == base {
			text += fmt.Sprintf("%dx%d %s ", p.Min, p.GPUs, p.Reach)
		}
	}
	return text
}

// ask counts what a workload would take at most into (sign 1) or out of (−1)
// what its namespace asks of flex here.
func (p *Partition) ask(w *Workload, sign int) {
	if w.Flexes() {
		p.flexUse(w.Namespace).asked += sign * w.Asks()
	}
}

// Demand is what a namespace holds and asks for on flex here, elastic pools at max.
func (f *FlexUse) Demand() int { return f.asked + f.standing }
