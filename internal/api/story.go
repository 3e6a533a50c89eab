package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/event"
	"github.com/muster-fleet/muster/internal/explain"
	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/view"
)

// How many of the last lines of a story are told to who did not ask for all of it,
// and how many records are read for one.
const (
	lastLines   = 5
	storyLength = 200_000
)

// remember adds to an answer what the log knows: what happened to the workload,
// how its reasons changed, and since when each blocker has been there.
func (s *service) remember(ctx context.Context, out *musterv1.WhyResponse, m *musterv1.WhyRequest, state *fleet.State, w *fleet.Workload, list []explain.Blocker, at fleet.Instant) error {
	story, cut, err := s.story(ctx, state, w, at)
	if err != nil {
		return err
	}
	from := w.PendingSince
	if m.GetHistory() {
		from = w.Submitted
	}
	limit := retracing
	if m.GetHistory() {
		limit = 10 * retracing
	}
	trace := s.retrace(ctx, w, from, at, limit)
	for i := range list {
		list[i].Since = trace.since(list[i].Code)
	}
	lines := story.Lines
	if m.GetHistory() {
		lines = merged(lines, trace.lines)
		out.HistoryCut = cut || trace.cut
	} else if len(lines) > lastLines {
		lines, out.HistoryCut = lines[len(lines)-lastLines:], true
	}
	for _, h := range lines {
		out.History = append(out.History, happening(h))
	}
	return nil
}

func happening(h view.Happening) *musterv1.Happening {
	return &musterv1.Happening{Seq: h.Seq, At: timestamp(h.At), Actor: h.Actor, Reason: h.Reason, Kind: h.Kind, Text: h.Text, By: h.By}
}

// story reads what happened to a workload from the log, from its submission on.
func (s *service) story(ctx context.Context, state *fleet.State, w *fleet.Workload, at fleet.Instant) (story view.Story, cut bool, err error) {
	story = view.Story{ID: w.ID, State: state}
	from, err := s.seqOf(ctx, w.Submitted, state.Seq)
	if err != nil {
		return story, false, err
	}
	if state.Seq > from+storyLength {
		from, cut = state.Seq-storyLength, true
	}
	err = s.engine.Records(ctx, from, func(r event.Record) error {
		if r.Seq > state.Seq || r.At > at {
			return errFound
		}
		story.Add(r)
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return story, cut, err
}

// seqOf is the first record of a moment or later, by bisection.
func (s *service) seqOf(ctx context.Context, at fleet.Instant, last uint64) (uint64, error) {
	low, high := uint64(1), last
	for low < high {
		mid := (low + high) / 2
		r, err := s.original(ctx, Result{Seq: mid, Repeat: true})
		if err != nil {
			return 0, err
		}
		if r.At < at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, nil
}

// trace is how a workload's blockers changed while it waited.
type trace struct {
	began map[explain.Code]fleet.Instant // since when each has been there without a break
	lines []view.Happening               // one for each change of the reasons
	cut   bool                           // there was no time to look at all of it
	last  string
}

// since is when a blocker appeared; 0 where that is not known.
func (t *trace) since(code explain.Code) fleet.Instant {
	if t.cut {
		return 0
	}
	return t.began[code]
}

// retrace lives through what happened since a moment once more, and asks after
// each record what kept the workload from starting. It stops when its time is up.
func (s *service) retrace(ctx context.Context, w *fleet.Workload, from, to fleet.Instant, limit time.Duration) *trace {
	t := &trace{began: map[explain.Code]fleet.Instant{}}
	ctx, end := context.WithTimeout(ctx, limit)
	defer end()
	state, err := s.engine.StateAt(ctx, from)
	if err != nil {
		t.cut = true
		return t
	}
	t.look(state, w.ID, event.Record{Seq: state.Seq, At: from})
	err = s.engine.Records(ctx, state.Seq+1, func(r event.Record) error {
		switch {
		case r.At > to:
			return errFound
		case ctx.Err() != nil:
			return ctx.Err()
		}
		core.Apply(state, r)
		t.look(state, w.ID, r)
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
	now := map[explain.Code]bool{}
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
