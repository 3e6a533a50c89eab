package promise

import (
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// brokenRow is one moment at which promises broke, as a line of a table.
type brokenRow struct {
	*musterv1.Break
	where, path string // and the page that tells all of it
}

// mostBroken is how many of them a page lists.
const mostBroken = 40

// BrokenPart lists what broke promises in a scope, the last first.
func BrokenPart(v *frame.Visit) (frame.Page, error) {
	q := v.Request.URL.Query()
	ask := &musterv1.BrokenRequest{AsOf: v.AsOf, Scope: strings.TrimSuffix(q.Get("scope"), "/"), Limit: mostBroken}
	if word := q.Get("window"); word != "" {
		window, err := time.ParseDuration(word)
		if err != nil || window <= 0 {
			return frame.Page{}, frame.NoSpan("window", word)
		}
		ask.Since = timestamppb.New(v.At().Add(-window))
	}
	b, err := v.Promises.Broken(v.Ctx, ask)
	if err != nil {
		return frame.Page{}, err
	}
	var rows []brokenRow
	for _, one := range b.GetBreaks() {
		rows = append(rows, rowOf(v, one))
	}
	m := brokenTableView{rows: rows, more: int(b.GetFound()) - len(rows)}
	if q.Get("window") != "" {
		m.open = openText(v, ask.GetScope())
	}
	return frame.Page{Part: true, Body: brokenList(v, m)}, nil
}

// brokenTableView is the list of what broke promises.
type brokenTableView struct {
	rows []brokenRow
	more int    // that are older
	open string // what may still break
}

// openText says how many promises are not judged yet: that none of them is broken means little. "" where none runs, or that
// is not known.
func openText(v *frame.Visit, scope string) string {
	r, err := v.Promises.Promises(v.Ctx, &musterv1.PromisesRequest{AsOf: v.AsOf, Scope: scope, WithoutIslands: true})
	open := 0
	for _, p := range r.GetPromises() {
		open += int(p.GetOpen())
	}
	if err != nil || open == 0 {
		return ""
	}
	return draw.Count(open, "promise") + " for whole partitions not judged yet: a promise is judged when its horizon is over."
}

// BrokenList is the page of what broke promises; the past, which may take long, comes later.
func BrokenList(v *frame.Visit) (frame.Page, error) {
	scope, window := v.Query("scope"), v.Query("window")
	command := []string{"muster", "promise", "broken"}
	if scope != "" {
		command = append(command, scope)
	}
	return frame.Page{
		Title: "Broken promises", Nav: "promise", Crumbs: frame.Under("Promise", "/promise"), Command: words.Shell(command...),
		Lead: "The moments at which fewer whole nodes were healthy than were promised, the last first.", Body: BrokenLater(v, scope, window),
	}, nil
}

func rowOf(v *frame.Visit, b *musterv1.Break) brokenRow {
	r := brokenRow{Break: b, where: b.GetPartition()}
	if b.GetIsland() != "" {
		r.where += "/" + b.GetIsland()
	}
	r.path = v.To("/promise/broken/" + strconv.FormatUint(b.GetRecord(), 10))
	return r
}

// brokenView is the page of one record that broke promises.
type brokenView struct {
	v     *frame.Visit
	falls []fallView
	event []events.Row
}

// fallView is one of the promises that it broke.
type fallView struct {
	brokenRow
	wide, narrow draw.SVG
}

// Broken is the page of one record that broke promises.
func Broken(v *frame.Visit) (frame.Page, error) {
	record := frame.Number(v.Request.PathValue("record"))
	none := frame.Missing("No promise was broken by record "+parts.Short(v.Request.PathValue("record"), 20)+".", "The page of promises lists what broke them; what is older than 400 days is forgotten.")
	if record == 0 {
		return frame.Page{}, none
	}
	b, err := v.Promises.Broken(v.Ctx, &musterv1.BrokenRequest{AsOf: v.AsOf, Record: record, Since: timestamppb.New(v.Begin().Add(-time.Hour))})
	if err != nil {
		return frame.Page{}, err
	}
	if len(b.GetBreaks()) == 0 {
		return frame.Page{}, none
	}
	m := brokenView{v: v}
	for i, one := range b.GetBreaks() {
		f := fallView{brokenRow: rowOf(v, one)}
		fall := draw.Fall{Promised: int(one.GetPromised()), Whole: int(one.GetWhole()), Lost: len(one.GetLost()), Out: len(one.GetOut())}
		f.wide, f.narrow = draw.Falls("fall"+parts.Plain(i), fall, draw.Wide), draw.Falls("fall"+parts.Plain(i), fall, draw.Narrow)
		m.falls = append(m.falls, f)
	}
	e, err := v.Events.ListEvents(v.Ctx, &musterv1.ListEventsRequest{AsOf: v.AsOf, From: record, Limit: 1})
	if err != nil {
		return frame.Page{}, err
	}
	m.event = events.Rows(v, e.GetRecords(), 20)
	first := b.GetBreaks()[0]
	return frame.Page{
		Title: "Broken " + parts.Clock(first.GetAt().AsTime(), v.Now), Nav: "promise", Crumbs: frame.Under("Promise", "/promise"),
		Lead: m.sentence(), Command: words.Shell("muster", "promise", "broken", first.GetPartition(), "-o", "wide"), Body: brokenBody(m),
	}, nil
}

// sentence says at once what broke what.
func (m brokenView) sentence() string {
	first := m.falls[0]
	by := "nodes"
	if lost := first.GetLost(); len(lost) == 1 {
		by = "node " + lost[0].GetNode()
		if lost[0].GetCause() != "" {
			by += " (" + lost[0].GetCause() + ")"
		}
	} else if len(lost) > 1 {
		by = draw.Count(len(lost), "node")
	}
	promises := 0
	for _, f := range m.falls {
		promises += int(f.GetPromises())
	}
	return "The loss of " + by + " broke " + draw.Count(promises, "promise") + " in " + first.GetPartition() + "."
}

// whatOf says what a promise was of.
func whatOf(b *musterv1.Break) string {
	if b.GetIsland() != "" {
		return "own share, 24 h"
	}
	return picture.Horizon(b.GetHorizonHours())
}

// madeIn says when the promises were made.
func madeIn(b *musterv1.Break, now time.Time) string {
	first, last := parts.Clock(b.GetFirst().AsTime(), now), parts.Clock(b.GetLast().AsTime(), now)
	if b.GetPromises() == 1 {
		return " promise, made in the hour from " + first + ", of "
	}
	return " promises, made in the hours from " + first + " to " + last + ", of up to "
}

func comma(more bool) string {
	if more {
		return ","
	}
	return ""
}
