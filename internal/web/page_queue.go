package web

import (
	"cmp"
	"context"
	"slices"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/draw"
)

// workloadsView is a list of workloads.
type workloadsView struct {
	v       *visit
	list    []*musterv1.Workload
	filters map[string]string
	next    string
}

var workloadStates = []string{"pending", "starting", "running", "evicting", "mending", "finished", "failed", "cancelled"}

func workloadsPage(v *visit) (page, error) {
	q := v.r.URL.Query()
	m := workloadsView{v: v, filters: map[string]string{}}
	for _, name := range []string{"namespace", "target", "partition", "user", "states"} {
		m.filters[name] = q.Get(name)
	}
	ask := &musterv1.ListWorkloadsRequest{
		AsOf: v.asOf, Namespace: m.filters["namespace"], Target: m.filters["target"], Partition: m.filters["partition"], User: m.filters["user"],
		Limit: 100, From: number(q.Get("from")), Reasons: true,
	}
	switch s := m.filters["states"]; s {
	case "":
	case "waiting":
		ask.States = []string{"pending", "starting"}
	default:
		ask.States = []string{s}
	}
	l, err := v.Workloads.ListWorkloads(v.ctx, ask)
	if err != nil {
		return page{}, err
	}
	m.list = l.GetWorkloads()
	if l.GetNext() > 0 {
		m.next = v.here("from", plain(int(l.GetNext())))
	}
	command := "muster job list"
	for _, f := range [][2]string{{"namespace", "-n"}, {"target", "--target"}, {"partition", "--partition"}, {"user", "--user"}} {
		if m.filters[f[0]] != "" {
			command += " " + f[1] + " " + m.filters[f[0]]
		}
	}
	switch s := m.filters["states"]; s {
	case "":
	case "waiting":
		command += " --waiting"
	default:
		command += " --state " + s
	}
	return page{title: "Workloads", nav: "workloads", command: command, body: workloadsBody(m), lead: "Who runs, how they hold their GPUs, and who waits for what. Choose one to see why."}, nil
}

func number(s string) (n uint64) {
	for _, r := range s {
		if r < '0' || r > '9' || n > 1<<60 {
			return 0
		}
		n = n*10 + uint64(r-'0')
	}
	return n
}

// queueView is the queue of a quota or of flex.
type queueView struct {
	v                 *visit
	target, partition string
	wide, narrow      draw.SVG
	rungs             []draw.Rung
	waiting, running  int
	more              int
	targets           []string
	later             string // where the ladder is that knows when who starts
}

// ladderPath is the ladder alone, with forecasts: they take longer than a page may.
const ladderPath = "/part/ladder"

// How many of a queue are drawn, and for how many of them it is asked when they start.
const (
	mostRunning = 12
	mostWaiting = 30
	mostAsked   = 12
	mostListed  = 10_000          // of running and waiting ones together
	foretold    = 4 * time.Second // for all of them
)

func queuePage(v *visit) (page, error) {
	q := v.r.URL.Query()
	m := queueView{v: v, target: q.Get("target"), partition: q.Get("partition")}
	if m.target == "" {
		m.target = "flex"
	}
	list, err := v.Quotas.ListQuotas(v.ctx, &musterv1.ListQuotasRequest{AsOf: v.asOf})
	if err != nil {
		return page{}, err
	}
	m.targets = []string{"flex"}
	for _, one := range list.GetQuotas() {
		if len(one.GetGrants()) > 0 && len(m.targets) < 400 {
			m.targets = append(m.targets, one.GetPath())
		}
	}
	l, err := v.Workloads.ListWorkloads(v.ctx, &musterv1.ListWorkloadsRequest{AsOf: v.asOf, Target: m.target, Partition: m.partition, Limit: mostListed})
	if err != nil {
		return page{}, err
	}
	m.fill(l.GetWorkloads(), v.r.URL.Path == ladderPath)
	command := "muster job list --target " + m.target
	if m.partition != "" {
		command += " --partition " + m.partition
	}
	m.later = v.to(ladderPath, "target", m.target, "partition", m.partition)
	if v.r.URL.Path == ladderPath {
		return page{part: true, body: ladderBody(m, true)}, nil
	}
	return page{
		title: "Queue of " + m.target, nav: "workloads", crumbs: []crumb{{"Workloads", "/workloads"}}, command: command, body: queueBody(m),
		lead: "Running: " + draw.Number(m.running) + ", waiting: " + draw.Number(m.waiting) + ". A bar reaches from the moment by which one starts as likely as not to the one by which it nearly always does.",
	}, nil
}

