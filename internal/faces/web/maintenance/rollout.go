package maintenance

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// rolloutView is the page of one rollout.
type rolloutView struct {
	view
	r       rollout
	islands []islandRow
	groups  []group
	plan    []string
}

// islandRow is how far a rollout is with an island.
type islandRow struct {
	partition, island string
	of                map[string]int // nodes by where they stand
	total             int
	meter             draw.SVG
}

// group are nodes that wait for reasons of one kind.
type group struct {
	says  string
	nodes []*musterv1.RolloutNode
	each  bool // what each of them waits for is another thing
}

// Rollout is the page of one rollout: its plan, how far each island is, what its nodes wait for, its canaries, and the
// combinations that it leads to. When it should end comes later (RolloutEnd): that takes a search.
func Rollout(v *frame.Visit) (frame.Page, error) {
	name := v.Request.PathValue("name")
	res, err := v.Maintenance.GetMaintenance(v.Ctx, &musterv1.GetMaintenanceRequest{AsOf: v.AsOf, Rollout: name, Search: durationpb.New(0)})
	if err != nil {
		return frame.Page{}, err
	}
	m := rolloutView{view: view{v: v, m: res}}
	m.rolloutsOf(res)
	at := slices.IndexFunc(m.rollouts, func(r rollout) bool { return r.GetName() == name })
	m.r = m.rollouts[at]
	m.islandsOf()
	m.groupsOf()
	m.plan = planText(m.r.GetPlan())
	return frame.Page{
		Title: "Rollout " + name, Nav: "maintenance", Crumbs: frame.Under("Maintenance", "/maintenance"), Command: words.Shell("muster", "rollout", "show", name),
		Lead: m.lead(), Body: rolloutBody(m), About: []string{m.r.GetScope()},
	}, nil
}

// lead says how it is, at once.
func (m rolloutView) lead() string {
	r := m.r
	says := fmt.Sprintf("It is %s in stage %s: %s of %s have %s.", r.GetState(), r.GetStage(), draw.Number(int(r.GetDone())), draw.Count(int(r.GetOf()), "node"), names(r.GetUpdates()))
	if !open(r.Rollout) {
		return says
	}
	if r.GetRest() != nil {
		says += " The visits that remain take " + parts.Lasted(r.GetRest().AsDuration()) + " at least, as many at once as limits and promises permit."
	}
	if r.GetDeadline() != nil {
		says += " The first deadline is " + m.clock(r.GetDeadline()) + "."
	}
	return says
}

// standing is where a node of a rollout may stand.
type standing struct {
	name, says string
	ink        draw.Ink
}

// standings are where a node of a rollout may stand, in the order in which they are drawn.
var standings = []standing{
	{"done", "done", draw.Flex}, {"failed", "failed", draw.Fault}, {"visited", "visited now", draw.Planned}, {"next", "may be next", draw.Quota}, {"waits", "wait", draw.Empty}, {"behind", "behind", draw.Empty},
}

// standings are those of an open rollout, or of one that has ended: for that one no node waits.
func (m rolloutView) standings() (list []standing) {
	ended := !open(m.r.Rollout)
	for _, s := range standings {
		if waits := s.name == "waits" || s.name == "next"; s.name != "behind" && !(ended && waits) || s.name == "behind" && ended {
			list = append(list, s)
		}
	}
	return list
}

func (m *rolloutView) islandsOf() {
	for _, n := range m.r.GetNodes() {
		at := slices.IndexFunc(m.islands, func(i islandRow) bool { return i.partition == n.GetPartition() && i.island == n.GetIsland() })
		if at < 0 {
			at = len(m.islands)
			m.islands = append(m.islands, islandRow{partition: n.GetPartition(), island: n.GetIsland(), of: map[string]int{}})
		}
		m.islands[at].of[n.GetState()]++
		m.islands[at].total++
	}
	most := 1
	for _, i := range m.islands {
		most = max(most, i.total)
	}
	for i := range m.islands {
		row := &m.islands[i]
		var bar []draw.Part
		for _, s := range standings {
			bar = append(bar, draw.Part{GPUs: row.of[s.name], Ink: s.ink, Says: draw.Number(row.of[s.name]) + " " + s.says})
		}
		row.meter = draw.Meter(row.total, most, bar...)
	}
}

// groupsOf puts the nodes that wait together by what they wait for, the most first.
func (m *rolloutView) groupsOf() {
	for _, n := range m.r.GetNodes() {
		if n.GetWait() == nil {
			continue
		}
		says, each := m.because(n.GetWait()), n.GetWait().GetCode() == "InUse"
		if each {
			says = "Work stands there that is not disturbed."
		}
		at := slices.IndexFunc(m.groups, func(g group) bool { return g.says == says })
		if at < 0 {
			at = len(m.groups)
			m.groups = append(m.groups, group{says: says, each: each})
		}
		m.groups[at].nodes = append(m.groups[at].nodes, n)
	}
	slices.SortStableFunc(m.groups, func(a, b group) int { return cmp.Compare(len(b.nodes), len(a.nodes)) })
}

// because says a reason as a sentence.
func (m view) because(w *musterv1.WaitReason) string {
	until := ""
	if w.GetUntil() != nil {
		until = ", until " + m.clock(w.GetUntil())
	}
	switch w.GetCode() {
	case "NoFlyZone":
		return "No-fly zone " + w.GetZone() + " keeps visits away" + until + "."
	case "WouldBreakPromise":
		if w.GetWho() == "" {
			return "Without the node too few healthy ones would be left for what is promised, and for failures meanwhile."
		}
		return "Without the node " + w.GetWho() + " would be backed by less than now."
	case "InUse":
		return "Work of " + cmp.Or(w.GetWho(), "others") + " stands there, and is not disturbed" + until + "."
	case "Limit":
		return "As many nodes are visited as the limits and the wave allow."
	}
	says := whys[w.GetCode()]
	if says == "" {
		return w.GetCode() + until + "."
	}
	return string(says[0]-'a'+'A') + says[1:] + until + "."
}

// planText says what people asked of a rollout.
func planText(p *musterv1.RolloutPlan) (list []string) {
	canary := "Canary: " + draw.Count(int(p.GetCanaryNodes()), "node") + " for each combination, " + parts.Lasted(p.GetSoak().AsDuration()) + " without a failure"
	if p.GetCanaryAuto() {
		canary += "; outside the scope, too, where nothing can begin in it"
	}
	list = append(list, canary+".")
	waves := ""
	for i, w := range p.GetWaves() {
		if i > 0 {
			waves += ", "
		}
		waves += fmt.Sprintf("%g %%", float64(w)/10)
	}
	list = append(list, "Waves: "+waves+" of the nodes that remain after the canary.")
	limit := "Limits: " + draw.Count(int(p.GetPerIsland()), "node") + " of an island at once"
	if n := int(p.GetPerPartition()); n > 0 {
		limit += ", " + draw.Number(n) + " of a partition"
	}
	if p.GetRacks() {
		limit += ", and all nodes of a rack together"
	}
	list = append(list, limit+".")
	failures := "Gate: no canary may fail, and of a wave "
	switch n := int(p.GetAllowedFailures()); {
	case n == 0:
		failures += "no node"
	case n > 0:
		failures += "at most " + draw.Count(n, "node")
	default:
		failures += "at most one node, or 2 % of its nodes"
	}
	if p.GetBisect() {
		failures += "; a failed canary of several updates is searched for those that fail"
	}
	return append(list, failures+".")
}
