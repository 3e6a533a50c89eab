package maintenance

import "github.com/muster-fleet/muster/internal/state/fleet"

// Wake is the next moment after now at which time alone may let maintenance act, or fleet.Never.
func Wake(s *fleet.State, now fleet.Instant) fleet.Instant {
	w := waker{now: now, at: fleet.Never}
	m := s.Kept()
	l := newLook(s, now)
	for _, z := range m.Zones {
		w.mind(z.NextEdge(now))
	}
	for _, o := range m.Notices {
		if o.Ended == 0 {
			w.mind(o.Starts.Add(-l.policy().Horizon))
			w.mind(o.Starts)
		}
	}
	for _, a := range m.Agreed {
		w.mind(a.At)
	}
	for _, u := range m.Updates {
		w.mind(u.NotBefore)
	}
	for _, r := range m.Rollouts {
		l.wake(&w, r)
	}
	return w.at
}

// waker keeps the earliest moment that is still to come.
type waker struct{ now, at fleet.Instant }

func (w *waker) mind(at fleet.Instant) {
	if at > w.now && at < w.at {
		w.at = at
	}
}

// wake minds the moments of one rollout: its canaries' soaks, its reasons that time ends, its deadline, and
// the begins of zones that a visit must end before.
func (l *look) wake(w *waker, r *fleet.Rollout) {
	for _, t := range r.Trials {
		if !t.Ended {
			w.mind(t.Until)
		}
	}
	if r.State != fleet.RolloutRunning || r.Joined != "" {
		return
	}
	c := l.counted(r)
	o := l.outlook(r)
	for _, x := range o.Waits {
		w.mind(x.Until)
	}
	l.wakeLeaving(w, r, c.pending)
	if len(l.m.Stops) > 0 {
		l.wakeZones(w, c.pending)
	}
}

// wakeZones minds the moments from which on visits could not end before a zone begins: work that has stopped need not
// wait for them any longer.
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
