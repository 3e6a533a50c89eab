package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// watches says by rollout what may change what it does: a moment, and changes in islands; "": what concerns every
// rollout. Of a rollout about which nothing has changed it stays.
func (l *look) watches() map[string]fleet.Watch {
	all := map[string]fleet.Watch{"": {At: l.wakeAll()}}
	for _, r := range l.m.Rollouts {
		if !r.Open() {
			continue
		}
		if !l.due(r) {
			all[r.Name] = l.s.WatchOf(r.Name)
			continue
		}
		w := waker{now: l.now, at: fleet.Never}
		l.wake(&w, r)
		watch := l.near(r)
		watch.At = w.at
		all[r.Name] = watch
	}
	return all
}

// near says what of the places of a rollout it hangs on: the islands of the nodes that it still has to visit, for a
// visit elsewhere, a node or a promise that changes concerns whole partitions. It hangs on all of them where a
// search goes on, or where backing was aligned to answer whether a promise holds.
func (l *look) near(r *fleet.Rollout) fleet.Watch {
	w := fleet.Watch{Wide: r.Hunt != nil, Near: map[string][]int{}}
	if r.State != fleet.RolloutRunning || r.Joined != "" {
		return w
	}
	var last spot
	for _, x := range l.counted(r).pending {
		if at := (spot{x.p, x.n.Island}); at != last {
			last = at
			w.Wide = w.Wide || l.tried[x.p]
			if !slices.Contains(w.Near[x.p.ID], x.n.Island) {
				w.Near[x.p.ID] = append(w.Near[x.p.ID], x.n.Island)
			}
		}
	}
	return w
}

// wakeAll is the next moment that concerns every rollout.
func (l *look) wakeAll() fleet.Instant {
	w := waker{now: l.now, at: fleet.Never}
	for _, z := range l.m.Zones {
		w.mind(z.NextEdge(l.now))
	}
	for _, o := range l.m.Notices {
		if o.Ended == 0 {
			w.mind(o.Starts.Add(-l.policy().Horizon))
			w.mind(o.Starts)
		}
	}
	for _, a := range l.m.Agreed {
		w.mind(a.At)
	}
	for _, u := range l.m.Updates {
		w.mind(u.NotBefore)
	}
	for _, r := range l.m.Rollouts { // a canary's soak ends also where its rollout is over
		for _, t := range r.Trials {
			if !t.Ended {
				w.mind(t.Until)
			}
		}
	}
	return w.at
}

// due says whether there may be something new about a rollout: something changed that concerns it, or its moment has
// come. The canaries of one that seeks them anywhere are everybody's matter.
func (l *look) due(r *fleet.Rollout) bool {
	due, known := l.dues[r]
	if !known {
		due = l.s.LooksAtAll(l.now) || l.s.Due(r.Name, l.now) || r.Canary.Auto && (r.Stage == 0 || r.Hunt != nil) || l.changedFor(r)
		l.dues[r] = due
	}
	return due
}

// changedFor says whether something changed on which a rollout hangs.
func (l *look) changedFor(r *fleet.Rollout) bool {
	watch := l.s.WatchOf(r.Name)
	return slices.ContainsFunc(l.s.Partitions, func(p *fleet.Partition) bool {
		return p.Looks() && (slices.ContainsFunc(watch.Near[p.ID], p.LooksNear) || (watch.Wide || p.LooksWide()) && mayCover(r, p))
	})
}

// lively says whether there may be something new about a partition, or about a rollout there.
func (l *look) lively(p *fleet.Partition) bool {
	return p.Looks() || l.s.LooksAtAll(l.now) || slices.ContainsFunc(l.m.Rollouts, func(r *fleet.Rollout) bool {
		return r.Open() && l.due(r) && mayCover(r, p)
	})
}

// waker keeps the earliest moment that is still to come.
type waker struct{ now, at fleet.Instant }

func (w *waker) mind(at fleet.Instant) {
	if at > w.now && at < w.at {
		w.at = at
	}
}

// wake minds the moments of one rollout: its reasons that time ends, its deadline, and the begins of zones that a visit
// must end before.
func (l *look) wake(w *waker, r *fleet.Rollout) {
	if r.State != fleet.RolloutRunning || r.Joined != "" {
		return
	}
	c := l.counted(r)
	o := l.outlook(r)
	for _, x := range o.Waits {
		w.mind(x.Until)
	}
	l.wakeLeaving(w, r, c.pending)
	l.wakeZones(w, c.pending)
}

// wakeZones minds the moments from which on visits could not end before a zone begins: work that has stopped need not
// wait for them any longer, and nodes that were to be visited leave no more.
func (l *look) wakeZones(w *waker, list []pending) {
	lengths := map[*Bundle]bool{}
	for _, x := range list {
		if lengths[x.b] {
			continue
		}
		lengths[x.b] = true
		length := max(x.b.Lasts+l.policy().Validation, 1)
		for _, z := range l.m.Zones {
			if at := z.NextEdge(l.now); at != fleet.Never && z.Stops(x.b.Impact) {
				w.mind(at.Add(1 - length))
			}
		}
	}
}
