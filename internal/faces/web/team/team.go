package web

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
)

// teamsView is the list of quotas.
type teamsView struct {
	v           *visit
	under       string
	scope       string
	rows        []teamRow
	more        int
	withoutThis []string
}

// teamRow is one quota in one partition.
type teamRow struct {
	quota, owner string
	g            *musterv1.Grant
	meter        draw.SVG
}

const mostRows = 120

func teamsPage(v *visit) (page, error) {
	m := teamsView{v: v, under: v.r.URL.Query().Get("under"), scope: v.r.URL.Query().Get("scope")}
	q, err := v.Quotas.ListQuotas(v.ctx, &musterv1.ListQuotasRequest{AsOf: v.asOf, Under: m.under})
	if err != nil {
		return page{}, err
	}
	m.fill(q.GetQuotas())
	command := []string{"muster", "quota", "list"}
	if m.under != "" {
		command = append(command, m.under)
	}
	return page{
		title: "Teams", nav: "teams", command: words.Shell(command...), body: teamsBody(m),
		lead: "Each quota: what it was granted, what of that stands on metal now, and what it uses.",
	}, nil
}

func (m *teamsView) fill(list []*musterv1.Quota) {
	most := 1
	for _, q := range list {
		for _, g := range q.GetGrants() {
			most = max(most, int(g.GetAssigned()), int(g.GetUsage()))
		}
	}
	for _, q := range list {
		if len(q.GetGrants()) == 0 {
			m.withoutThis = append(m.withoutThis, q.GetPath())
		}
		for _, g := range q.GetGrants() {
			if m.scope != "" && g.GetPartition() != m.scope && !strings.HasPrefix(g.GetPartition(), m.scope+"/") {
				continue
			}
			if len(m.rows) == mostRows {
				m.more++
				continue
			}
			m.rows = append(m.rows, teamRow{q.GetPath(), q.GetOwner(), g, quotaMeter(g, most)})
		}
	}
}

// quotaMeter is used, borrowed and over against what is backed and assigned.
func quotaMeter(g *musterv1.Grant, most int) draw.SVG {
	whole := max(int(g.GetAssigned()), int(g.GetUsage()))
	return draw.Meter(whole, most,
		draw.Part{GPUs: int(g.GetScheduled()), Ink: draw.Quota, Says: draw.Number(int(g.GetScheduled())) + " scheduled"},
		draw.Part{GPUs: int(g.GetBorrowed()), Ink: draw.Borrow, Says: draw.Number(int(g.GetBorrowed())) + " borrowed"},
		draw.Part{GPUs: int(g.GetOver()), Ink: draw.Over, Says: draw.Number(int(g.GetOver())) + " over"},
		draw.Part{GPUs: max(0, int(g.GetBacked()-g.GetUsage())), Ink: draw.Empty, Says: draw.Number(int(g.GetUnscheduled())) + " unscheduled"},
		draw.Part{GPUs: int(g.GetUnbacked()), Ink: draw.Paper, Says: draw.Number(int(g.GetUnbacked())) + " unbacked"},
	)
}

// teamView is the page of one quota.
type teamView struct {
	v        *visit
	q        *musterv1.Quota
	rows     []teamRow
	children []teamRow
	held     []holding
	changes  []*musterv1.QuotaChange
	window   string
	windows  [][2]string
}

// holding is who of a team holds what.
type holding struct {
	namespace, user string
	gpus            map[string]int // by how they are held
	total, waiting  int
}

func teamPage(v *visit) (page, error) {
	path := v.r.PathValue("path")
	q, err := v.Quotas.GetQuota(v.ctx, &musterv1.GetQuotaRequest{AsOf: v.asOf, Path: path})
	if err != nil {
		return page{}, err
	}
	m := teamView{v: v, q: q.GetQuota(), window: v.r.URL.Query().Get("window")}
	if m.window == "" {
		m.window = "24h"
	}
	m.windows = [][2]string{{"1h", "1 hour"}, {"24h", "24 hours"}, {"168h", "7 days"}, {"672h", "28 days"}, {"2160h", "90 days"}}
	if err := m.fill(path); err != nil {
		return page{}, err
	}
	crumbs := []crumb{{"Teams", "/teams"}}
	parts := strings.Split(path, "/")
	for i := range parts[:len(parts)-1] {
		crumbs = append(crumbs, crumb{parts[i], "/team/" + strings.Join(parts[:i+1], "/")})
	}
	return page{title: path, nav: "teams", crumbs: crumbs, lead: m.sentence(), command: words.Shell("muster", "quota", "show", path), body: teamBody(m)}, nil
}

