package team

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
	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/coming"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// listView is the list of quotas.
type listView struct {
	v           *frame.Visit
	under       string
	scope       string
	rows        []row
	more        int
	withoutThis []*musterv1.Quota
	requests    []*musterv1.QuotaRequest
	offers      []change.Offer
}

// row is one quota in one partition.
type row struct {
	quota, owner string
	g            *musterv1.Grant
	meter        draw.SVG
	door         words.Unlisted
}

const mostRows = 120

// List is the page of all quotas.
func List(v *frame.Visit) (frame.Page, error) {
	m := listView{v: v, under: v.Request.URL.Query().Get("under"), scope: v.Request.URL.Query().Get("scope")}
	q, err := v.Quotas.ListQuotas(v.Ctx, &musterv1.ListQuotasRequest{AsOf: v.AsOf, Under: m.under})
	if err != nil {
		return frame.Page{}, err
	}
	m.fill(q.GetQuotas())
	if m.requests, err = requests(v, m.under); err != nil {
		return frame.Page{}, err
	}
	m.offers = change.Join(change.For(v, "grant", "Set a grant …", "quota", m.under, "partition", m.scope), change.For(v, "request", "Request more …", "quota", m.under, "partition", m.scope))
	command := []string{"muster", "quota", "list"}
	if m.under != "" {
		command = append(command, m.under)
	}
	return frame.Page{
		Title: "Teams", Nav: "teams", Command: words.Shell(command...), Body: listBody(m),
		Lead: "Each quota: what it was granted, what of that is backed now, and what it uses.",
	}, nil
}

func (m *listView) fill(list []*musterv1.Quota) {
	most := 1
	for _, q := range list {
		for _, g := range q.GetGrants() {
			most = max(most, int(g.GetAssigned()), int(g.GetUsage()))
		}
	}
	for _, q := range list {
		if len(q.GetGrants()) == 0 {
			m.withoutThis = append(m.withoutThis, q)
		}
		for _, g := range q.GetGrants() {
			if m.scope != "" && g.GetPartition() != m.scope && !strings.HasPrefix(g.GetPartition(), m.scope+"/") {
				continue
			}
			if len(m.rows) == mostRows {
				m.more++
				continue
			}
			m.rows = append(m.rows, rowOf(q, g, most))
		}
	}
}