// fill makes the ladder: who runs, the latest below, then who waits, in turn.
func (m *queueView) fill(list []*musterv1.Workload, forecasts bool) {
	var running, waiting []*musterv1.Workload
	for _, w := range list {
		if w.GetSpec().GetTarget() != m.target {
			continue
		}
		if w.GetState() == "pending" || w.GetState() == "starting" {
			waiting = append(waiting, w)
		} else {
			running = append(running, w)
		}
	}
	slices.SortStableFunc(waiting, func(a, b *musterv1.Workload) int { return cmp.Compare(a.GetPosition(), b.GetPosition()) })
	slices.SortStableFunc(running, func(a, b *musterv1.Workload) int {
		return a.GetStarted().AsTime().Compare(b.GetStarted().AsTime())
	})
	m.running, m.waiting = len(running), len(waiting)
	m.more = max(0, len(running)-mostRunning) + max(0, len(waiting)-mostWaiting)
	now := m.v.at()
	from, to := now.Add(-10*time.Minute), now.Add(10*time.Minute)
	for _, w := range running[:min(len(running), mostRunning)] {
		r := m.rung(w)
		r.Running, r.Since, r.Ink = true, w.GetStarted().AsTime(), inkOfHolds(w.GetHolds())
		if d := w.GetSpec().GetMaxRuntime(); d != nil {
			r.Ends = r.Since.Add(d.AsDuration())
			to = latest(to, r.Ends)
		}
		if r.Since.Before(from) {
			from = r.Since
		}
		m.rungs = append(m.rungs, r)
	}
	if least := now.Add(-6 * time.Hour); from.Before(least) {
		from = least
	}
	ctx, end := context.WithTimeout(m.v.ctx, foretold)
	defer end()
	for i, w := range waiting[:min(len(waiting), mostWaiting)] {
		r := m.rung(w)
		w.Reason = m.reason(w)
		r.Turn, r.Ink, r.Why = int(w.GetPosition()), classInk(reasonClass[w.GetReason()]), w.GetReason()
		if i < mostAsked && forecasts && m.when(ctx, &r, w) {
			to = latest(to, r.P90)
		}
		m.rungs = append(m.rungs, r)
	}
	if most := now.Add(7 * 24 * time.Hour); to.After(most) {
		to = most
	}
	m.wide, m.narrow = draw.Ladder(m.rungs, from, now, to, draw.Wide), draw.Ladder(m.rungs, from, now, to, draw.Narrow)
}

// reason is why a workload waits, asked of those alone that are drawn.
func (m *queueView) reason(w *musterv1.Workload) string {
	g, err := m.v.Workloads.GetWorkload(m.v.ctx, &musterv1.GetWorkloadRequest{AsOf: m.v.asOf, Namespace: w.GetSpec().GetNamespace(), Name: w.GetSpec().GetName()})
	if err != nil {
		return "" // it has ended meanwhile
	}
	return g.GetWorkload().GetReason()
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (m *queueView) rung(w *musterv1.Workload) draw.Rung {
	id := w.GetSpec().GetNamespace() + "/" + w.GetSpec().GetName()
	return draw.Rung{Name: id, Note: shape(w.GetSpec()), Href: m.v.to("/workload/" + id)}
}

// when asks when a waiting workload starts; where nobody knows, or there is no time
// left to find out, its reason stays.
func (m *queueView) when(ctx context.Context, r *draw.Rung, w *musterv1.Workload) bool {
	a, err := m.v.Workloads.When(ctx, &musterv1.WhenRequest{AsOf: m.v.asOf, Namespace: w.GetSpec().GetNamespace(), Name: w.GetSpec().GetName()})
	if err != nil {
		return false
	}
	r.Why = w.GetReason() + ": when is not known"
	if f := a.GetForecast(); f.GetKnown() {
		r.P50, r.P90 = f.GetP50().AsTime(), f.GetP90().AsTime()
	} else if a.GetAnswer() == "impossible" {
		r.Why = w.GetReason() + ": impossible as things are"
	}
	return !r.P90.IsZero()
}
