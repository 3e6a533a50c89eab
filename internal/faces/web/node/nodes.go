package web

import (
	"cmp"
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
)

// nodesView is what the page of nodes and health shows.
type nodesView struct {
	v          *visit
	scope      string
	state      string
	partitions []*musterv1.PartitionHealth
	nodes      []*musterv1.NodePast
	more       int
	lemons     *musterv1.LemonsResponse
	repairs    []*musterv1.RepairTimes
	swide      draw.SVG
	snarrow    draw.SVG
	curves     []*musterv1.RepairCurve
	cwide      draw.SVG
	cnarrow    draw.SVG
	signals    []*musterv1.Condition
	moreSigns  int
	total, out int
	pastGone   string
}

func nodesPage(v *visit) (page, error) {
	q := v.r.URL.Query()
	m := nodesView{v: v, scope: q.Get("scope"), state: q.Get("states")}
	h, err := v.Health.Health(v.ctx, &musterv1.HealthRequest{AsOf: v.asOf, Scope: m.scope})
	if err != nil {
		return page{}, err
	}
	m.partitions = h.GetPartitions()
	for _, p := range m.partitions {
		m.total += int(p.GetNodes())
		for _, s := range p.GetStates() {
			if s.GetState() != "healthy" {
				m.out += int(s.GetNodes())
			}
		}
	}
	s, err := v.Health.ListSignals(v.ctx, &musterv1.ListSignalsRequest{AsOf: v.asOf, Scope: m.scope})
	if err != nil {
		return page{}, err
	}
	m.signals = s.GetConditions()
	slices.SortStableFunc(m.signals, func(a, b *musterv1.Condition) int { return b.GetLast().AsTime().Compare(a.GetLast().AsTime()) })
	if len(m.signals) > 60 {
		m.moreSigns, m.signals = len(m.signals)-60, m.signals[:60]
	}
	if m.lemons, err = v.Health.Lemons(v.ctx, &musterv1.LemonsRequest{AsOf: v.asOf}); err != nil {
		return page{}, err
	}
	m.remember()
	command := []string{"muster", "health"}
	if m.scope != "" {
		command = append(command, m.scope)
	}
	lead := draw.Count(m.out, "node") + " of " + draw.Number(m.total) + " are not healthy."
	switch {
	case m.total == 0:
		lead = "There are no nodes yet."
	case m.out == 1:
		lead = "1 node of " + draw.Number(m.total) + " is not healthy."
	}
	return page{
		title: "Nodes and health", nav: "nodes", command: words.Shell(command...), body: nodesBody(m),
		lead: lead,
	}, nil
}

