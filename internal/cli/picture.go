package cli

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/draw"
	pictures "github.com/muster-fleet/muster/internal/picture"
)

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
	to := r.asOf.at
	if to.IsZero() {
		status, err := a.client().System.Status(ctx, &musterv1.StatusRequest{})
		if err != nil {
			return nil, err
		}
		to = status.GetSeen().GetAt().AsTime()
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
