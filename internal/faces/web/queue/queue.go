package web

import (
	"context"
	"slices"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
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
	command := []string{"muster", "job", "list"}
	for _, f := range [][2]string{{"namespace", "-n"}, {"target", "--target"}, {"partition", "--partition"}, {"user", "--user"}} {
		if m.filters[f[0]] != "" {
			command = append(command, f[1], m.filters[f[0]])
		}
	}
	switch s := m.filters["states"]; s {
	case "":
	case "waiting":
		command = append(command, "--waiting")
	default:
		command = append(command, "--state", s)
	}
	return page{title: "Workloads", nav: "workloads", command: words.Shell(command...), body: workloadsBody(m), lead: "Who runs, how they hold their GPUs, and who waits for what. Choose one to see why."}, nil
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
	picture.Queue
	wide, narrow draw.SVG
	targets      []string
	later        string // where the ladder is that knows when who starts
}

// ladderPath is the ladder alone, with forecasts: they take longer than a page may.
const ladderPath = "/part/ladder"

// mostListed is how many of a queue are asked for, running and waiting ones together, and
// foretold how long forecasts may take, all together.
const (
	mostListed = 10_000
	foretold   = 4 * time.Second
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
	command := []string{"muster", "job", "list", "--target", m.target}
	if m.partition != "" {
		command = append(command, "--partition", m.partition)
	}
	m.later = v.to(ladderPath, "target", m.target, "partition", m.partition)
	if v.r.URL.Path == ladderPath {
		return page{part: true, body: ladderBody(m, true)}, nil
	}
	return page{
		title: "Queue of " + m.target, nav: "workloads", crumbs: []crumb{{"Workloads", "/workloads"}}, command: words.Shell(command...), body: queueBody(m),
		lead: "Running: " + draw.Number(m.Running) + ", waiting: " + draw.Number(m.Waiting) + ". A bar reaches from the moment by which one starts as likely as not to the one by which it nearly always does; dashed is the run time that is declared.",
	}, nil
}

// fill makes the ladder; with forecasts it asks of the first who wait when they start,
// as long as there is time left to find out.
func (m *queueView) fill(list []*musterv1.Workload, forecasts bool) {
	ctx, end := context.WithTimeout(m.v.ctx, foretold)
	defer end()
	m.Queue = picture.QueueOf(m.target, list, m.v.at(), m.v.to, picture.Asks{
		Reason: func(w *musterv1.Workload) string { return reasonOf(m.v.ctx, m.v, w) },
		When: func(w *musterv1.Workload) *musterv1.WhenResponse {
			if !forecasts {
				return nil
			}
			a, err := m.v.Workloads.When(ctx, &musterv1.WhenRequest{AsOf: m.v.asOf, Namespace: w.GetSpec().GetNamespace(), Name: w.GetSpec().GetName()})
			if err != nil {
				return nil // its reason stays
			}
			return a
		},
	})
	m.wide, m.narrow = m.Draw(draw.Wide), m.Draw(draw.Narrow)
}

// inks are those of the ladder, for its legend.
func (m queueView) inks() (list []draw.Ink) {
	for _, k := range draw.Inks {
		if slices.ContainsFunc(m.Rungs, func(r draw.Rung) bool {
			return r.Ink == k.Ink && (r.Running || !r.P50.IsZero())
		}) {
			list = append(list, k.Ink)
		}
	}
	return list
}

// reasonOf is why a workload waits, asked of those alone that are drawn.
func reasonOf(ctx context.Context, v *visit, w *musterv1.Workload) string {
	g, err := v.Workloads.GetWorkload(ctx, &musterv1.GetWorkloadRequest{AsOf: v.asOf, Namespace: w.GetSpec().GetNamespace(), Name: w.GetSpec().GetName()})
	if err != nil {
		return "" // it has ended meanwhile
	}
	return g.GetWorkload().GetReason()
}
