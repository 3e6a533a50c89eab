package api

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// looked remembers the last records about things that somebody looks at, so that who
// keeps looking reads only what is new.
type looked struct {
	mu    sync.Mutex
	pages map[lookedAt]lookedPage
}

// lookedAt is a thing, and how many records about it are wanted.
type lookedAt struct {
	about string
	limit int
}

// lookedPage is the last records about a thing, of those up to a sequence number.
type lookedPage struct {
	records []event.Record
	earlier bool // there are others before them
	until   uint64
}

// mostLooked is how many things are remembered.
const mostLooked = 256

// lastPage fills a page with the last records about its thing.
func (l *looked) lastPage(ctx context.Context, e Engine, p *page) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := lookedAt{p.about, p.limit}
	was := l.pages[key]
	var end uint64
	e.Look(func(state *fleet.State) { end, p.subject = state.Seq, words.NewSubject(p.about, state) })
	p.records, p.earlier = slices.Clone(was.records), was.earlier
	err := e.RecordsWith(ctx, was.until+1, p.subject.MayBeIn, func(r event.Record) error {
		if r.Seq > end {
			return errFound
		}
		return p.add(r)
	})
	if err != nil && !errors.Is(err, errFound) {
		return err
	}
	if l.pages == nil || len(l.pages) >= mostLooked {
		l.pages = map[lookedAt]lookedPage{}
	}
	l.pages[key] = lookedPage{slices.Clone(p.records), p.earlier, max(end, was.until)}
	return nil
}
