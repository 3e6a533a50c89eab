package api

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What is kept of ends: so many, and for how long, since an end also changes with time alone.
const (
	mostEnds = 64
	freshEnd = 2 * time.Second
)

// rolloutEnds are when rollouts should end. Each is played through on one copy of the fleet at a time: callers
// who ask meanwhile wait, and share what is played next. An end is the same for every caller until
// what they may not read is taken out of it, so none is kept by caller.
type rolloutEnds struct {
	mu   sync.Mutex
	kept map[rolloutAsked]*playedEnd
}

// rolloutAsked is what is asked: which rollout, and how long to search.
type rolloutAsked struct {
	rollout string
	search  time.Duration
}

// playedEnd is one end. What stands below ready is read by others once that is closed.
type playedEnd struct {
	ready   chan struct{}
	waiting atomic.Int32 // callers that wait for it beside the one that plays
	end     *musterv1.RolloutEnd
	seq     uint64 // the state that it was played on; 0: none, it failed
	at      time.Time
}

// of is an end as of a version of the state, or a later one. play finds it, unless it is there. The caller
// must not change it.
func (e *rolloutEnds) of(ctx context.Context, what rolloutAsked, version uint64, now time.Time, play func(*playedEnd) error) (*musterv1.RolloutEnd, error) {
	for {
		k, mine := e.find(what, version, now)
		if mine {
			err := e.fill(what, k, play)
			return k.end, err
		}
		if err := k.await(ctx); err != nil {
			return nil, err
		}
		if k.seq >= version && k.seq > 0 {
			return k.end, nil
		}
	}
}

// find is the end that is kept, or played now. mine: the caller must play it.
func (e *rolloutEnds) find(what rolloutAsked, version uint64, now time.Time) (k *playedEnd, mine bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if k = e.kept[what]; k != nil && (!k.over() || k.seq >= version && now.Sub(k.at) < freshEnd) {
		k.waiting.Add(1)
		return k, false
	}
	e.makeRoom()
	k = &playedEnd{ready: make(chan struct{}), at: now}
	e.kept[what] = k
	return k, true
}

// makeRoom forgets an end that no caller plays now, where there are as many as are kept. The ends are locked.
func (e *rolloutEnds) makeRoom() {
	if e.kept == nil {
		e.kept = map[rolloutAsked]*playedEnd{}
	}
	for what, k := range e.kept {
		if len(e.kept) < mostEnds {
			return
		}
		if k.over() {
			delete(e.kept, what)
		}
	}
}

// fill plays an end. What failed is not kept.
func (e *rolloutEnds) fill(what rolloutAsked, k *playedEnd, play func(*playedEnd) error) error {
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if k.seq == 0 {
			delete(e.kept, what)
		}
		close(k.ready)
	}()
	return play(k)
}

// over says whether it is played.
func (k *playedEnd) over() bool {
	select {
	case <-k.ready:
		return true
	default:
		return false
	}
}

// await waits until it is played.
func (k *playedEnd) await(ctx context.Context) error {
	defer k.waiting.Add(-1)
	select {
	case <-k.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// playedNow plays a rollout through on a copy of the state of this moment. Where its caller has left it
// goes on only while others wait for it.
func (s *service) playedNow(ctx context.Context, x *searchTime, name string) func(*playedEnd) error {
	return func(k *playedEnd) error {
		cut := false
		left := func() bool {
			cut = cut || ctx.Err() != nil && k.waiting.Load() == 0
			return cut
		}
		seen, err := s.private(ctx, nil, func(state *fleet.State, now fleet.Instant) error {
			k.end = x.toldEnd(state, name, now, left)
			return nil
		})
		if err == nil && !cut { // who came after it was cut plays it anew
			k.seq = seen.GetVersion()
		}
		return err
	}
}

// toldEnd is when a rollout should end, as it is told.
func (x *searchTime) toldEnd(state *fleet.State, name string, now fleet.Instant, left func() bool) *musterv1.RolloutEnd {
	end, longer := x.endOf(left, state, name, now)
	told := wire.RolloutEnd(end)
	told.Longer = longer
	return told
}

// shownEnd is an end as it is told to one caller: without the zones that are not among those that the caller is shown.
func shownEnd(e *musterv1.RolloutEnd, shown []*musterv1.Zone) *musterv1.RolloutEnd {
	told := proto.CloneOf(e)
	told.Sooner = slices.DeleteFunc(told.GetSooner(), func(c *musterv1.SoonerEnd) bool {
		return c.GetZone() != "" && !slices.ContainsFunc(shown, func(z *musterv1.Zone) bool { return z.GetName() == c.GetZone() })
	})
	return told
}
