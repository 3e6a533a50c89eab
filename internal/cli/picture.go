package cli

import (
	"context"
	"strconv"

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