func (m *teamView) fill(path string) error {
	v := m.v
	most := 1
	for _, g := range m.q.GetGrants() {
		most = max(most, int(g.GetAssigned()), int(g.GetUsage()))
	}
	for _, g := range m.q.GetGrants() {
		m.rows = append(m.rows, teamRow{m.q.GetPath(), m.q.GetOwner(), g, quotaMeter(g, most)})
	}
	below, err := v.Quotas.ListQuotas(v.ctx, &musterv1.ListQuotasRequest{AsOf: v.asOf, Under: path})
	if err != nil {
		return err
	}
	for _, q := range below.GetQuotas() {
		for _, g := range q.GetGrants() {
			if q.GetPath() != path && len(m.children) < 100 {
				m.children = append(m.children, teamRow{q.GetPath(), q.GetOwner(), g, quotaMeter(g, most)})
			}
		}
	}
	w, err := v.Workloads.ListWorkloads(v.ctx, &musterv1.ListWorkloadsRequest{AsOf: v.asOf, Target: path, Limit: 5000})
	if err != nil {
		return err
	}
	m.held = holdings(w.GetWorkloads())
	h, err := v.Quotas.History(v.ctx, &musterv1.HistoryRequest{AsOf: v.asOf, Quota: path, Limit: 50})
	if err != nil {
		return err
	}
	m.changes = h.GetChanges()
	slices.Reverse(m.changes)
	return nil
}

// keptPath is the part of the page that says what became of a quota's promises: it waits until the past is gathered.
const keptPath = "/part/kept"

func keptPart(v *visit) (page, error) {
	path := v.r.URL.Query().Get("quota")
	u, err := v.Past.QuotaUse(v.ctx, &musterv1.QuotaUseRequest{AsOf: v.asOf, Quota: path})
	if err != nil {
		return page{}, err
	}
	var used []*musterv1.QuotaUsed
	for _, one := range u.GetQuotas() {
		if one.GetQuota() == path {
			used = append(used, one)
		}
	}
	return page{part: true, body: keptBody(v, used)}, nil
}

// sentence says how the team stands, at once.
func (m teamView) sentence() string {
	assigned, backed, usage, over, borrowed := 0, 0, 0, 0, 0
	for _, r := range m.rows {
		assigned, backed, usage = assigned+int(r.g.GetAssigned()), backed+int(r.g.GetBacked()), usage+int(r.g.GetUsage())
		over, borrowed = over+int(r.g.GetOver()), borrowed+int(r.g.GetBorrowed())
	}
	if assigned+usage == 0 {
		return "It has no grants of its own."
	}
	s := draw.Number(backed) + " of " + draw.Number(assigned) + " assigned GPUs stand on metal; it uses " + draw.Number(usage)
	if borrowed > 0 {
		s += ", " + draw.Number(borrowed) + " of them borrowed"
	}
	if over > 0 {
		s += ", " + draw.Number(over) + " of them over (cut)"
	}
	return s + "."
}

// kept is the share of the GPU-hours assigned that stood on metal.
func kept(u *musterv1.QuotaUsed) string {
	if u.GetAssignedGpuHours() == 0 {
		return "–"
	}
	return draw.Percent(u.GetBackedGpuHours() / u.GetAssignedGpuHours())
}

func holdings(list []*musterv1.Workload) []holding {
	var out []holding
	for _, w := range list {
		ns, user := w.GetSpec().GetNamespace(), w.GetUser()
		i := slices.IndexFunc(out, func(h holding) bool { return h.namespace == ns && h.user == user })
		if i < 0 {
			out, i = append(out, holding{namespace: ns, user: user, gpus: map[string]int{}}), len(out)
		}
		if w.GetState() == "pending" || w.GetState() == "starting" {
			out[i].waiting++
		}
		out[i].gpus[w.GetHolds()] += int(w.GetGpus())
		out[i].total += int(w.GetGpus())
	}
	slices.SortStableFunc(out, func(a, b holding) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.user, b.user))
	})
	return out[:min(len(out), 50)]
}

// timelinePart draws what a quota had and used over a window.
func timelinePart(v *visit) (page, error) {
	q := v.r.URL.Query()
	window, err := time.ParseDuration(q.Get("window"))
	if err != nil || window <= 0 {
		return page{}, &wrongInput{"window", "is no time span: " + short(q.Get("window"), 20)}
	}
	s, err := v.Series.QuotaSeries(v.ctx, &musterv1.QuotaSeriesRequest{AsOf: v.asOf, Quota: q.Get("quota"), Since: timestamppb.New(v.at().Add(-window)), Points: picture.TimelinePoints})
	if err != nil {
		return page{}, err
	}
	return page{part: true, body: timelineBody(v, picture.Timelines(q.Get("quota"), s), s.GetMeans())}, nil
}

// hasFlex says whether some picture has a layer of flex.
func hasFlex(list []picture.Timeline) bool {
	return slices.ContainsFunc(list, func(t picture.Timeline) bool {
		return slices.ContainsFunc(t.Moments, func(m draw.Moment) bool { return m.Flex > 0 })
	})
}
