package node

import (
	"cmp"
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/coming"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/islands"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// listView is what the page of nodes and health shows.
type listView struct {
	v          *frame.Visit
	scope      string
	state      string
	partitions []*musterv1.PartitionHealth
	nodes      []*musterv1.NodePast
	more       int
	lemons     *musterv1.LemonsResponse
	repairTimes
	lastSignals
	total, out int
	pastGone   string
}

// lastSignals are the signals that were seen last.
type lastSignals struct {
	signals   []*musterv1.Condition
	moreSigns int
}

// repairTimes is how long repairs take.
type repairTimes struct {
	repairs []*musterv1.RepairTimes
	// How many are not drawn.
	moreRepairs int

	swide   draw.SVG
	snarrow draw.SVG
	curves  []*musterv1.RepairCurve
	cwide   draw.SVG
	cnarrow draw.SVG
}

// List is the page of nodes and health.
func List(v *frame.Visit) (frame.Page, error) {
	q := v.Request.URL.Query()
	m := listView{v: v, scope: q.Get("scope"), state: q.Get("states")}
	if states := append([]string{"healthy"}, parts.NodeStates...); m.state != "" && !slices.Contains(states, m.state) {
		return frame.Page{}, frame.Wrong("State", frame.Unfit(m.state, "a state of a node", words.Or(states)))
	}
	h, err := v.Health.Health(v.Ctx, &musterv1.HealthRequest{AsOf: v.AsOf, Scope: m.scope})
	if err != nil {
		return frame.Page{}, err
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
	s, err := v.Health.ListSignals(v.Ctx, &musterv1.ListSignalsRequest{AsOf: v.AsOf, Scope: m.scope})
	if err != nil {
		return frame.Page{}, err
	}
	m.signals = s.GetConditions()
	slices.SortStableFunc(m.signals, func(a, b *musterv1.Condition) int { return b.GetLast().AsTime().Compare(a.GetLast().AsTime()) })
	if len(m.signals) > 60 {
		m.moreSigns, m.signals = len(m.signals)-60, m.signals[:60]
	}
	if m.lemons, err = v.Health.Lemons(v.Ctx, &musterv1.LemonsRequest{AsOf: v.AsOf}); err != nil {
		return frame.Page{}, err
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
	case m.out == 0 && m.total > 1:
		lead = "All " + draw.Number(m.total) + " nodes are healthy."
	case m.out == 1:
		lead = "1 node of " + draw.Number(m.total) + " is not healthy."
	}
	return frame.Page{
		Title: "Nodes and health", Nav: "nodes", Command: words.Shell(command...), Body: listBody(m),
		Lead: lead, About: []string{frame.TheFleet},
	}, nil
}

// remember asks the past; where it cannot be read, the page says so and shows the rest.
func (m *listView) remember() {
	v := m.v
	ask := &musterv1.NodeHistoryRequest{AsOf: v.AsOf, Scope: m.scope, Troubled: true}
	if m.state != "" {
		ask.States, ask.Troubled = []string{m.state}, false
	}
	soon, end := v.Soon()
	defer end()
	n, err := v.Past.NodeHistory(soon, ask)
	if err != nil {
		m.pastGone = frame.NoPast(err)
		return
	}
	m.nodes = n.GetNodes()
	slices.SortStableFunc(m.nodes, func(a, b *musterv1.NodePast) int {
		return cmp.Or(cmp.Compare(btoi(a.GetState() == "healthy"), btoi(b.GetState() == "healthy")), cmp.Compare(b.GetFailures(), a.GetFailures()))
	})
	if len(m.nodes) > 100 {
		m.more, m.nodes = len(m.nodes)-100, m.nodes[:100]
	}
	r, err := v.Past.Repairs(v.Ctx, &musterv1.RepairsRequest{AsOf: v.AsOf, Scope: m.scope})
	if err == nil {
		m.stages(r.GetRepairs())
	}
	c, err := v.Series.RepairCurves(v.Ctx, &musterv1.RepairCurvesRequest{AsOf: v.AsOf, Scope: m.scope})
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

func (m *listView) stages(list []*musterv1.RepairTimes) {
	var rows []draw.Stages
	rows, m.repairs, m.moreRepairs = picture.Stages(list)
	m.swide, m.snarrow = draw.StageBars(rows, draw.Wide), draw.StageBars(rows, draw.Narrow)
}

func (m *listView) survival(list []*musterv1.RepairCurve) {
	m.curves = list[:min(len(list), 6)]
	var curves []draw.Curve
	for _, c := range m.curves {
		curve := draw.Curve{Name: parts.OrUnknown(c.GetCause()), Nodes: int(c.GetFailures())}
		for _, s := range c.GetSteps() {
			curve.Steps = append(curve.Steps, draw.CurveStep{After: s.GetAfter().AsDuration(), Out: s.GetOut()})
		}
		curves = append(curves, curve)
	}
	m.cwide, m.cnarrow = draw.Curves(curves, draw.Wide), draw.Curves(curves, draw.Narrow)
}

// view is the page of one node.
type view struct {
	v      *frame.Visit
	n      *musterv1.Node
	h      *musterv1.NodeHealthResponse
	maps   []islands.Map
	events []events.Row
	// There are events before those.
	earlier bool
	offers  []change.Offer
	planned coming.PlannedView
	// Open incidents that name it, or its island, partition or cluster as a whole.
	incidents []*musterv1.Incident
}

// mostEvents is how many of the last events the page of a node shows.
const mostEvents = 30

// Page is the page of one node.
func Page(v *frame.Visit) (frame.Page, error) {
	name := v.Request.PathValue("name")
	h, err := v.Health.NodeHealth(v.Ctx, &musterv1.NodeHealthRequest{AsOf: v.AsOf, Node: name})
	if err != nil {
		return frame.Page{}, err
	}
	n, err := v.Capacity.Nodes(v.Ctx, &musterv1.NodesRequest{AsOf: v.AsOf, Scope: h.GetPartition(), Names: []string{name}})
	if err != nil {
		return frame.Page{}, err
	}
	if len(n.GetNodes()) == 0 {
		return frame.Page{}, frame.Missing("No node is named "+parts.Short(name, 80)+".", "The page of nodes lists those that are out; partitions show them all.")
	}
	m := view{v: v, n: n.GetNodes()[0], h: h}
	if m.maps, err = islands.Of(v, m.n.GetPartition(), []string{m.n.GetIsland()}, []string{name}, nil); err != nil {
		return frame.Page{}, err
	}
	if m.planned, err = coming.Planned(v, &musterv1.PlannedWorkRequest{Node: name}); err != nil {
		return frame.Page{}, err
	}
	if m.events, m.earlier, err = events.Last(v, name, mostEvents); err != nil {
		return frame.Page{}, err
	}
	if m.incidents, err = incidentsAt(v, m.n); err != nil {
		return frame.Page{}, err
	}
	slices.SortStableFunc(m.h.GetConditions(), func(a, b *musterv1.Condition) int {
		return cmp.Or(-cmp.Compare(btoi(a.GetLive()), btoi(b.GetLive())), b.GetSince().AsTime().Compare(a.GetSince().AsTime()))
	})
	m.offers = stateOffers(v, name, m.n.GetState())
	m.offers = append(m.offers, change.For(v, "open-incident", "Open an incident …", "nodes", name)...)
	return frame.Page{
		Title: name, Nav: "nodes", Crumbs: frame.Under("Fleet", "/", m.n.GetPartition(), "/partition/"+m.n.GetPartition()), Command: words.Shell("muster", "describe", "node", name),
		Lead: stateText(m.n.GetState()) + " since " + parts.Clock(m.n.GetSince().AsTime(), v.Now) + cmp.Or(becauseText(m.n.GetSignal(), m.n.GetState()), setBy(m.events, m.n)) + ".", Body: body(m),
		About: []string{m.n.GetPartition()},
	}, nil
}

// incidentsAt are the open incidents that concern a node.
func incidentsAt(v *frame.Visit, n *musterv1.Node) (list []*musterv1.Incident, err error) {
	open, err := v.Fleet.ListIncidents(v.Ctx, &musterv1.ListIncidentsRequest{AsOf: v.AsOf})
	island := n.GetPartition() + "/" + n.GetIsland() + "/"
	for _, i := range open.GetIncidents() {
		whole := len(i.GetNodes()) == 0 && i.GetScope() != "" && strings.HasPrefix(island, i.GetScope()+"/")
		if whole || slices.Contains(i.GetNodes(), n.GetName()) {
			list = append(list, i)
		}
	}
	return list, err
}

// concerns says how an incident concerns the node.
func concerns(i *musterv1.Incident) string {
	if len(i.GetNodes()) > 0 {
		return "names this node."
	}
	return "touches where this node stands."
}

// stateOffers are the changes of a node's state that make sense in the one it has.
func stateOffers(v *frame.Visit, name, state string) []change.Offer {
	back, drain := change.For(v, "uncordon", "Return to service …", "nodes", name), change.For(v, "drain", "Drain …", "nodes", name)
	switch state {
	case "healthy":
		return change.Join(change.For(v, "cordon", "Cordon …", "nodes", name), drain)
	case "maintenance":
		return back
	}
	return change.Join(back, drain)
}

// stateText begins a sentence with a state.
func stateText(state string) string {
	switch state {
	case "maintenance", "probation":
		return "In " + state
	case "":
		return "In no known state"
	}
	return strings.ToUpper(state[:1]) + state[1:]
}

// setBy says who put a node into its state, and why, where no signal did.
func setBy(rows []events.Row, n *musterv1.Node) string {
	for _, r := range rows {
		if r.Kind() == "node.changed" && r.At().Equal(n.GetSince().AsTime()) {
			return ", set by " + r.Actor() + becauseText(r.Reason(), "")
		}
	}
	return ""
}

// becauseText says why; the state, which drivers may write behind it, is said already.
func becauseText(signal, state string) string {
	signal = strings.TrimSuffix(signal, ": "+state)
	if signal == "" {
		return ""
	}
	return ": " + signal
}

// out is how long a fault lasted.
func outFor(f *musterv1.Fault, now time.Time) string {
	if f.GetBack() == nil {
		return "still out, for " + parts.Lasted(now.Sub(f.GetAt().AsTime()))
	}
	return parts.Lasted(f.GetBack().AsTime().Sub(f.GetAt().AsTime()))
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
