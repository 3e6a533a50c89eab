package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// ListEvents lists records in order: from a sequence number or a moment on, or the last ones.
func (s eventService) ListEvents(ctx context.Context, m *musterv1.ListEventsRequest) (*musterv1.ListEventsResponse, error) {
	until, err := s.until(m.GetAsOf())
	if err == nil {
		err = knownKinds(m.GetKinds())
	}
	if err != nil {
		return nil, err
	}
	p := &page{limit: orElse(m.GetLimit(), 100), last: m.GetFrom() == 0 && m.GetSince() == nil, kinds: m.GetKinds(), until: until, choice: choice{who: m.GetWho(), about: m.GetAbout()}}
	if chosen := p.who != "" || p.about != "" || len(p.kinds) > 0; chosen && !p.last { // that the log goes on tells nothing
		p.shows = s.filter(ctx)
	}
	if m.GetSince() != nil {
		if p.since, err = wire.ReadInstant("since", m.GetSince()); err != nil {
			return nil, err
		}
	}
	if p.about != "" {
		p.holds = s.history.holdsOf(ctx, s.engine, p.about)
	}
	switch {
	case p.last && p.remembered():
		err = s.recent.lastPage(ctx, s.engine, p)
	case p.last:
		err = s.lastPage(ctx, p)
	case m.GetFrom() == 0:
		err = s.pageSince(ctx, p)
	default:
		err = s.fill(ctx, p, m.GetFrom())
	}
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, p)
}

// lastPage fills a page from the end of the log, looking further and further back.
func (s eventService) lastPage(ctx context.Context, p *page) error {
	end := s.from(0)
	for back := uint64(p.limit) + 1; ; back *= 8 {
		start := uint64(1)
		if back < end {
			start = end - back
		}
		p.records = p.records[:0]
		err := s.fill(ctx, p, start)
		if errors.As(err, new(*journal.TrimmedError)) {
			start, p.earlier = 0, false // all that is kept
			err = s.fill(ctx, p, start)
		}
		if err != nil || start <= 1 || p.earlier {
			return err
		}
	}
}

// pageSince fills a page from a moment on.
func (s eventService) pageSince(ctx context.Context, p *page) error {
	before, err := s.engine.SeqAt(ctx, p.since-1)
	if err != nil {
		return err
	}
	return s.fill(ctx, p, before+1)
}

func (s eventService) fill(ctx context.Context, p *page, from uint64) error {
	read := s.engine.Records
	if p.about != "" {
		s.engine.Look(p.mean)
		read = func(ctx context.Context, from uint64, fn func(event.Record) error) error {
			return s.engine.RecordsWith(ctx, from, p.subject.MayBeIn, fn)
		}
	}
	err := read(ctx, from, p.add)
	if errors.Is(err, errFound) {
		return nil
	}
	return err
}

// page gathers records: the first ones up to a limit, or the last ones.
type page struct {
	limit int
	last  bool
	kinds []string
	until fleet.Instant
	choice
	shows   func(event.Record) event.Record // what of a record the caller may read, before it is counted; nil: all
	earlier bool                            // there are others before the last ones
	records []event.Record
	next    uint64
}

// remembered says whether what a page holds is worth remembering: people look at
// what happens to one thing, now.
func (p *page) remembered() bool {
	return p.about != "" && p.who == "" && len(p.kinds) == 0 && p.until == fleet.Never
}

func (p *page) add(r event.Record) error {
	if r.At > p.until {
		return errFound
	}
	if r.At < p.since {
		return nil
	}
	if r = only(p.choose(r), p.kinds); len(r.Events) > 0 && p.shows != nil {
		r = p.shows(r) // that a next one follows would tell of it
	}
	if len(r.Events) == 0 {
		return nil
	}
	if len(p.records) == p.limit {
		if !p.last {
			p.next = r.Seq
			return errFound
		}
		p.earlier = true
		copy(p.records, p.records[1:])
		p.records = p.records[:p.limit-1]
	}
	p.records = append(p.records, r)
	return nil
}

// answer is what of a page the caller may read, as a message; with fewer records, if they
// are more than one answer may weigh.
func (s eventService) answer(ctx context.Context, p *page) (*musterv1.ListEventsResponse, error) {
	out := &musterv1.ListEventsResponse{Next: p.next, Earlier: p.earlier}
	if s.filter(ctx) != nil && p.last {
		out.Earlier = s.from(0) > uint64(p.limit) // whether some of what is asked for are earlier would tell of hidden ones
	}
	room := room(ctx)
	if p.last {
		slices.Reverse(p.records) // the last ones are what is asked for
	}
	for i, r := range p.records {
		if r = s.shown(ctx, r); len(r.Events) == 0 {
			continue
		}
		one, err := wire.Record(r)
		if err != nil {
			return nil, err
		}
		if room -= proto.Size(one) + perEntry; room < 0 && i > 0 {
			out.Earlier = out.Earlier || p.last
			if !p.last {
				out.Next = r.Seq
			}
			break
		}
		out.Records = append(out.Records, one)
	}
	if p.last {
		slices.Reverse(out.Records)
	}
	return out, nil
}

