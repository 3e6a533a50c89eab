package api

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// recentEvents remembers the last records about things that are asked about, so that a
// page that is open reads only what is new.
type recentEvents struct {
	mu    sync.Mutex
	pages map[recentKey]recentPage
}

// recentKey is a thing, and how many records about it are wanted.
type recentKey struct {
	about string
	limit int
}

// recentPage is the last records about a thing, of those up to a sequence number.
type recentPage struct {
	records []event.Record
	earlier bool // there are others before them
	until   uint64
}

// mostRecent is how many things are remembered.
const mostRecent = 256

// lastPage fills a page with the last records about its thing.
func (l *recentEvents) lastPage(ctx context.Context, e Engine, p *page) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := recentKey{p.about, p.limit}
	was := l.pages[key]
	var end uint64
	e.Look(func(state *fleet.State) {
		end = state.Seq
		p.mean(state)
	})
	p.records, p.earlier = slices.Clone(was.records), was.earlier
	from := was.until + 1
	if was.until == 0 {
		from = 0 // the first that is kept
	}
	err := e.RecordsWith(ctx, from, p.subject.MayBeIn, func(r event.Record) error {
		if r.Seq > end {
			return errFound
		}
		return p.add(r)
	})
	if err != nil && !errors.Is(err, errFound) {
		return err
	}
	if l.pages == nil || len(l.pages) >= mostRecent {
		l.pages = map[recentKey]recentPage{}
	}
	l.pages[key] = recentPage{slices.Clone(p.records), p.earlier, max(end, was.until)}
	return nil
}
