package queue

import (
	"context"
	"slices"
	"time"

	"github.com/a-h/templ"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// view is the queue of a quota or of flex.
type view struct {
	v                 *frame.Visit
	target, partition string
	picture.Queue
	wide, narrow draw.SVG
	targets      []string
	others       int    // workloads that the reader may not read
	later        string // where the ladder with forecasts is
}

// ladderPath is the ladder alone, with forecasts: they take longer than a page may.
const ladderPath = "/part/ladder"

// mostListed is how many of a queue are asked for, running and waiting ones together, and
// foretold how long forecasts may take, all together.
const (
	mostListed = 10_000
	foretold   = 4 * time.Second
)

// Page is the queue of a quota or of flex, and its part with forecasts.
func Page(v *frame.Visit) (frame.Page, error) {
	q := v.Request.URL.Query()
	m := view{v: v, target: q.Get("target"), partition: q.Get("partition")}
	if m.target == "" {
		m.target = "flex"
	}
	list, err := v.Quotas.ListQuotas(v.Ctx, &musterv1.ListQuotasRequest{AsOf: v.AsOf})
	if err != nil {
		return frame.Page{}, err
	}
	m.targets = []string{"flex"}
	for _, one := range list.GetQuotas() {
		if len(one.GetGrants()) > 0 && len(m.targets) < 400 {
			m.targets = append(m.targets, one.GetPath())
		}
	}
	l, err := v.Workloads.ListWorkloads(v.Ctx, &musterv1.ListWorkloadsRequest{AsOf: v.AsOf, Target: m.target, Partition: m.partition, Limit: mostListed})
	if err != nil {
		return frame.Page{}, err
	}
	m.others = int(l.GetOthers())
	m.fill(l.GetWorkloads(), v.Request.URL.Path == ladderPath)
	command := []string{"muster", "job", "list", "--target", m.target}
	if m.partition != "" {
		command = append(command, "--partition", m.partition)
	}
	m.later = v.To(ladderPath, "target", m.target, "partition", m.partition)
	if v.Request.URL.Path == ladderPath {
		return frame.Page{Part: true, Body: ladderBody(m, true)}, nil
	}
	return frame.Page{
		Title: "Queue of " + m.target, Nav: "workloads", Crumbs: frame.Under("Workloads", "/workloads"), Command: words.Shell(command...), Body: body(m),
		Lead:  "Running: " + draw.Number(m.Running) + ", waiting: " + draw.Number(m.Waiting) + ". Where a start is forecast, a bar runs from its median (p50) to its 90th percentile (p90). The first " + draw.Number(picture.MostAsked) + " that wait are forecast. Dashed: declared run time.",
		About: []string{frame.OfQuota(m.target), m.partition},
	}, nil
}

// fill makes the ladder; with forecasts it asks when the first of those that wait start,
// for as long as it may take.
func (m *view) fill(list []*musterv1.Workload, forecasts bool) {
	ctx, end := context.WithTimeout(m.v.Ctx, foretold)
	defer end()
	m.Queue = picture.QueueOf(m.target, list, m.v.At(), m.v.To, picture.Asks{
		Reason: func(w *musterv1.Workload) string { return reasonOf(m.v.Ctx, m.v, w) },
		When: func(w *musterv1.Workload) *musterv1.WhenResponse {
			if !forecasts {
				return nil
			}
			a, err := m.v.Workloads.When(ctx, &musterv1.WhenRequest{AsOf: m.v.AsOf, Namespace: w.GetSpec().GetNamespace(), Name: w.GetSpec().GetName()})
			if err != nil {
				return nil // its reason stays
			}
			return a
		},
	})
	m.wide, m.narrow = m.Draw(draw.Wide), m.Draw(draw.Narrow)
}

// inks are those of the ladder, for its legend.
func (m view) inks() (list []draw.Ink) {
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
func reasonOf(ctx context.Context, v *frame.Visit, w *musterv1.Workload) string {
	g, err := v.Workloads.GetWorkload(ctx, &musterv1.GetWorkloadRequest{AsOf: v.AsOf, Namespace: w.GetSpec().GetNamespace(), Name: w.GetSpec().GetName()})
	if err != nil {
		return "" // it has ended meanwhile
	}
	return g.GetWorkload().GetReason()
}

// startsAs labels the cell that says when work starts, for screens on which the head of the column is not seen; that work runs it
// says itself.
func startsAs(r draw.Rung) templ.Attributes {
	switch {
	case r.Running:
		return nil
	case r.P50.IsZero():
		return templ.Attributes{"data-label": "reason"}
	}
	return templ.Attributes{"data-label": "expected (p50, p90)"}
}