// Watch streams records from a sequence number on.
func (s eventService) Watch(ctx context.Context, m *musterv1.WatchRequest, stream *connect.ServerStream[musterv1.WatchResponse]) error {
	if err := knownKinds(m.GetKinds()); err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-s.stopping:
			end()
		case <-ctx.Done():
		}
	}()
	from := s.from(m.GetFrom())
	if err := stream.Send(nil); err != nil { // headers: the caller learns that the watch stands
		return err
	}
	reading := s.reading()
	err := s.engine.Watch(ctx, from, func(r event.Record) error {
		defer reading.read()
		done, err := s.turns.pace(ctx, callerOf(ctx), musterv1connect.EventServiceWatchProcedure, mostOfWrite, s.turns.busy)
		if err != nil {
			return err
		}
		defer done()
		s.turns.charge(callerOf(ctx), reading.took(r.Seq))
		if r = s.shown(ctx, only(r, m.GetKinds())); len(r.Events) == 0 {
			return nil
		}
		message, err := wire.Record(r)
		if err != nil {
			return err
		}
		return stream.Send(&musterv1.WatchResponse{Record: message})
	})
	select {
	case <-s.stopping:
		return connect.NewError(connect.CodeUnavailable, errors.New("the server ends; watch again when it is back"))
	default:
		return err
	}
}

// reading counts what it takes to read old records, which happens between two that are shown.
type reading struct {
	head  uint64 // the last record that was there when the stream began: later ones are waited for
	since time.Time
}

func (s *service) reading() *reading {
	o := &reading{since: time.Now()}
	s.engine.Look(func(state *fleet.State) { o.head = state.Seq })
	return o
}

// took is how long it took to read a record, in seconds, up to what a record takes at most.
func (o *reading) took(seq uint64) float64 {
	if seq > o.head {
		return 0
	}
	return min(mostOfWrite, time.Since(o.since)).Seconds()
}

func (o *reading) read() { o.since = time.Now() }

// from is the sequence number to watch from; 0 means the next one.
func (s *service) from(seq uint64) uint64 {
	if seq == 0 {
		s.engine.Look(func(state *fleet.State) { seq = state.Seq + 1 })
	}
	return seq
}

// knownKinds refuses beginnings with which no kind of event begins: who mistypes
// one is not to read that nothing has happened.
func knownKinds(asked []string) error {
	all := event.Kinds()
	for i, kind := range asked {
		if slices.ContainsFunc(all, func(known string) bool { return strings.HasPrefix(known, kind) }) {
			continue
		}
		if likely := kindsLike(kind, all); likely != "" {
			return wire.Wrong(fmt.Sprintf("kinds[%d]", i), "no kind of event begins with %.40q; did you mean %s?", kind, likely)
		}
		var about []string
		for _, known := range all {
			if subject, _, _ := strings.Cut(known, "."); !slices.Contains(about, subject) {
				about = append(about, subject)
			}
		}
		return wire.Wrong(fmt.Sprintf("kinds[%d]", i), "no kind of event begins with %.40q; they begin with %s", kind, strings.Join(about, ", "))
	}
	return nil
}

// endsOfWork are words for the one kind of event that says how work ended.
var endsOfWork = []string{"failed", "failure", "succeeded", "completed", "complete", "ended", "done"}

// mostLikely is how many kinds are proposed in place of one that there is not.
const mostLikely = 4

// kindsLike are the kinds that a beginning may have been meant for. First come those that have the same word in
// them, as evict in replicas.evicted. Then come those that say the same of another thing, as for workload.evicted.
// Else it is the nearest one.
func kindsLike(kind string, all []string) string {
	about, what, _ := strings.Cut(strings.ToLower(kind), ".")
	if about == "workload" && slices.Contains(endsOfWork, what) {
		return "workload.finished"
	}
	for _, word := range []string{strings.TrimSuffix(strings.ToLower(kind), "s"), stem(what)} {
		if list := kindsWith(word, all); len(list) > 0 {
			return strings.Join(list, ", ")
		}
	}
	return text.Nearest(kind, all)
}

// stem is a word without the ending of what is past: evict, of evicted.
func stem(word string) string {
	for _, end := range []string{"ed", "d", "s"} {
		if short, ok := strings.CutSuffix(word, end); ok {
			return short
		}
	}
	return word
}

// kindsWith are the first kinds that have a word in them; none of a word that is too short to tell.
func kindsWith(word string, all []string) (list []string) {
	for _, known := range all {
		if len(word) > 2 && strings.Contains(known, word) && len(list) < mostLikely {
			list = append(list, known)
		}
	}
	return list
}

// only is the record with the events whose kind begins with one of these; all for none.
func only(r event.Record, kinds []string) event.Record {
	if len(kinds) == 0 {
		return r
	}
	var kept []event.Event
	for _, e := range r.Events {
		for _, kind := range kinds {
			if strings.HasPrefix(e.Kind(), kind) {
				kept = append(kept, e)
				break
			}
		}
	}
	r.Events = kept
	return r
}
