package fleet

import (
	"cmp"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/coming"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/incident"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// view is what the fleet page shows.
type view struct {
	v            *frame.Visit
	steps        []draw.Step
	rows         []row
	incidents    []*musterv1.Incident
	fleet        *musterv1.Figures
	wrongs       int
	count        int // of clusters
	more         int // rows that are not shown
	coming       coming.View
	planned      coming.PlannedView
	owed         owed
	wide, narrow draw.SVG
}

// mostIncidents is how many open incidents the page shows; their own page has all.
const mostIncidents = 6

// mostRows is how many clusters and partitions the page lists, unless all are asked for.
const mostRows = 60

// row is a cluster, or a partition below it.
type row struct {
	name      string
	partition bool
	alone     bool // the only one of its cluster, which has no row of its own
	mode      string
	path      string
	f         *musterv1.Figures
	wrong     []string // what is wrong with it, the worst first
	weight    int
	meter     draw.SVG
}

// cluster is the name of its cluster.
func (r row) cluster() string {
	name, _, _ := strings.Cut(r.name, "/")
	return name
}

// Page shows what the fleet can muster, and what is wrong.
func Page(v *frame.Visit) (frame.Page, error) {
	c, err := v.Capacity.Capacity(v.Ctx, &musterv1.CapacityRequest{AsOf: v.AsOf, WithoutIslands: true})
	if err != nil {
		return frame.Page{}, err
	}
	h, err := v.Health.Health(v.Ctx, &musterv1.HealthRequest{AsOf: v.AsOf})
	if err != nil {
		return frame.Page{}, err
	}
	i, err := incident.Ordered(v, false)
	if err != nil {
		return frame.Page{}, err
	}
	m := view{v: v, fleet: c.GetFleet(), incidents: i}
	if m.owed, err = owedOf(v); err != nil {
		return frame.Page{}, err
	}
	if m.planned, err = coming.Planned(v, &musterv1.PlannedWorkRequest{}); err != nil {
		return frame.Page{}, err
	}
	if m.coming, err = coming.Of(v, "", coming.Most); err != nil {
		return frame.Page{}, err
	}
	m.steps = picture.Waterfall(c.GetFleet(), h.GetPartitions(), i, v.To)
	m.wide, m.narrow = draw.Waterfall(m.steps, draw.Wide), draw.Waterfall(m.steps, draw.Narrow)
	m.rows = rowsOf(v, c, h)
	for _, r := range m.rows {
		if (!r.partition || r.alone) && len(r.wrong) > 0 {
			m.wrongs++
		}
	}
	m.count = len(clustersOf(m.rows))
	if most := mostRows; v.Request.URL.Query().Get("all") == "" && len(m.rows) > most {
		m.more, m.rows = len(m.rows)-most, m.rows[:most]
	}
	p := frame.Page{Title: "Fleet", Nav: "fleet", Command: "muster capacity", Body: body(m), About: []string{frame.TheFleet}}
	p.Lead = strings.TrimSpace(lead(m) + " " + words.NotInForce(c.GetClusters()))
	return p, nil
}

// lead is the page's answer in one sentence.
func lead(m view) string {
	f := m.fleet
	if f.GetInstalled() == 0 {
		return "No GPUs are installed yet."
	}
	s := draw.Number(int(f.GetBacked())) + " of " + draw.Number(int(f.GetAssigned())) + " GPUs granted are backed. Of " + draw.Number(int(f.GetInstalled())) + " installed, " +
		promised(f, m.v.AsOf == nil) + ", and " + draw.Number(int(f.GetFlex())) + " are flex."
	if broken := m.owed.says(); broken != "" {
		s = "Broken: " + broken + ". " + s
	}
	if m.wrongs > 0 {
		s += " " + draw.Count(m.wrongs, "cluster") + " of " + parts.Plain(m.count) + " need a look."
		s = strings.Replace(s, "1 cluster of "+parts.Plain(m.count)+" need", "1 cluster of "+parts.Plain(m.count)+" needs", 1)
	}
	return s
}

// promised says how many GPUs can be promised, now or at the moment of the page, and what is left of them. What is left in one partition is no help
// where another has promised too many, so the two are not set off against each other.
func promised(f *musterv1.Figures, now bool) string {
	left := f.GetUnallocated()
	over := f.GetAssigned() + left - f.GetPromisable()
	when := "could be promised then"
	if now {
		when = "can be promised now"
	}
	s := draw.Number(int(f.GetPromisable())) + " " + when + ", " + draw.Number(int(f.GetAssigned())) + " are promised"
	switch {
	case left > 0 && over > 0:
		s += " (" + draw.Number(int(over)) + " too many in one partition, and " + draw.Number(int(left)) + " are left in another)"
	case left > 0:
		s += " and " + draw.Number(int(left)) + " are left"
	case over > 0:
		s += " (" + draw.Number(int(over)) + " too many)"
	}
	return s
}

func clustersOf(rows []row) (list []row) {
	for _, r := range rows {
		if !r.partition || r.alone {
			list = append(list, r)
		}
	}
	return list
}

// rowsOf are the clusters, those with the most wrong first, each with its
// partitions below it.
func rowsOf(v *frame.Visit, c *musterv1.CapacityResponse, h *musterv1.HealthResponse) []row {
	tripped, open := map[string]bool{}, map[string]bool{} // of partitions, and of clusters
	for _, p := range h.GetPartitions() {
		tripped[p.GetPartition()] = p.GetTripped() != nil
	}
	most := 0
	for _, one := range c.GetClusters() {
		most = max(most, int(one.GetFigures().GetInstalled()))
	}
	var clusters []row
	below, incidents := map[string][]row{}, map[string]int{}
	for _, p := range c.GetPartitions() {
		r := row{name: p.GetPartition(), partition: true, f: p.GetFigures(), path: v.To("/partition/" + p.GetPartition())}
		r.judge(p.GetStale(), tripped[p.GetPartition()], len(p.GetIncidents()), "enforce")
		r.meter = meterOf(p.GetFigures(), most)
		cluster, _, _ := strings.Cut(p.GetPartition(), "/")
		below[cluster] = append(below[cluster], r)
		incidents[cluster] = max(incidents[cluster], len(p.GetIncidents()))
		open[cluster] = open[cluster] || tripped[p.GetPartition()]
	}
	for _, one := range c.GetClusters() {
		r := row{name: one.GetCluster(), mode: one.GetMode(), f: one.GetFigures()}
		r.judge(one.GetStale(), open[one.GetCluster()], incidents[one.GetCluster()], one.GetMode())
		r.meter = meterOf(one.GetFigures(), most)
		clusters = append(clusters, r)
	}
	worst := func(a, b row) int { return cmp.Or(-cmp.Compare(a.weight, b.weight), cmp.Compare(a.name, b.name)) }
	slices.SortStableFunc(clusters, worst)
	var rows []row
	for _, one := range clusters {
		parts := below[one.name]
		slices.SortStableFunc(parts, worst)
		if len(parts) == 1 { // the same figures twice say nothing
			parts[0].alone, parts[0].mode = true, one.mode
			parts[0].wrong = one.wrong
		} else {
			rows = append(rows, one)
		}
		rows = append(rows, parts...)
	}
	return rows
}

// judge says what is wrong with a cluster or a partition, and how much.
func (r *row) judge(stale, tripped bool, incidents int, mode string) {
	f := r.f
	note := func(ok bool, weight int, text string) {
		if ok {
			r.wrong, r.weight = append(r.wrong, text), r.weight+weight
		}
	}
	note(stale, 1_000_000_000, "reports are stale")
	note(tripped, 100_000_000, "breaker is open")
	note(f.GetUnbacked() > 0, 10_000*int(f.GetUnbacked()), draw.Number(int(f.GetUnbacked()))+" unbacked")
	note(f.GetGangsUnbacked() > 0, 10_000*int(f.GetGangsUnbacked()), draw.Count(int(f.GetGangsUnbacked()), "grant")+" not in one piece")
	note(f.GetOver() > 0, 100*int(f.GetOver()), draw.Number(int(f.GetOver()))+" over")
	note(f.GetAssigned() > f.GetSustainable(), int(f.GetAssigned()-f.GetSustainable()), draw.Number(int(f.GetAssigned()-f.GetSustainable()))+" above sustainable")
	note(incidents > 0, 50, draw.Count(incidents, "incident"))
	note(f.GetInstalled() > f.GetHealthy(), int(f.GetInstalled()-f.GetHealthy()), draw.Number(int(f.GetInstalled()-f.GetHealthy()))+" not healthy")
	note(f.GetStranded() > 0, int(f.GetStranded()), draw.Number(int(f.GetStranded()))+" stranded")
	note(mode != "enforce" && mode != "", 1, mode+" only")
}

// meterOf is a small bar of a cluster's or a partition's quota, flex and what is down.
func meterOf(f *musterv1.Figures, most int) draw.SVG {
	return draw.Meter(int(f.GetInstalled()), most,
		draw.Part{GPUs: int(f.GetScheduled()), Ink: draw.Quota, Says: draw.Number(int(f.GetScheduled())) + " scheduled"},
		draw.Part{GPUs: int(f.GetBorrowed()), Ink: draw.Borrow, Says: draw.Number(int(f.GetBorrowed())) + " borrowed"},
		draw.Part{GPUs: int(f.GetOver()), Ink: draw.Over, Says: draw.Number(int(f.GetOver())) + " over"},
		draw.Part{GPUs: int(f.GetFlexUsed()), Ink: draw.Flex, Says: draw.Number(int(f.GetFlexUsed())) + " flex used"},
		draw.Part{GPUs: int(f.GetInstalled() - f.GetUsable()), Ink: draw.Down, Says: draw.Number(int(f.GetInstalled()-f.GetUsable())) + " not usable"})
}

// scopeText names what an incident covers.
func scopeText(scope string) string {
	if scope == "" {
		return "in the fleet"
	}
	return "in " + scope
}
