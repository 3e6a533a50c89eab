package api

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// history is what people decided about quotas, gathered from the log. It
// remembers how far it has read, so that a question reads only what is new, and keeps that in
// a file, so that a start does, too.
type history struct {
	mu    sync.Mutex
	path  string // of the file; "": it is not kept
	saved uint64 // next, in the file
	gathered
}

// gathered is what was read of the log so far.
type gathered struct {
	next    uint64   // sequence number to go on from; 0: it was not begun
	last    []byte   // what the log holds of the record before that
	about   [][]byte // records that the history is made of, as the log holds them
	latest  uint64   // the last of those
	lines   chronicle
	changes []dated
	placed  map[uint64]*musterv1.QuotaChange // holds, in force and over
	policed []*policed
}

// dated is a line of history and when it happened.
type dated struct {
	at      fleet.Instant
	change  *musterv1.QuotaChange
	haircut bool // by a wave of a haircut, or its undoing
}

func newHistory(path string) history {
	return history{path: path, gathered: nothingGathered()}
}

func nothingGathered() gathered {
	return gathered{lines: newChronicle(), placed: map[uint64]*musterv1.QuotaChange{}}
}

// patience is how long a question waits for what was not read yet: it is answered with what there
// is then.
const patience = time.Second

// ask answers a question from the log. unread says how many records of it were not read yet.
func (h *history) ask(ctx context.Context, e Engine, m *musterv1.HistoryRequest, until fleet.Instant) (list []*musterv1.QuotaChange, unread uint64, err error) {
	more, err := h.briefly(ctx, e)
	if err != nil {
		return nil, 0, err
	}
	var end uint64
	e.Look(func(s *fleet.State) { end = s.Seq })
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.changes {
		if d.at <= until && under(d.change.GetQuota(), m.GetQuota()) && (m.GetPartition() == "" || m.GetPartition() == d.change.GetPartition()) {
			list = append(list, d.change)
		}
	}
	if more {
		unread = max(end+1, h.next) - h.next
	}
	return list[max(0, len(list)-orElse(m.GetLimit(), 1000)):], unread, nil
}

// briefly gathers for as long as a question may wait; more says that there is more to read.
func (h *history) briefly(ctx context.Context, e Engine) (more bool, err error) {
	brief, stop := context.WithTimeout(ctx, patience)
	defer stop()
	more, err = h.gather(brief, e)
	if err != nil && ctx.Err() == nil && brief.Err() != nil {
		return true, nil
	}
	return more, err
}

// gather reads the log to its end, a stretch at a time, so that questions are answered meanwhile. It
// returns early, with more, once ctx is over.
func (h *history) gather(ctx context.Context, e Engine) (more bool, err error) {
	for {
		if more, err = h.stretch(ctx, e); err != nil || !more {
			return more, err
		}
		if ctx.Err() != nil {
			return true, nil //nolint:nilerr // what was read so far is the answer
		}
	}
}

// historyStretch is how many records are read at once.
const historyStretch = 4096

// errStretch ends a read after a stretch.
var errStretch = errors.New("a stretch was read")

func (h *history) stretch(ctx context.Context, e Engine) (more bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.next == 0 {
		if err := h.begin(ctx, e); err != nil {
			return false, err
		}
	}
	next, count := h.next, 0
	var last []byte
	err = e.RecordsWith(ctx, h.next, func(record []byte) bool {
		next, last = next+1, record
		count++
		return count == historyStretch || ConcernsQuotas(record)
	}, func(r event.Record) error {
		h.add(r, last)
		if count >= historyStretch {
			return errStretch
		}
		return nil
	})
	if count > 0 && (err == nil || errors.Is(err, errStretch)) {
		h.next, h.last = next, last
	}
	if errors.Is(err, errStretch) {
		return true, nil
	}
	return false, err
}

// kindsOfHistory begin the names of events that the history is made of.
var kindsOfHistory = [][]byte{[]byte(`"kind":"quota.`), []byte(`"kind":"access.`), []byte(`"kind":"grant.`), []byte(`"kind":"hold.`), []byte(`"kind":"haircut.`), []byte(`"kind":"request.`), []byte(`"kind":"policy.`), []byte(`"kind":"buffer.`)}

// HistoryPart is the name under which the records of the history stand in what a log begins with that
// lacks its beginning.
const HistoryPart = "history"

// ConcernsQuotas says whether the history of quotas is made of a record, as the log holds it.
func ConcernsQuotas(record []byte) bool {
	for _, kind := range kindsOfHistory {
		if bytes.Contains(record, kind) {
			return true
		}
	}
	return false
}

// add takes a record in, as the log holds it.
func (h *history) add(r event.Record, record []byte) {
	if r.Seq <= h.latest || !ConcernsQuotas(record) {
		return // it was taken in before a read that failed, or only ends a stretch
	}
	h.latest, h.about = r.Seq, append(h.about, bytes.Clone(record))
	why, haircut := h.lines.why(r), cutsHair(r)
	for _, e := range r.Events {
		for _, c := range h.lines.read(e) {
			c.Seq, c.At, c.Actor, c.Reason, c.Kind = r.Seq, wire.Instant(r.At), r.Actor, why, e.Kind()
			h.changes = append(h.changes, dated{r.At, c, haircut})
			if placed, ok := e.(event.HoldPlaced); ok {
				h.placed[placed.Hold.ID] = c
			}
		}
	}
	if changesPolicy(r) {
		h.policed = append(h.policed, &policed{record: r})
	}
}

// cutsHair says whether a record is a wave of a haircut, or its undoing.
func cutsHair(r event.Record) bool {
	return slices.ContainsFunc(r.Events, func(e event.Event) bool {
		switch e.(type) {
		case event.HaircutApplied, event.HaircutUndone:
			return true
		}
		return false
	})
}

// holdsOf lists the holds of a quota, in force and over, as far as the log was read.
func (h *history) holdsOf(ctx context.Context, e Engine, quota string) (list []uint64) {
	if _, err := h.briefly(ctx, e); err != nil {
		return nil // the holds in force are known without it
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, c := range h.placed {
		if c.GetQuota() == quota {
			list = append(list, id)
		}
	}
	return list
}
