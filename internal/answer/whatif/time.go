package whatif

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// So many workloads are tried one by one, and so many together.
const (
	endsTried    = 6
	endsTogether = 4
)

// ends tries that other work ends: the one whose end is known first, else the
// smallest, else the fewest of those whose ends are known, in the order in which they come.
func (x *search) ends() {
	others := x.inTheWay()
	for _, w := range others[:min(len(others), endsTried)] {
		if x.tryKeep(x.ended([]*fleet.Workload{w})) {
			return
		}
	}
	c, ok := x.least(min(len(others), endsTogether), func(n int) Change { return x.ended(others[:n]) }, 0)
	x.keep(c, ok, 0)
}

// ended is the change that some workloads have ended; it comes by itself where
// all of them declared how long they may run.
func (x *search) ended(list []*fleet.Workload) Change {
	c := Change{Kind: Ends, Class: reason.Wait, Declared: true}
	for _, w := range list {
		c.Names = append(c.Names, w.Namespace+"/"+w.Name)
		c.Commands = append(c.Commands, core.Cancel{Namespace: w.Namespace, Name: w.Name})
		end := endOf(w)
		c.Declared = c.Declared && w.MaxRuntime > 0
		if end == fleet.Never || c.By == fleet.Never {
			c.By = fleet.Never
		} else {
			c.By = max(c.By, end)
		}
	}
	if c.By == fleet.Never {
		c.By = 0
	} else {
		c.Declared = false
	}
	return c
}

// endOf is when a workload must have ended, as declared; Never if that is not known.
func endOf(w *fleet.Workload) fleet.Instant {
	if w.MaxRuntime == 0 || w.Started == 0 {
		return fleet.Never
	}
	return w.Started.Add(w.MaxRuntime)
}

// inTheWay is the work that could be in its way: who is ahead, then what holds
// GPUs of its tree (of flex), by known end, then the smallest that is large enough.
func (x *search) inTheWay() []*fleet.Workload {
	p := x.at()
	if p == nil {
		return nil
	}
	seen := map[uint64]bool{x.w.ID: true}
	var list []*fleet.Workload
	add := func(w *fleet.Workload) {
		if w != nil && !seen[w.ID] && !w.State.Ended() && w.State != fleet.Evicting {
			seen[w.ID] = true
			list = append(list, w)
		}
	}
	if x.w.Flexes() {
		for _, w := range p.FlexWork() {
			add(w)
		}
	}
	for _, a := range p.Accounts {
		for _, w := range a.Work() {
			if x.mayHope(a, w) {
				add(w)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *fleet.Workload) int {
		return cmp.Or(cmp.Compare(x.after(a), x.after(b)), x.bySize(a, b), cmp.Compare(a.ID, b.ID))
	})
	return append(x.ahead(seen), list...)
}

// mayHope says whether the end of in-quota work is any help to it: that of its own
// tree; for flex only where its end is known, since no work inside a quota is ended so
// that flex may start.
func (x *search) mayHope(a *fleet.Account, w *fleet.Workload) bool {
	if x.w.Flexes() {
		return x.after(w) != fleet.Never
	}
	return a.Tree() == x.w.Tree()
}

// after is when a workload ends, those that should have ended already as if it were unknown.
func (x *search) after(w *fleet.Workload) fleet.Instant {
	if end := endOf(w); end > x.now {
		return end
	}
	return fleet.Never
}

// bySize puts those that hold enough for it first, the smallest of them before all.
func (x *search) bySize(a, b *fleet.Workload) int {
	small := func(w *fleet.Workload) int {
		if w.GPUs() >= x.gpus {
			return 0
		}
		return 1
	}
	if small(a) == 1 && small(b) == 1 {
		return cmp.Compare(b.GPUs(), a.GPUs())
	}
	return cmp.Or(cmp.Compare(small(a), small(b)), cmp.Compare(a.GPUs(), b.GPUs()))
}

// ahead are the waiting workloads that hold a reservation before it.
func (x *search) ahead(seen map[uint64]bool) []*fleet.Workload {
	var list []*fleet.Workload
	for _, b := range x.why {
		if b.Code != reason.Behind {
			continue
		}
		for _, culprit := range b.Culprits {
			namespace, name, _ := strings.Cut(culprit, "/")
			if w := x.s.Workload(namespace, name); w != nil && !seen[w.ID] && !w.State.Ended() {
				list = append(list, w)
			}
		}
	}
	slices.SortFunc(list, func(a, b *fleet.Workload) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
