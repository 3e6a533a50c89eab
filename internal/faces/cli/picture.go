package cli

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	pictures "github.com/muster-fleet/muster/internal/faces/picture"
)

// -o svg prints a picture of an answer: the one that the web page of the same question shows. The
// functions here ask what the picture needs besides the answer, and draw it.

// waterfall draws from what is installed to what works, as the fleet page does.
func (o *capacityOptions) waterfall(ctx context.Context, res *musterv1.CapacityResponse) (draw.SVG, error) {
	health, err := o.client().Health.Health(ctx, &musterv1.HealthRequest{AsOf: o.asOf.message(), Scope: o.scope})
	if err != nil {
		return nil, err
	}
	incidents, err := o.client().Fleet.ListIncidents(ctx, &musterv1.ListIncidentsRequest{AsOf: o.asOf.message()})
	if err != nil {
		return nil, err
	}
	return draw.Waterfall(pictures.Waterfall(pictures.Sum(res), health.GetPartitions(), incidents.GetIncidents(), nil), draw.Wide), nil
}

// stairs draws how many gangs of each size could start, target by target, as the
// page of researchers does.
func stairs(res *musterv1.UsableResponse) draw.SVG {
	var list []draw.Titled
	for i, s := range pictures.Staircases(res) {
		list = append(list, draw.Titled{Title: s.Target, Note: s.Partition, SVG: s.Draw("st" + strconv.Itoa(i))})
	}
	return draw.Sheet("sheet", "How many gangs of each size could start now", list)
}

// timelines draws what a quota had and used in the last day, as its page does.
func (a *app) timelines(ctx context.Context, quota string, r *reading) (draw.SVG, error) {
	to, err := a.moment(ctx, r)
	if err != nil {
		return nil, err
	}
	s, err := a.client().Series.QuotaSeries(ctx, &musterv1.QuotaSeriesRequest{
		AsOf: r.asOf.message(), Quota: quota, Since: timestamppb.New(to.Add(-24 * time.Hour)), Points: pictures.TimelinePoints,
	})
	if err != nil {
		return nil, err
	}
	return pictures.Timelined(pictures.Timelines(quota, s)), nil
}

// dumbbells draws what a haircut finds and proposes, as its page does.
func (a *app) dumbbells(ctx context.Context, h *musterv1.Haircut, r *reading) (draw.SVG, error) {
	q, err := a.client().Quotas.ListQuotas(ctx, &musterv1.ListQuotasRequest{AsOf: r.asOf.message()})
	if err != nil {
		return nil, err
	}
	u, err := a.client().Past.QuotaUse(ctx, &musterv1.QuotaUseRequest{AsOf: r.asOf.message()})
	if err != nil {
		return nil, err
	}
	rows := pictures.Dumbbells(h, q.GetQuotas(), u.GetQuotas(), nil)
	return draw.Dumbbells(rows[:min(len(rows), pictures.MostDumbbells)], draw.Wide), nil
}

// ladder draws the queue of a target, as its page does.
func (o *jobListOptions) ladder(ctx context.Context) (draw.SVG, error) {
	if o.target == "" {
		return nil, usage("-o svg draws one queue: name it with --target, a quota or flex")
	}
	now, err := o.moment(ctx, &o.reading)
	if err != nil {
		return nil, err
	}
	all := o.client().Workloads
	res, err := all.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{AsOf: o.asOf.message(), Target: o.target, Partition: o.partition, Limit: 10_000})
	if err != nil {
		return nil, err
	}
	q := pictures.QueueOf(o.target, res.GetWorkloads(), now, o.link, pictures.Asks{
		Reason: func(w *musterv1.Workload) string {
			g, err := all.GetWorkload(ctx, &musterv1.GetWorkloadRequest{AsOf: o.asOf.message(), Namespace: w.GetSpec().GetNamespace(), Name: w.GetSpec().GetName()})
			if err != nil {
				return "" // it has ended meanwhile
			}
			return g.GetWorkload().GetReason()
		},
		When: func(w *musterv1.Workload) *musterv1.WhenResponse {
			a, err := all.When(ctx, &musterv1.WhenRequest{AsOf: o.asOf.message(), Namespace: w.GetSpec().GetNamespace(), Name: w.GetSpec().GetName()})
			if err != nil {
				return nil // its reason stays
			}
			return a
		},
	})
	return q.Draw(draw.Wide), nil
}

// ribbon draws what a workload was when, as its page does.
func (a *app) ribbon(ctx context.Context, why *musterv1.WhyResponse, r *reading) (draw.SVG, error) {
	at, err := a.moment(ctx, r)
	return pictures.LifeOf(why, at).Draw(draw.Wide), err
}

// islands draws a partition's islands node by node below each other, each as on its page.
func (o *showOptions) islands(ctx context.Context, res *musterv1.CapacityResponse) (draw.SVG, error) {
	if len(res.GetPartitions()) != 1 {
		return nil, usage("-o svg draws one partition, as in tiger/h200")
	}
	p := res.GetPartitions()[0]
	nodes, err := o.client().Capacity.Nodes(ctx, &musterv1.NodesRequest{AsOf: o.asOf.message(), Scope: p.GetPartition()})
	if err != nil {
		return nil, err
	}
	quotas, err := o.client().Quotas.ListQuotas(ctx, &musterv1.ListQuotasRequest{AsOf: o.asOf.message(), Partition: p.GetPartition()})
	if err != nil {
		return nil, err
	}
	strips := pictures.StripsOf(p, quotas.GetQuotas(), pictures.PerNode(p), o.link)
	var list []draw.Titled
	for _, i := range pictures.IslandsOf(nodes.GetNodes(), nil, strips, o.link) {
		list = append(list, draw.Titled{Title: i.Name, Note: i.Says, SVG: i.SVG})
	}
	return draw.Pile("islands", "Islands of "+p.GetPartition(), list), nil
}

// moment is the one that a question is about.
func (a *app) moment(ctx context.Context, r *reading) (time.Time, error) {
	if !r.asOf.at.IsZero() {
		return r.asOf.at, nil
	}
	status, err := a.client().System.Status(ctx, &musterv1.StatusRequest{})
	return status.GetSeen().GetAt().AsTime(), err
}

// link is the address of a page about the moment of a question, for the links in a picture.
func (r *reading) link(path string, query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	if m := r.asOf.message(); m != nil {
		q.Set("as-of", m.AsTime().UTC().Format(time.RFC3339Nano))
	}
	return (&url.URL{Path: path, RawQuery: q.Encode()}).String()
}
