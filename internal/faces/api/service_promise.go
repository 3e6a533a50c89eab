package api

import (
	"context"

	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// promiseService says what became of promises.
type promiseService struct{ *service }

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
				out.Promises = append(out.Promises, promisesOf(row))
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

func promisesOf(p view.Promises) *musterv1.Promises {
	m := &musterv1.Promises{
		Partition: p.Partition, Island: p.Island, HorizonHours: int32(p.Horizon), InForce: p.InForce,
		Issued: int64(p.Issued()), Kept: int64(p.Kept), Broken: int64(p.Broken), Open: int64(p.Open),
	}
	if !p.Mixed {
		m.Policy = bufferOf(p.Policy)
	}
	if p.Policy.Learns() {
		m.Claimed = proto.Float64(share(p.Policy.Confidence))
	}
	if judged := p.Kept + p.Broken; judged > 0 {
		m.Realised = proto.Float64(float64(p.Kept) / float64(judged))
	}
	if p.Installed > 0 {
		m.MeanBuffer = float64(p.HeldBack) / float64(p.Installed)
	}
	return m
}
