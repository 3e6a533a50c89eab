package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// How many of the last lines of a story are told to who did not ask for all of it.
const lastLines = 5

// subject is what the log is asked about: a workload, as a state shows it.
type subject struct {
	id                uint64
	submitted, waited fleet.Instant // since when it has been there, and waiting
	seq               uint64        // the record that the state came after
	at                fleet.Instant
	codes             []reason.Code // of its blockers
	large             bool          // the fleet cannot be found again at another moment in time
	heavy             bool          // copies of the fleet take megabytes
	lacks             []lacking     // what its blockers say
}

func subjectOf(s *fleet.State, w *fleet.Workload, list []explain.Blocker, at fleet.Instant) subject {
	q := subject{id: w.ID, submitted: w.Submitted, waited: w.PendingSince, seq: s.Seq, at: at, large: large(s), heavy: s.Size() > light, lacks: lackings(s, w, list)}
	for _, b := range list {
		q.codes = append(q.codes, b.Code)
	}
	return q
}

// remember adds to an answer what the log knows: what happened to the workload,
// how its reasons changed, and since when each blocker has been there.
func (s *service) remember(ctx context.Context, out *musterv1.WhyResponse, m *musterv1.WhyRequest, q subject) error {
	lines, cut, err := s.story(ctx, m, q)
	if err != nil {
		return err
	}
	from, limit := q.waited, retracing
	if m.GetHistory() {
		from, limit = q.submitted, retracingAll
	}
	trace := &trace{cut: true}
	if !q.large {
		trace = s.retrace(ctx, q.id, from, q.at, limit)
	}
	for i, code := range q.codes {
		out.Blockers[i].Since = wire.Instant(trace.since(code))
	}
	if m.GetHistory() {
		lines = merged(lines, trace.lines)
		out.HistoryCut = cut || trace.cut
	} else if len(lines) > lastLines {
		lines, out.HistoryCut = lines[len(lines)-lastLines:], true
	}
	for _, h := range lines {
		out.History = append(out.History, wire.Happening(h))
	}
	return nil
}

// story is what happened to a workload, from its submission on.
func (s *service) story(ctx context.Context, m *musterv1.WhyRequest, q subject) (lines []view.Happening, cut bool, err error) {
	seqs, err := s.stories.of(ctx, s.engine, q)
	if err != nil {
		return nil, false, err
	}
	var records []event.Record
	cut = true
	for _, seq := range seqs {
		r, err := s.original(ctx, Result{Seq: seq, Repeat: true})
		if err != nil {
			return nil, false, err
		}
		if r.At <= q.at {
			records = append(records, r)
			cut = cut && !submits(r, q.id)
		}
	}
	_, err = s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		story := view.Story{ID: q.id, State: state}
		for _, r := range records {
			story.Add(r)
		}
		lines = story.Lines
		return nil
	})
	return lines, cut, err
}

// submits says whether a story begins with a record: of one that does not, something
// is missing.
func submits(r event.Record, id uint64) bool {
	return slices.ContainsFunc(r.Events, func(e event.Event) bool {
		x, ok := e.(event.WorkloadSubmitted)
		return ok && x.ID == id
	})
}

// trace is how a workload's blockers changed while it waited.
type trace struct {
	began map[reason.Code]fleet.Instant // since when each has been there without a break
	lines []view.Happening              // one for each change of the reasons
	cut   bool                          // there was no time to look at all of it
	last  string
}

// since is when a blocker appeared; 0 where that is not known.
func (t *trace) since(code reason.Code) fleet.Instant {
	if t.cut {
		return 0
	}
	return t.began[code]
}

// retrace lives through what happened since a moment once more, and asks after
// each record what kept the workload from starting. It stops when its time is up.
func (s *service) retrace(ctx context.Context, id uint64, from, to fleet.Instant, limit time.Duration) *trace {
	t := &trace{began: map[reason.Code]fleet.Instant{}}
	ctx, end := context.WithTimeout(ctx, limit)
	defer end()
	state, err := s.engine.StateAt(ctx, from)
	if err != nil {
		t.cut = true
		return t
	}
	t.look(state, id, event.Record{Seq: state.Seq, At: from})
	err = s.engine.Records(ctx, state.Seq+1, func(r event.Record) error {
		switch {
		case r.At > to:
			return errFound
		case ctx.Err() != nil:
			return ctx.Err()
		}
		core.ApplyRecord(state, r)
		t.look(state, id, r)
		return nil
	})
	t.cut = err != nil && !errors.Is(err, errFound)
	return t
}

// look asks what keeps the workload from starting after a record.
func (t *trace) look(state *fleet.State, id uint64, r event.Record) {
	w := state.Workloads[id]
	if w == nil {
		return
	}
	list := explain.Why(state, w, r.At)
	now := map[reason.Code]bool{}
	var words []string
	for _, b := range list {
		now[b.Code] = true
		if t.began[b.Code] == 0 {
			t.began[b.Code] = r.At
		}
		words = append(words, string(b.Code))
	}
	for code := range t.began {
		if !now[code] {
			delete(t.began, code)
		}
	}
	says := strings.Join(words, ", ")
	if says != t.last && says != "" {
		t.lines = append(t.lines, view.Happening{
			Seq: r.Seq, At: r.At, Kind: "reason", Text: fmt.Sprintf("waits: %s. %s", says, list[0].Text),
		})
	}
	t.last = says
}

// merged brings two lists of lines into one, in order.
func merged(events, reasons []view.Happening) []view.Happening {
	all := slices.Concat(events, reasons)
	slices.SortStableFunc(all, func(a, b view.Happening) int {
		switch {
		case a.Seq < b.Seq:
			return -1
		case a.Seq > b.Seq:
			return 1
		}
		return 0
	})
	return all
}
