package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// late is an order to leave that was given again and is not answered yet.
type late struct {
	w     *fleet.Workload
	order fleet.Order
}

// lateOf lists the overdue orders of some work, those first that expired first.
func lateOf(leavers ...*fleet.Workload) []late {
	var list []late
	for _, w := range leavers {
		for _, o := range w.Orders.All() {
			if o.Overdue() {
				list = append(list, late{w, o})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b late) int { return cmp.Compare(a.order.Until, b.order.Until) })
	return list
}

// gpus counts what obeys the order still.
func (l late) gpus() int {
	t := 0
	for i, p := range l.w.Pools {
		for _, r := range l.w.Replicas[i] {
			if r.Phase == fleet.Leaving && r.Order == l.order.Number {
				t += p.GPUs
			}
		}
	}
	return t
}

// overdue makes of a blocker that waits for work to leave one that something is
// broken: it had to be gone, and its cluster does not say that it is. Without a late order the
// blocker stays as it is.
func (b Blocker) overdue(r Reader, list []late) Blocker {
	if len(list) == 0 {
		return b
	}
	gpus, first := 0, list[0]
	next := Next{first.order.Again, "the order to leave is given again"}
	for _, l := range list {
		gpus += l.gpus()
		next.At = min(next.At, l.order.Again)
	}
	b.Figures["overdue"] = gpus
	b.Text += fmt.Sprintf(" %s was told to leave at %s, by %s, and its cluster has not reported it gone (told again %s). Its GPUs stay taken until the cluster reports it, or an operator takes its nodes out of service.",
		begin(r.name(first.w.At(), first.w)), clock(first.order.Since), clock(first.order.Until), times(first.order.Repeats))
	return b.of(reason.Fault).until(next)
}

func clock(at fleet.Instant) string { return at.Time().Format("2006-01-02 15:04:05") + " UTC" }

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// stuck says that the workload itself should have left and is not reported gone.
func (r Reader) stuck(w *fleet.Workload) []Blocker {
	list := lateOf(w)
	if len(list) == 0 {
		return nil
	}
	b := block(reason.Evicting, w.At(), map[string]int{"gpus": leavingGPUs(w)}, nil, "It has not left the room it was told to leave.").by(r.named(w.At(), []*fleet.Workload{w}))
	return []Blocker{b.overdue(r, list)}
}