// remember asks the past; where it cannot be read, the page says so and shows the rest.
func (m *nodesView) remember() {
	v := m.v
	ask := &musterv1.NodeHistoryRequest{AsOf: v.asOf, Scope: m.scope, Troubled: true}
	if m.state != "" {
		ask.States, ask.Troubled = []string{m.state}, false
	}
	soon, end := v.soon()
	defer end()
	n, err := v.Past.NodeHistory(soon, ask)
	if err != nil {
		m.pastGone = noPast(err)
		return
	}
	m.nodes = n.GetNodes()
	slices.SortStableFunc(m.nodes, func(a, b *musterv1.NodePast) int {
		return cmp.Or(cmp.Compare(btoi(a.GetState() == "healthy"), btoi(b.GetState() == "healthy")), cmp.Compare(b.GetFailures(), a.GetFailures()))
	})
	if len(m.nodes) > 100 {
		m.more, m.nodes = len(m.nodes)-100, m.nodes[:100]
	}
	r, err := v.Past.Repairs(v.ctx, &musterv1.RepairsRequest{AsOf: v.asOf, Scope: m.scope})
	if err == nil {
		m.stages(r.GetRepairs())
	}
	c, err := v.Series.RepairCurves(v.ctx, &musterv1.RepairCurvesRequest{AsOf: v.asOf, Scope: m.scope})
	if err == nil {
		m.survival(c.GetCurves())
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *nodesView) stages(list []*musterv1.RepairTimes) {
	var rows []draw.Stages
	rows, m.repairs = picture.Stages(list)
	m.swide, m.snarrow = draw.StageBars(rows, draw.Wide), draw.StageBars(rows, draw.Narrow)
}

func (m *nodesView) survival(list []*musterv1.RepairCurve) {
	m.curves = list[:min(len(list), 6)]
	var curves []draw.Curve
	for _, c := range m.curves {
		curve := draw.Curve{Name: orUnknown(c.GetCause()), Nodes: int(c.GetFailures())}
		for _, s := range c.GetSteps() {
			curve.Steps = append(curve.Steps, draw.CurveStep{After: s.GetAfter().AsDuration(), Out: s.GetOut()})
		}
		curves = append(curves, curve)
	}
	m.cwide, m.cnarrow = draw.Curves(curves, draw.Wide), draw.Curves(curves, draw.Narrow)
}

func orUnknown(cause string) string {
	if cause == "" {
		return "no cause named"
	}
	return cause
}

// nodeView is the page of one node.
type nodeView struct {
	v      *visit
	n      *musterv1.Node
	h      *musterv1.NodeHealthResponse
	maps   []islandMap
	events []eventRow
}

func nodePage(v *visit) (page, error) {
	name := v.r.PathValue("name")
	h, err := v.Health.NodeHealth(v.ctx, &musterv1.NodeHealthRequest{AsOf: v.asOf, Node: name})
	if err != nil {
		return page{}, err
	}
	n, err := v.Capacity.Nodes(v.ctx, &musterv1.NodesRequest{AsOf: v.asOf, Scope: h.GetPartition(), Names: []string{name}})
	if err != nil {
		return page{}, err
	}
	if len(n.GetNodes()) == 0 {
		return page{}, &missing{"No node is named " + short(name, 80) + ".", "The page of nodes lists those that are out; partitions show them all."}
	}
	m := nodeView{v: v, n: n.GetNodes()[0], h: h}
	if m.maps, err = v.islands(m.n.GetPartition(), []string{m.n.GetIsland()}, []string{name}, nil); err != nil {
		return page{}, err
	}
	e, err := v.Events.ListEvents(v.ctx, &musterv1.ListEventsRequest{AsOf: v.asOf, About: name, Limit: 20})
	if err != nil {
		return page{}, err
	}
	m.events = v.rows(e.GetRecords(), 30)
	return page{
		title: name, nav: "nodes", crumbs: []crumb{{"Fleet", "/"}, {m.n.GetPartition(), "/partition/" + m.n.GetPartition()}}, command: words.Shell("muster", "describe", "node", name),
		lead: "Is " + m.n.GetState() + " since " + clock(m.n.GetSince().AsTime(), v.now) + becauseText(m.n.GetSignal(), m.n.GetState()) + ".", body: nodeBody(m),
	}, nil
}

// becauseText says what was seen; the state, which drivers may write behind it, is said already.
func becauseText(signal, state string) string {
	signal = strings.TrimSuffix(signal, ": "+state)
	if signal == "" {
		return ""
	}
	return "; what was seen: " + signal
}

// out is how long a fault lasted.
func outFor(f *musterv1.Fault, now time.Time) string {
	if f.GetBack() == nil {
		return "still out, for " + lasted(now.Sub(f.GetAt().AsTime()))
	}
	return lasted(f.GetBack().AsTime().Sub(f.GetAt().AsTime()))
}

// byState sums up nodes by their states, in the order in which they come; the causes are said with each.
func byState(list []*musterv1.StateCount) (sums []*musterv1.StateCount) {
	for _, s := range list {
		if n := len(sums); n > 0 && sums[n-1].GetState() == s.GetState() {
			sums[n-1].Nodes += s.GetNodes()
			sums[n-1].Cause += ", " + s.GetCause()
			continue
		}
		sums = append(sums, &musterv1.StateCount{State: s.GetState(), Nodes: s.GetNodes(), Cause: s.GetCause()})
	}
	return sums
}
