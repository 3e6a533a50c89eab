package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Frontier tries buffer policies against the recorded past.
func (s seriesService) Frontier(ctx context.Context, m *musterv1.FrontierRequest) (*musterv1.FrontierResponse, error) {
	out, p := &musterv1.FrontierResponse{}, pastService(s)
	if err := p.knownNow(named(knownScope, m.GetScope())); err != nil {
		return nil, err
	}
	seen, err := p.ask(ctx, m, quarter, func(b *past.Book, w past.Window, _ int64) {
		out.Window = wire.Window(w)
		for _, t := range b.Frontier(m.GetScope(), tried(m), w) {
			out.Points = append(out.Points, wire.FrontierPoint(t))
		}
	})
	out.Seen = seen
	return out, err
}

// tried are the policies that a request names.
func tried(m *musterv1.FrontierRequest) (list []trial.Policy) {
	shares := m.GetShares()
	for share := int32(0); len(m.GetShares())+len(m.GetPolicies()) == 0 && share <= 300; share += 10 {
		shares = append(shares, share)
	}
	for _, share := range shares {
		list = append(list, trial.Policy{Kind: "fixed", Share: float64(share) / 1000})
	}
	for _, one := range m.GetPolicies() {
		usual := fleet.DefaultBuffer(fleet.BufferKind(one.GetKind()))
		list = append(list, trial.Policy{Kind: one.GetKind(), Confidence: float64(one.GetConfidence()) / 1000, Floor: usual.Floor.Float(), Ceiling: usual.Ceiling.Float()})
	}
	return list
}
