package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Promises says how many promises were kept, beside what their policies claim.
func (s promiseService) Promises(ctx context.Context, m *musterv1.PromisesRequest) (*musterv1.PromisesResponse, error) {
	out := &musterv1.PromisesResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		list, err := partitions(state, m.GetScope())
		for _, p := range list {
			for _, row := range view.PromisesOf(p, at) {
				if row.Island != "" && m.GetWithoutIslands() {
					continue
				}
				out.Promises = append(out.Promises, wire.Promises(row))
			}
			for _, spares := range view.SparesOf(p) {
				out.Spares = append(out.Spares, &musterv1.Spares{
					Partition: p.ID, Island: p.Islands[spares.Island].Name, Quota: spares.Quota,
					Gang: int32(spares.Gang), Needed: int32(spares.Needed), There: int32(spares.There), Missing: int32(spares.Missing),
				})
			}
		}
		return err
	})
	out.Seen = seen
	return out, err
}
