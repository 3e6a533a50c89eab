package events

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// view is what the page of events shows.
type view struct {
	v       *frame.Visit
	filters map[string]string
	rows    []Row
	wrong   string // what is wrong with a filter
	older   string
	newer   string
}

// Row is one event, with the pages of what it is about right before and after it.
type Row struct {
	seq           uint64
	first         bool // of its record
	at            time.Time
	actor, reason string
	kind, text    string
	times         int // how often it was told once more, one after another
	subject
	before, after string
	record        string
}

// subject is what a row is about.
type subject struct {
	thing, path string // what it is about, and its page
	about       words.Thing
}

// Is says whether an event is about a thing.
func (r Row) Is(thing words.Thing, name string) bool { return r.about == thing && r.thing == name }

// Kind is the kind of the event.
func (r Row) Kind() string { return r.kind }

// At is when it happened.
func (r Row) At() time.Time { return r.at }

// Actor is who did it.
func (r Row) Actor() string { return r.actor }

// Reason is why they did it, as they said.
func (r Row) Reason() string { return strings.TrimSpace(r.reason) }

// same says whether a row of the same record tells the same.
func (r Row) same(next Row) bool {
	return r.kind == next.kind && r.text == next.text && r.thing == next.thing
}

// often says how many times a row was told, where it is more than once.
func (r Row) often() string {
	if r.times == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", r.times+1)
}

// mostEvents is how many events of a page are shown.
const mostEvents = 400

// Page is the page of events.
func Page(v *frame.Visit) (frame.Page, error) {
	q := v.Request.URL.Query()
	m := view{v: v, filters: map[string]string{}}
	for _, name := range []string{"kind", "who", "about", "since"} {
		m.filters[name] = strings.TrimSpace(q.Get(name))
	}
	ask := &musterv1.ListEventsRequest{AsOf: v.AsOf, From: frame.Number(q.Get("from")), Who: m.filters["who"], About: m.filters["about"], Limit: 30}
	if n := frame.Number(q.Get("limit")); n > 0 && n <= 200 {
		ask.Limit = int32(n)
	}
	if m.filters["kind"] != "" {
		ask.Kinds = []string{m.filters["kind"]}
	}
	if m.filters["since"] != "" {
		at, err := frame.Moment(m.filters["since"], v.Now)
		if err != nil {
			return m.refused(frame.Wrong("Since", frame.Unfit(m.filters["since"], "a moment", "one such as yesterday, 2026-03-01T12:00:00Z, or 2h")))
		}
		ask.Since = timestamppb.New(at)
	}
	l, err := v.Events.ListEvents(v.Ctx, ask)
	if err != nil {
		return m.refused(err)
	}
	records := l.GetRecords()
	if ask.GetFrom() > 0 && l.GetNext() > 0 {
		m.newer = v.Here("from", fmt.Sprint(l.GetNext()))
	}
	if n := len(records); n > 0 && records[0].GetSeq() > 1 {
		m.older = v.Here("from", fmt.Sprint(max(1, int64(records[0].GetSeq())-int64(ask.GetLimit()))))
	}
	if ask.GetFrom() == 0 {
		slices.Reverse(records) // the last first, where no place was asked for
	}
	m.rows = Rows(v, records, mostEvents)
	command := []string{"muster", "events"}
	for _, f := range [][2]string{{"kind", "--kind"}, {"who", "--who"}, {"about", "--about"}, {"since", "--since"}} {
		if m.filters[f[0]] != "" {
			command = append(command, f[1], m.filters[f[0]])
		}
	}
	return frame.Page{Title: "Events", Nav: "events", Command: words.Shell(command...), Body: body(m), Lead: lead}, nil
}

const lead = "Everything that happened: who did what, when and why. Each leads to how things stood right before it, and right after."

// refused keeps the form where something in it is wrong, and says what.
func (m view) refused(err error) (frame.Page, error) {
	var input *frame.WrongInput
	if connect.CodeOf(err) != connect.CodeInvalidArgument && !errors.As(err, &input) {
		return frame.Page{}, err
	}
	m.wrong = frame.Explain(err)
	return frame.Page{Title: "Events", Nav: "events", Command: "muster events", Status: http.StatusBadRequest, Still: true, Body: body(m), Lead: lead}, nil
}

// Last are the last events about a thing, the newest first, and whether there are earlier ones.
func Last(v *frame.Visit, about string, most int) (rows []Row, earlier bool, err error) {
	e, err := v.Events.ListEvents(v.Ctx, &musterv1.ListEventsRequest{AsOf: v.AsOf, About: about, Limit: int32(most)})
	if err != nil {
		return nil, false, err
	}
	records := e.GetRecords()
	slices.Reverse(records)
	rows = Rows(v, records, most)
	return rows, e.GetEarlier() || len(rows) == most, nil
}

