package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mend measures the time from a node's failure to the mended plan: the node
// goes, and a gang in quota that stood on it has another one in the same record.
func mend(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "mend", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	sizes := []int{1_000, 10_000, 100_000}
	if o.Quick {
		sizes = sizes[:2]
	}
	for _, nodes := range sizes {
		o.say("%d nodes", nodes)
		h, err := newHall(ctx, nodes, nodes/10)
		if err != nil {
			return r, err
		}
		if err := r.mends(ctx, h, nodes, o.scaled(1_000)); err != nil {
			return r, err
		}
	}
	r.remark("Decision engine only, in process, without disk. Every mend takes a node of flex work in the gang's island; the failed node then returns and flex starts on it again.\n" +
		"Processor time is that of the deciding thread alone (Linux), what it did for the garbage collector included: on a machine with other work the rest is waiting for a core.")
	return r, nil
}

func (r *Report) mends(ctx context.Context, h *hall, nodes, n int) error {
	var took, busy []time.Duration
	mended := 0
	runtime.LockOSThread() // so that the thread's processor time is the decision's
	defer runtime.UnlockOSThread()
	for i := 0; i < n; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		node := h.gangNode(i * 7919)
		if node == "" {
			return fmt.Errorf("no gang in quota runs on %d nodes", nodes)
		}
		began, worked := time.Now(), threadTime()
		out, err := h.do(core.SetNodes{Names: []string{node}, State: fleet.Quarantined, Signal: "bench"})
		span, work := time.Since(began), threadTime()-worked
		if err != nil {
			return err
		}
		if swapped(out.Record) {
			mended++
			took, busy = append(took, span), append(busy, work)
		}
		if err := h.recover(node); err != nil {
			return err
		}
	}
	slices.Sort(took)
	slices.Sort(busy)
	if len(took) == 0 {
		return fmt.Errorf("nothing was mended on %d nodes", nodes)
	}
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	r.add(Figure{Name: fmt.Sprintf("failure to mended plan, %d nodes, p50", nodes), Value: ms(p50), Unit: "ms"})
	f := Figure{Name: fmt.Sprintf("failure to mended plan, %d nodes, p99", nodes), Value: ms(p99), Unit: "ms"}
	r.add(aimed(f, "≤ 1 ms", p99 <= time.Millisecond))
	if most := busy[len(busy)*99/100]; most > 0 {
		r.add(Figure{Name: fmt.Sprintf("… processor time of it, %d nodes, p99", nodes), Value: ms(most), Unit: "ms"})
	}
	r.add(Figure{Name: fmt.Sprintf("gangs mended of interrupted, %d nodes", nodes), Value: 100 * float64(mended) / float64(n), Unit: "%"})
	return nil
}

func swapped(rec event.Record) bool {
	return slices.ContainsFunc(rec.Events, func(e event.Event) bool {
		placed, ok := e.(event.ReplicasPlaced)
		return ok && placed.Mend
	})
}

// gangNode is a node on which a gang in quota runs, found from some point on.
func (h *hall) gangNode(from int) string {
	p := h.s.Partitions[0]
	for k := range p.Nodes {
		n := p.Nodes[(from+k)%len(p.Nodes)]
		for _, res := range n.Residents() {
			if w := res.Workload; w.Account() != nil && w.Pools[0].Min > 1 && res.Phase == fleet.Running && w.State == fleet.RunningW {
				return n.Name
			}
		}
	}
	return ""
}

// recover brings a failed node back, and lets victims leave.
func (h *hall) recover(node string) error {
	if err := h.settle(); err != nil {
		return err
	}
	_, err := h.do(core.SetNodes{Names: []string{node}, State: fleet.Healthy, Signal: "bench"})
	return err
}