// row is one line of a list of quotas.
func rowOf(q *musterv1.Quota, g *musterv1.Grant, most int) row {
	return row{quota: q.GetPath(), owner: q.GetOwner(), g: g, meter: quotaMeter(g, most), door: words.UnlistedOf(q)}
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

// view is the page of one quota.
type view struct {
	v        *frame.Visit
	q        *musterv1.Quota
	rows     []row
	children []row
	held     []holding
	others   int // workloads that the reader may not read
	changes  []*musterv1.QuotaChange
	window   string
	requests []*musterv1.QuotaRequest
	planned  coming.PlannedView
	offers   []change.Offer
	windows  [][2]string
}

// holding is who of a team holds what.
type holding struct {
	namespace, user string
	gpus            map[string]int // by how they are held
	total, waiting  int
}

// Page is the page of one quota.
func Page(v *frame.Visit) (frame.Page, error) {
	path := v.Request.PathValue("path")
	q, err := v.Quotas.GetQuota(v.Ctx, &musterv1.GetQuotaRequest{AsOf: v.AsOf, Path: path})
	if err != nil {
		return frame.Page{}, err
	}
	m := view{v: v, q: q.GetQuota(), window: v.Request.URL.Query().Get("window")}
	if m.window == "" {
		m.window = "24h"
	}
	m.windows = [][2]string{{"1h", "1 hour"}, {"24h", "24 hours"}, {"168h", "7 days"}, {"672h", "28 days"}, {"2160h", "90 days"}}
	if err := m.fill(path); err != nil {
		return frame.Page{}, err
	}
	if m.requests, err = requests(v, path); err != nil {
		return frame.Page{}, err
	}
	if m.planned, err = coming.Planned(v, &musterv1.PlannedWorkRequest{Quota: path}); err != nil {
		return frame.Page{}, err
	}
	m.offers = change.Join(
		change.For(v, "grant", "Set a grant …", "quota", path), change.For(v, "transfer", "Transfer …", "quota", path), change.For(v, "hold", "Hold …", "quota", path),
		change.For(v, "request", "Request more …", "quota", path), change.For(v, "access", "Who may use it …", "quota", path))
	crumbs := frame.Under("Teams", "/teams")
	parts := strings.Split(path, "/")
	for i := range parts[:len(parts)-1] {
		crumbs = append(crumbs, frame.Under(parts[i], "/team/"+strings.Join(parts[:i+1], "/"))...)
	}
	return frame.Page{Title: path, Nav: "teams", Crumbs: crumbs, Lead: m.sentence(), Command: words.Shell("muster", "quota", "show", path), Body: body(m), About: m.about()}, nil
}

// about is the quota, and where it has grants.
func (m *view) about() []string {
	list := []string{frame.OfQuota(m.q.GetPath())}
	for _, g := range m.q.GetGrants() {
		list = append(list, g.GetPartition())
	}
	return list
}

// windowText is the chosen window in words.
func (m *view) windowText() string {
	for _, w := range m.windows {
		if w[0] == m.window {
			return w[1]
		}
	}
	return m.window
}

// changedBelow says whether people changed quotas below this one, too.
func (m *view) changedBelow() bool {
	return slices.ContainsFunc(m.changes, func(c *musterv1.QuotaChange) bool { return c.GetQuota() != m.q.GetPath() })
}

func (m *view) fill(path string) error {
	v := m.v
	most := 1
	for _, g := range m.q.GetGrants() {
		most = max(most, int(g.GetAssigned()), int(g.GetUsage()))
	}
	for _, g := range m.q.GetGrants() {
		m.rows = append(m.rows, rowOf(m.q, g, most))
	}
	below, err := v.Quotas.ListQuotas(v.Ctx, &musterv1.ListQuotasRequest{AsOf: v.AsOf, Under: path})
	if err != nil {
		return err
	}
	for _, q := range below.GetQuotas() {
		for _, g := range q.GetGrants() {
			most = max(most, int(g.GetAssigned()), int(g.GetUsage()))
		}
	}
	for _, q := range below.GetQuotas() {
		for _, g := range q.GetGrants() {
			if q.GetPath() != path && len(m.children) < 100 {
				m.children = append(m.children, rowOf(q, g, most))
			}
		}
	}
	w, err := v.Workloads.ListWorkloads(v.Ctx, &musterv1.ListWorkloadsRequest{AsOf: v.AsOf, Target: path, Limit: 5000})
	if err != nil {
		return err
	}
	m.held, m.others = holdings(w.GetWorkloads()), int(w.GetOthers())
	h, err := v.Quotas.History(v.Ctx, &musterv1.HistoryRequest{AsOf: v.AsOf, Quota: path, Limit: 50})
	if err != nil {
		return err
	}
	m.changes = h.GetChanges()
	slices.Reverse(m.changes)
	return nil
}

// requests are the open requests for a quota and those under it; of the past none is known.
func requests(v *frame.Visit, quota string) ([]*musterv1.QuotaRequest, error) {
	if v.AsOf != nil {
		return nil, nil
	}
	r, err := v.Requests.ListRequests(v.Ctx, &musterv1.ListRequestsRequest{Quota: quota})
	return r.GetRequests(), err
}

// keptPath is the part of the page that says what became of a quota's promises: it waits until the past is gathered.
const keptPath = "/part/kept"

// Kept is that part.
func Kept(v *frame.Visit) (frame.Page, error) {
	path := v.Request.URL.Query().Get("quota")
	u, err := v.Past.QuotaUse(v.Ctx, &musterv1.QuotaUseRequest{AsOf: v.AsOf, Quota: path})
	if err != nil {
		return frame.Page{}, err
	}
	var used []*musterv1.QuotaUsed
	for _, one := range u.GetQuotas() {
		if one.GetQuota() == path {
			used = append(used, one)
		}
	}
	return frame.Page{Part: true, Body: keptBody(v, used)}, nil
}

// endsText says of whom and why what ends of a grant is.
func endsText(t *musterv1.TemporaryGrant) string {
	s := draw.Count(int(t.GetGpus()), "GPU") + " of the grant end by themselves at " + parts.Day(t.GetUntil().AsTime()) + "; granted by " + t.GetBy()
	if t.GetReason() != "" {
		s += ": " + t.GetReason()
	}
	return s
}

// sentence says how the team stands, at once.
func (m view) sentence() string {
	assigned, backed, usage, unprotected, borrowed := 0, 0, 0, 0, 0
	for _, r := range m.rows {
		assigned, backed, usage = assigned+int(r.g.GetAssigned()), backed+int(r.g.GetBacked()), usage+int(r.g.GetUsage())
		unprotected, borrowed = unprotected+int(r.g.GetUnprotected()), borrowed+int(r.g.GetBorrowed())
	}
	if assigned+usage == 0 {
		return "It has no grants of its own."
	}
	s := draw.Number(backed) + " of " + draw.Number(assigned) + " GPUs granted are backed; it uses " + draw.Number(usage)
	if borrowed > 0 {
		s += ", " + draw.Number(borrowed) + " of them borrowed"
	}
	if unprotected > 0 {
		s += ", " + draw.Number(unprotected) + " of them unprotected"
	}
	for _, r := range m.rows {
		if t := r.g.GetTemporary(); t != nil {
			s += "; " + draw.Number(int(t.GetGpus())) + " of " + r.g.GetPartition() + " end " + parts.Day(t.GetUntil().AsTime())
		}
	}
	return s + "." + m.inPieces()
}

// inPieces says which gangs are backed in number, but not in one piece; "": none.
func (m view) inPieces() (says string) {
	for _, r := range m.rows {
		if n := int(r.g.GetGangMissing()); n > 0 {
			says += " In " + r.g.GetPartition() + " its gang of " + draw.Number(int(r.g.GetGang())) + " lacks " + draw.Count(n, "GPU") + " in one island."
		}
	}
	return says
}

// kept is the share of the GPU-hours assigned that was backed; with less than one assigned no
// promise was made that could have been kept.
func kept(u *musterv1.QuotaUsed) string {
	if u.GetAssignedGpuHours() < 1 {
		return "none made"
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
		if words.Waits(w.GetState()) {
			out[i].waiting++
		}
		for holds, n := range w.GetHeld() {
			out[i].gpus[holds] += int(n)
		}
		out[i].total += int(w.GetGpus())
	}
	slices.SortStableFunc(out, func(a, b holding) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.user, b.user))
	})
	return out[:min(len(out), 50)]
}

// Timeline draws what a quota had and used over a window.
func Timeline(v *frame.Visit) (frame.Page, error) {
	q := v.Request.URL.Query()
	window, err := time.ParseDuration(q.Get("window"))
	if err != nil || window <= 0 {
		return frame.Page{}, frame.NoSpan("window", q.Get("window"))
	}
	s, err := v.Series.QuotaSeries(v.Ctx, &musterv1.QuotaSeriesRequest{AsOf: v.AsOf, Quota: q.Get("quota"), Since: timestamppb.New(v.At().Add(-window)), Points: picture.TimelinePoints})
	if err != nil {
		return frame.Page{}, err
	}
	return frame.Page{Part: true, Body: timelineBody(v, picture.Timelines(q.Get("quota"), s), s.GetMeans())}, nil
}

// hasFlex says whether some picture has a layer of flex.
func hasFlex(list []picture.Timeline) bool {
	return slices.ContainsFunc(list, func(t picture.Timeline) bool {
		return slices.ContainsFunc(t.Moments, func(m draw.Moment) bool { return m.Flex > 0 })
	})
}