// Rows makes rows of records, at most so many.
func Rows(v *frame.Visit, records []*musterv1.Record, most int) []Row {
	jobs := jobNames(v, records)
	var list []Row
	for _, r := range records {
		for i, e := range r.GetEvents() {
			if len(list) == most {
				return list
			}
			row := rowOf(r, e, i == 0, jobs)
			if n := len(list); i > 0 && list[n-1].same(row) {
				list[n-1].times++
				continue
			}
			list = append(list, row)
		}
	}
	return list
}

func rowOf(r *musterv1.Record, e *musterv1.Event, first bool, jobs map[uint64]string) Row {
	row := Row{seq: r.GetSeq(), first: first, at: r.GetAt().AsTime(), actor: r.GetActor(), reason: r.GetReason(), kind: e.GetKind()}
	row.record = fmt.Sprintf("/events?from=%d&limit=1", r.GetSeq())
	told := words.Tell(e.GetKind(), e.GetData(), func(id uint64) string { return jobs[id] })
	row.thing, row.about, row.text, row.path = told.About, told.Thing, parts.Short(told.Says, 240), thingPath(told)
	if told.About == "" {
		row.text = strings.ToUpper(row.text[:min(1, len(row.text))]) + row.text[min(1, len(row.text)):]
	}
	row.before, row.after = asOf(row.path, row.at.Add(-time.Millisecond)), asOf(row.path, row.at)
	return row
}

// Sentences tells events that a change would write, one sentence each.
func Sentences(v *frame.Visit, list []*musterv1.Event) []string {
	jobs := jobNames(v, []*musterv1.Record{{Events: list}})
	var lines []words.Line
	for _, e := range words.Sums(list, func(e *musterv1.Event, data string) *musterv1.Event {
		return &musterv1.Event{Kind: e.GetKind(), Data: data}
	}) {
		told := words.Tell(e.GetKind(), e.GetData(), func(id uint64) string { return jobs[id] })
		lines = append(lines, words.Line{About: told.About, Says: parts.Short(told.Says, 240)})
	}
	return words.Merge(lines)
}

// thingPath is the page of what an event is about.
func thingPath(t words.Told) string {
	switch t.Thing {
	case words.Workload:
		if strings.Contains(t.About, "/") { // a number has no page
			return "/workload/" + t.About
		}
	case words.Node:
		return "/node/" + t.About
	case words.Quota:
		return "/team/" + t.About
	case words.Partition:
		if strings.Count(t.About, "/") >= 1 {
			partition, island, _ := cutIsland(t.About)
			if island != "" {
				return "/partition/" + partition + "?island=" + url.QueryEscape(island)
			}
			return "/partition/" + partition
		}
	case words.Haircut:
		return "/haircut/" + t.About
	case words.Request:
		return "/teams"
	case words.Incident:
		return "/incident/" + t.About
	case words.Nothing, words.Cluster, words.Life, words.Other:
	}
	return "/"
}

// cutIsland cuts a scope into its partition and its island.
func cutIsland(scope string) (partition, island string, ok bool) {
	parts := strings.SplitN(scope, "/", 3)
	if len(parts) < 3 {
		return scope, "", false
	}
	return parts[0] + "/" + parts[1], parts[2], true
}

// asOf is a path's page as of a moment.
func asOf(path string, at time.Time) string {
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	return path + sign + "as-of=" + parts.Stamp(at)
}

// mostNamed is how many workloads a page finds the names of.
const mostNamed = 5000

// jobNames finds out the names of workloads that records mention by number.
func jobNames(v *frame.Visit, records []*musterv1.Record) map[uint64]string {
	names := map[uint64]string{}
	var ids []uint64
	for _, r := range records {
		for _, e := range r.GetEvents() {
			ids = append(ids, words.Mentions(e.GetKind(), e.GetData())...)
		}
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id uint64) bool { return id == 0 })
	if len(ids) == 0 {
		return names
	}
	ids = ids[:min(len(ids), mostNamed)]
	l, err := v.Workloads.ListWorkloads(v.Ctx, &musterv1.ListWorkloadsRequest{States: words.WorkloadStates, Ids: ids, Limit: int32(len(ids))})
	if err != nil {
		return names // numbers stay numbers
	}
	for _, w := range l.GetWorkloads() {
		names[w.GetId()] = w.GetSpec().GetNamespace() + "/" + w.GetSpec().GetName()
	}
	return names
}
