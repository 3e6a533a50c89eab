package view

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// toll is what a plan does to one workload in one partition, in all its waves together. Each GPU counts once: what one
// wave leaves unprotected and a later one takes is taken, and what leaves twice leaves.
type toll struct {
	fleet.Touched
	before      int // GPUs that are unprotected before the first wave
	unprotected int // and after the wave that was looked at last
	evicted     int
	back        int // of those evicted, started again since
	requeued    int
}

// tollsOf are the workloads that a plan touches in a partition, in the order in which its waves reach them.
func tollsOf(h *fleet.Haircut, partition string) []*toll {
	var list []*toll
	first := true
	for _, w := range h.Waves {
		for _, part := range w.Parts {
			if part.Partition == partition {
				list = wave(list, &part, first)
				first = false
			}
		}
	}
	return list
}

// wave adds what one wave does.
func wave(list []*toll, part *fleet.CutPart, first bool) []*toll {
	of := func(t fleet.Touched) *toll {
		for _, one := range list {
			if one.Workload == t.Workload {
				return one
			}
		}
		list = append(list, &toll{Touched: t})
		return list[len(list)-1]
	}
	for _, one := range list {
		one.unprotected = 0 // as the plan found it before this wave
	}
	for _, t := range part.Known {
		of(t).unprotected += t.GPUs
		if first {
			of(t).before += t.GPUs
		}
	}
	for _, t := range part.Evicted {
		of(t).leaves(t.GPUs)
	}
	for _, t := range part.Starts {
		one := of(t)
		one.back = min(one.evicted, one.back+t.GPUs)
	}
	for _, t := range part.Unprotected {
		of(t).unprotected += t.GPUs
	}
	for _, t := range part.Requeued {
		one := of(t)
		one.requeued = max(one.requeued, t.GPUs)
	}
	return list
}

// leaves counts GPUs that are taken from a workload.
func (x *toll) leaves(gpus int) {
	again := min(gpus, x.back)
	x.evicted, x.back = x.evicted+gpus-again, x.back-again
	x.unprotected = max(0, x.unprotected-gpus)
}

// running says what the cut does to work that runs or starts, as trying it showed.
func running(h *fleet.Haircut, c *concern) []string {
	var texts, already []string
	for _, part := range c.parts {
		for _, x := range tollsOf(h, part.Partition) {
			if ownerOf(h, x.Touched) != c.owner {
				continue
			}
			texts = append(texts, x.says(c.name(x.Workload), part.Partition)...)
			if n := x.before - x.evicted; n > 0 {
				already = append(already, fmt.Sprintf("%s is unprotected already with %s in %s: it may have to leave when work inside its quota needs them.", c.name(x.Workload), text.Count(n, "GPU"), part.Partition))
			}
		}
	}
	if len(texts)+len(already) == 0 {
		return []string{"Nothing that runs is lost, and nothing that runs becomes less safe: this was tried on a copy of the fleet."}
	}
	return append(append(texts, already...), "Nothing else that runs is touched: this was tried on a copy of the fleet.")
}

// says is what becomes of the workload.
func (x *toll) says(called, partition string) (texts []string) {
	if more := x.unprotected - x.before; more > 0 {
		texts = append(texts, fmt.Sprintf("%s runs on, but %s unprotected: it may have to leave when work inside its quota needs them.", called,
			text.Counted(more, "of its GPUs in "+partition+" becomes", "of its GPUs in "+partition+" become")))
	}
	if x.evicted > 0 {
		texts = append(texts, fmt.Sprintf("%s gives way with %s in %s to work that starts then.", called, text.Count(x.evicted, "GPU"), partition))
	}
	if x.requeued > 0 {
		texts = append(texts, fmt.Sprintf("%s is starting, and loses its reserved room of %s in %s: it goes back to its queue, with its age.", called, text.Count(x.requeued, "GPU"), partition))
	}
	return texts
}
