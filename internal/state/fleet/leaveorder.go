package fleet

import "slices"

// This file keeps the orders to leave until they are carried out. An eviction is
// such an order: it has an owner, whose room is reserved by the same record, and
// an expiry. Past that it is given again, and people are told; its GPUs stay taken.

// Order is an order to leave that some replica of a workload still obeys.
type Order struct {
	Number  uint64  `json:"n"`             // of the record that gave it; 0: from before orders had numbers
	For     uint64  `json:"for,omitempty"` // its owner, the workload that needs the room; 0: none does
	Since   Instant `json:"since"`         // when it was given
	Until   Instant `json:"until"`         // its expiry: by then all that obeys it must be gone
	Again   Instant `json:"again"`         // when it is given again if that is not reported
	Repeats int     `json:"repeats,omitempty"`
}

// Overdue says whether the order was given again, because it was not reported to be carried out.
func (o Order) Overdue() bool { return o.Repeats > 0 }

// Order keeps the order that the record on its way gives a workload: to leave by a
// moment, for an owner or for none (0). Reports are as late as they may be
// before a cluster counts as stale; then the order is due again.
func (s *State) Order(w *Workload, owner uint64, at, until Instant) {
	o := Order{Number: s.Number(), For: owner, Since: at, Until: until, Again: until.Add(s.Policy.Silence())}
	w.Orders = FewOf(slices.DeleteFunc(w.Orders.All(), func(was Order) bool { return was.Number == o.Number }))
	if !w.obeys(o.Number) {
		return
	}
	w.Orders = FewOf(append(w.Orders.All(), o))
	s.alarm(w.partition, o.Again, ofOrder)
}

// Repeat keeps that an order was given again, and when it is due the next time.
func (s *State) Repeat(w *Workload, number uint64, again Instant) {
	list := w.Orders.All()
	for i := range list {
		if o := &list[i]; o.Number == number {
			o.Again, o.Repeats = again, o.Repeats+1
			s.alarm(w.partition, again, ofOrder)
		}
	}
}

// Overdue says whether some of the workload was told again to leave, and is not
// reported gone: it is not known when its room will be free.
func (w *Workload) Overdue() bool { return slices.ContainsFunc(w.Orders.All(), Order.Overdue) }

// obeys says whether a replica leaves by an order.
func (w *Workload) obeys(number uint64) bool {
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Phase == Leaving && r.Order == number {
				return true
			}
		}
	}
	return false
}

// carriedOut forgets the orders that no replica obeys any more.
func (w *Workload) carriedOut() {
	if w.Orders.IsZero() {
		return
	}
	w.Orders = FewOf(slices.DeleteFunc(w.Orders.All(), func(o Order) bool { return !w.obeys(o.Number) }))
}

// restoreOrders gives a decoded workload the alarms of its orders, and what leaves
// by none, from before they were kept, an order.
func (s *State) restoreOrders(w *Workload) {
	known := func(o Order) bool { return o.Number == 0 }
	if w.obeys(0) && !slices.ContainsFunc(w.Orders.All(), known) {
		w.Orders = FewOf(append(w.Orders.All(), Order{
			For: w.For, Since: w.GraceEnds, Until: w.GraceEnds, Again: w.GraceEnds.Add(s.Policy.Silence()),
		}))
	}
	for _, o := range w.Orders.All() {
		s.alarm(w.partition, o.Again, ofOrder)
	}
}

// Late lists the workloads here with an order that is due again at a moment. It is
// worth asking after an alarm only.
func (p *Partition) Late(now Instant) (late []*Workload) {
	if !p.expired {
		return nil
	}
	p.expired = false
	for _, w := range p.worklists.leaving {
		if slices.ContainsFunc(w.Orders.All(), func(o Order) bool { return o.Again <= now }) {
			late = append(late, w)
		}
	}
	return late
}
