package api

import (
	"context"
	"slices"
	"sync"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// storyIndex says which records are about which workload, so that the story of one need not
// be looked for in the whole log. It remembers how far it has read.
type storyIndex struct {
	mu    sync.Mutex
	next  uint64 // the one to go on from
	about map[uint64][]uint64
}

// storyReach is how many records back stories are told at least.
const storyReach = 200_000

// of lists the records about a workload up to one, in order.
func (t *storyIndex) of(ctx context.Context, e Engine, q subject) ([]uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.about == nil {
		t.about, t.next = map[uint64][]uint64{}, max(1, q.seq-min(q.seq, storyReach))
	}
	if t.next <= q.seq {
		if err := e.Records(ctx, t.next, t.add); err != nil {
			return nil, err
		}
	}
	all := t.about[q.id]
	end, _ := slices.BinarySearch(all, q.seq+1)
	return slices.Clone(all[:end]), nil
}

// Recall reads the stories of workloads and quotas ahead of the first question, and keeps those of
// quotas until ctx ends.
func (s *Server) Recall(ctx context.Context) error {
	var last uint64
	s.engine.Look(func(state *fleet.State) { last = state.Seq })
	_, err := s.stories.of(ctx, s.engine, subject{seq: last})
	if err == nil {
		err = s.history.keep(ctx, s.engine)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the stories could not be read ahead", "error", err) // who asks for one tries again
	}
	return nil
}

func (t *storyIndex) add(r event.Record) error {
	t.next = r.Seq + 1
	for _, e := range r.Events {
		for _, id := range view.Concerns(e) {
			if list := t.about[id]; len(list) == 0 || list[len(list)-1] != r.Seq {
				t.about[id] = append(list, r.Seq)
			}
		}
	}
	if r.Seq%storyReach == 0 {
		for id, list := range t.about {
			if list[len(list)-1]+2*storyReach < r.Seq {
				delete(t.about, id) // nothing has happened to it for long: most likely it has ended
			}
		}
	}
	return nil
}
