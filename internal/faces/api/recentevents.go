package api

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// recentEvents remembers the last records about things that are asked about, so that a
// page that is open reads only what is new.
type recentEvents struct {
	mu    sync.Mutex
	pages map[recentKey]*recentPage
}

// recentKey is a thing, and how many records about it are wanted, of which kinds.
type recentKey struct {
	about, kinds string
	limit        int
}

// recentPage is the last records about a thing, of those up to a sequence number.
type recentPage struct {
	mu      sync.Mutex // one reads the log, and others who ask the same wait for it
	records []event.Record
	earlier bool // there are others before them
	until   uint64
}

// mostRecent is how many things are remembered.
const mostRecent = 256

// lastPage fills a page with the last records about its thing.
func (l *recentEvents) lastPage(ctx context.Context, e Engine, p *page) error {
	kept := l.of(recentKey{p.about, strings.Join(p.kinds, " "), p.limit})
	kept.mu.Lock()
	defer kept.mu.Unlock()
	var end uint64
	e.Look(func(state *fleet.State) {
		end = state.Seq
		p.mean(state)
	})
	p.records, p.earlier = slices.Clone(kept.records), kept.earlier
	from := kept.until + 1
	if kept.until == 0 {
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
	kept.records, kept.earlier, kept.until = slices.Clone(p.records), p.earlier, max(end, kept.until)
	return nil
}

// of is what is remembered of a thing, made if need be. Where much is, something else is forgotten for it. It is never all: a
// caller who asks about ever more things would have all others' pages read the log again.
func (l *recentEvents) of(key recentKey) *recentPage {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.pages[key]
	if kept != nil {
		return kept
	}
	if l.pages == nil {
		l.pages = map[recentKey]*recentPage{}
	}
	for other := range l.pages {
		if len(l.pages) < mostRecent {
			break
		}
		delete(l.pages, other)
	}
	kept = &recentPage{}
	l.pages[key] = kept
	return kept
}
