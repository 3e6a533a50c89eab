package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// mostConcerned is how many workloads, and people, a note names.
const mostConcerned = 8

// loss is what a change takes from the running work of one quota.
type loss struct {
	quota, how string
	gpus       int
	works      []string
	people     []string
}

// concernedBy sums up what a dry run means to running work, and names the people who would be
// told: one note for each quota and kind of loss.
func (s *service) concernedBy(ctx context.Context, r event.Record) (notes []string) {
	var list []*loss
	_, _ = s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		list = lossesOf(state, r.Events, "would run on unprotected, and may be evicted when work inside its quota's backing needs the room")
		return nil
	})
	for _, l := range list {
		notes = append(notes, l.note("This concerns "))
	}
	return notes
}

// note tells a loss, and whom it concerns after some words.
func (l *loss) note(whom string) string {
	note := fmt.Sprintf("%s of %s (%s) %s: %s.", text.Count(len(l.works), "workload"), l.quota, text.Count(l.gpus, "GPU"), l.how, text.Few(l.works, mostConcerned))
	if len(l.people) > 0 {
		note += " " + whom + text.Few(l.people, mostConcerned) + "."
	}
	return note
}

// cutBy says which running work a change left unprotected, and who is told: no cut is silent
// (semantics §4), undoing one neither.
func (s *service) cutBy(ctx context.Context, r event.Record) (notes []string) {
	var cuts []event.Event
	for _, e := range r.Events {
		if _, is := e.(event.ProtectionCut); is {
			cuts = append(cuts, e)
		}
	}
	if len(cuts) == 0 {
		return nil
	}
	var list []*loss
	_, _ = s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		list = lossesOf(state, cuts, "runs on unprotected now, and may be evicted when work inside its quota's backing needs the room")
		return nil
	})
	for _, l := range list {
		notes = append(notes, l.note("Told: "))
	}
	return notes
}

// lossesOf gathers what events take from work, in order of quota; unprotected says what becomes of
// work that loses its protection. Evictions and reserved room are told of a dry run.
func lossesOf(s *fleet.State, events []event.Event, unprotected string) []*loss {
	by := map[string]*loss{}
	note := func(id uint64, gpus int, how string) {
		w := s.Workloads[id]
		if w == nil {
			return // the same command submits it
		}
		l := by[w.Target+how]
		if l == nil {
			l = &loss{quota: w.Target, how: how}
			by[w.Target+how] = l
			l.people = people(s.OwnerOf(w.Target))
		}
		l.gpus += gpus
		l.works = append(l.works, fmt.Sprintf("%s/%s (%s)", w.Namespace, w.Name, text.Count(gpus, "GPU")))
		if w.User != "" && !slices.Contains(l.people, w.User) {
			l.people = append(l.people, w.User)
		}
	}
	for _, e := range events {
		switch e := e.(type) {
		case event.ProtectionCut:
			note(e.ID, e.GPUs, unprotected)
		case event.ReplicasEvicted:
			if w := s.Workloads[e.ID]; w != nil {
				note(e.ID, gpusIn(w, e.Spots), "would have to leave")
			}
		case event.ReservationEnded:
			if w := s.Workloads[e.ID]; w != nil && !placedIn(events, e.ID) {
				note(e.ID, gpusIn(w, e.Spots), "would lose its reserved room, and go back to its queue")
			}
		}
	}
	list := make([]*loss, 0, len(by))
	for _, l := range by {
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b *loss) int { return cmp.Or(cmp.Compare(a.quota, b.quota), cmp.Compare(a.how, b.how)) })
	return list
}

// placedIn says whether events give a workload room.
func placedIn(events []event.Event, id uint64) bool {
	return slices.ContainsFunc(events, func(e event.Event) bool {
		p, is := e.(event.ReplicasPlaced)
		return is && p.ID == id
	})
}

func people(owner string) []string {
	if owner == "" {
		return nil
	}
	return []string{owner}
}

// gpusIn is the GPUs of a workload's replicas in some places.
func gpusIn(w *fleet.Workload, spots []fleet.Spot) (n int) {
	for _, spot := range spots {
		n += len(spot.Nodes) * w.Pools[spot.Pool].GPUs
	}
	return n
}
