package incident

import (
	"cmp"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// listView is the list of incidents.
type listView struct {
	v            *frame.Visit
	open, closed []row
	all          bool // closed ones are asked for too
	offers       []change.Offer
}

// row is one incident, with the reason that it was opened with.
type row struct {
	*musterv1.Incident
	reason string
}

// List is the page of incidents.
func List(v *frame.Visit) (frame.Page, error) {
	m := listView{v: v, all: v.Query("closed") != "", offers: change.For(v, "open-incident", "Open an incident …")}
	list, err := Ordered(v, m.all)
	if err != nil {
		return frame.Page{}, err
	}
	reasons, err := reasonsOf(v)
	if err != nil {
		return frame.Page{}, err
	}
	for _, i := range list {
		r := row{i, reasons[i.GetName()]}
		if i.GetClosed() == nil {
			m.open = append(m.open, r)
		} else {
			m.closed = append(m.closed, r)
		}
	}
	slices.SortStableFunc(m.closed, func(a, b row) int { return b.GetClosed().AsTime().Compare(a.GetClosed().AsTime()) })
	command := "muster incident list"
	if m.all {
		command += " --closed"
	}
	return frame.Page{Title: "Incidents", Nav: "fleet", Crumbs: frame.Under("Fleet", "/"), Command: command, Lead: lead(m.open), Body: listBody(m)}, nil
}

// Ordered lists incidents: open ones first, the worst first, then the oldest.
func Ordered(v *frame.Visit, closed bool) ([]*musterv1.Incident, error) {
	i, err := v.Fleet.ListIncidents(v.Ctx, &musterv1.ListIncidentsRequest{AsOf: v.AsOf, Closed: closed})
	list := i.GetIncidents()
	slices.SortStableFunc(list, func(a, b *musterv1.Incident) int {
		return cmp.Or(
			cmp.Compare(len(ended(a)), len(ended(b))), cmp.Compare(severity(a), severity(b)),
			a.GetOpened().AsTime().Compare(b.GetOpened().AsTime()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list, err
}

func ended(i *musterv1.Incident) string {
	if i.GetClosed() == nil {
		return ""
	}
	return "closed"
}

// severity sorts: sev0 is the worst, and one of no severity comes last.
func severity(i *musterv1.Incident) string { return cmp.Or(i.GetSeverity(), "sev9") }

// mostRecords is how many records about incidents are read to learn their reasons.
const mostRecords = 500

// reasonsOf are the reasons that incidents were opened with, by name.
func reasonsOf(v *frame.Visit) (map[string]string, error) {
	e, err := v.Events.ListEvents(v.Ctx, &musterv1.ListEventsRequest{AsOf: v.AsOf, Kinds: []string{"incident.opened"}, Limit: mostRecords})
	reasons := map[string]string{}
	for _, r := range e.GetRecords() {
		for _, one := range r.GetEvents() {
			if told := words.Tell(one.GetKind(), one.GetData(), func(uint64) string { return "" }); told.Thing == words.Incident {
				reasons[told.About] = r.GetReason()
			}
		}
	}
	return reasons, err
}

func lead(open []row) string {
	gpus := 0
	for _, r := range open {
		gpus += int(r.GetGpus())
	}
	switch len(open) {
	case 0:
		return "No incident is open."
	case 1:
		return "1 incident is open and " + Takes(open[0].Incident) + "."
	}
	return draw.Number(len(open)) + " incidents are open, the worst first; they take " + amount(gpus) + "."
}

// amount is how much incidents take.
func amount(gpus int) string {
	if gpus == 0 {
		return "no GPUs"
	}
	return draw.Count(gpus, "GPU")
}

// Takes says how much an incident takes; of one that takes nothing, what is in service.
func Takes(i *musterv1.Incident) string {
	said := "takes " + amount(int(i.GetGpus()))
	switch {
	case i.GetGpus() > 0 || i.GetClosed() != nil:
		return said
	case len(i.GetNodes()) == 1:
		return said + ": its node is in service"
	case len(i.GetNodes()) > 1:
		return said + ": all of its " + draw.Count(len(i.GetNodes()), "node") + " are in service"
	}
	return said + ": all nodes " + where(i.GetScope()) + " are in service"
}

// view is the page of one incident.
type view struct {
	v *frame.Visit
	row
	events []events.Row
	offers []change.Offer
}

// Page is the page of one incident.
func Page(v *frame.Visit) (frame.Page, error) {
	name := v.Request.PathValue("name")
	list, err := Ordered(v, true)
	if err != nil {
		return frame.Page{}, err
	}
	at := slices.IndexFunc(list, func(i *musterv1.Incident) bool { return i.GetName() == name })
	if at < 0 {
		return frame.Page{}, frame.Missing("No incident is named "+parts.Short(name, 80)+".", "The page of incidents lists them.")
	}
	m, command := view{v: v, row: row{Incident: list[at]}}, "muster incident list"
	if m.events, err = eventsOf(v, name); err != nil {
		return frame.Page{}, err
	}
	reasons, err := reasonsOf(v)
	m.reason = reasons[name]
	if m.GetClosed() == nil {
		m.offers = change.Join(change.For(v, "update-incident", "Update …", "name", name), change.For(v, "close-incident", "Close …", "name", name))
	} else {
		command += " --closed"
	}
	return frame.Page{
		Title: "Incident " + name, Nav: "fleet", Crumbs: frame.Under("Fleet", "/", "Incidents", "/incidents"), Lead: m.sentence(),
		Command: command, Body: body(m),
		About: []string{cmp.Or(m.GetScope(), frame.TheFleet)},
	}, err
}

// eventsOf are the events about one incident.
func eventsOf(v *frame.Visit, name string) ([]events.Row, error) {
	e, err := v.Events.ListEvents(v.Ctx, &musterv1.ListEventsRequest{AsOf: v.AsOf, Kinds: []string{"incident"}, Limit: mostRecords})
	if err != nil {
		return nil, err
	}
	rows := events.Rows(v, e.GetRecords(), mostRecords)
	return slices.DeleteFunc(rows, func(r events.Row) bool { return !r.Is(words.Incident, name) }), nil
}

// sentence says how it stands.
func (m view) sentence() string {
	s := strings.TrimSpace(m.GetSeverity() + " " + where(m.GetScope()))
	s = strings.ToUpper(s[:1]) + s[1:]
	if m.GetClosed() != nil {
		return s + "; closed " + parts.Clock(m.GetClosed().AsTime(), m.v.Now) + " after " + parts.Lasted(m.GetClosed().AsTime().Sub(m.GetOpened().AsTime())) + "."
	}
	return s + ", open for " + parts.Lasted(m.v.At().Sub(m.GetOpened().AsTime())) + "; it " + Takes(m.Incident) + "."
}

// where says what an incident covers.
func where(scope string) string {
	if scope == "" {
		return "in the fleet"
	}
	return "in " + scope
}

// scopePath is the page of what an incident covers.
func scopePath(scope string) string {
	list := strings.SplitN(scope, "/", 3)
	if len(list) < 2 {
		return "/"
	}
	return "/partition/" + list[0] + "/" + list[1]
}
