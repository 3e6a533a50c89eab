package invariant

import "github.com/muster-fleet/muster/internal/state/fleet"

const (
	ruleState = "a workload's state says what it holds"
	ruleOrder = "work that leaves, and no other, obeys an order that expires"
	ruleGrace = "grace ends for those who leave, and only for them"
)

// life asks that the state people see fits the replicas behind it.
func (c *checker) life(w *fleet.Workload) {
	running, reserved, leaving := phases(w)
	if (leaving > 0) != (w.GraceEnds != 0) && !w.State.Ended() {
		c.broken(ruleGrace, "%s has %d replicas leaving and its grace ends at %d", called(w), leaving, w.GraceEnds)
	}
	c.orders(w)
	var ok bool
	switch w.State {
	case fleet.Pending:
		ok = running+reserved+leaving == 0
	case fleet.Starting:
		ok = running == 0 && reserved > 0
	case fleet.RunningW:
		ok = running > 0 && w.Started != 0
	case fleet.Mending:
		ok = running+reserved > 0 && w.Started != 0
	case fleet.Evicting:
		ok = leaving > 0 && running == 0
	case fleet.Cancelled:
		ok = running+reserved == 0
	default:
		ok = running+reserved+leaving == 0
	}
	if !ok {
		c.broken(ruleState, "%s runs %d, reserves %d and leaves %d replicas", called(w), running, reserved, leaving)
	}
}

// orders asks that work that leaves obeys an order, which has an expiry, and that no
// order is kept that no work obeys.
func (c *checker) orders(w *fleet.Workload) {
	obeyed := map[uint64]bool{}
	for _, o := range w.Orders.All() {
		if len(w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving && r.Order == o.Number })) == 0 || o.Until == 0 {
			c.broken(ruleOrder, "%s keeps order %d until %d, which no work obeys or which never expires", called(w), o.Number, o.Until)
		}
		obeyed[o.Number] = true
	}
	if bad := w.Spots(func(r fleet.Replica) bool {
		return r.Phase == fleet.Leaving && !obeyed[r.Order] || r.Phase != fleet.Leaving && r.Order != 0
	}); len(bad) > 0 {
		c.broken(ruleOrder, "%s has %v and the orders %v", called(w), bad, w.Orders.All())
	}
}

func phases(w *fleet.Workload) (running, reserved, leaving int) {
	for i := range w.Pools {
		running += w.InPhase(i, fleet.Running)
		reserved += w.InPhase(i, fleet.Reserved)
		leaving += w.InPhase(i, fleet.Leaving)
	}
	return running, reserved, leaving
}
