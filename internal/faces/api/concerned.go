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
		list = lossesOf(state, r.Events)
		return nil
	})
	for _, l := range list {
		note := fmt.Sprintf("%s of %s (%s) %s: %s.", text.Count(len(l.works), "workload"), l.quota, text.Count(l.gpus, "GPU"), l.how, text.Few(l.works, mostConcerned))
		if len(l.people) > 0 {
			note += " This concerns " + text.Few(l.people, mostConcerned) + "."
		}
		notes = append(notes, note)
	}
	return notes
}

// lossesOf gathers what events take from running work, in order of quota.
func lossesOf(s *fleet.State, events []event.Event) []*loss {
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
			note(e.ID, e.GPUs, "would run on unprotected, and may be evicted when work inside its quota's backing needs the room")
		case event.ReplicasEvicted:
			if w := s.Workloads[e.ID]; w != nil {
				note(e.ID, gpusIn(w, e.Spots), "would have to leave")
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
