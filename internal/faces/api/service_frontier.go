package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
)

// Bounds of what a policy that learns holds back where nobody says (semantics §2).
const (
	usualFloor   = 0.02
	usualCeiling = 0.3
)

// Frontier tries buffer policies against the recorded past.
func (s seriesService) Frontier(ctx context.Context, m *musterv1.FrontierRequest) (*musterv1.FrontierResponse, error) {
	out, p := &musterv1.FrontierResponse{}, pastService(s)
	if err := p.known(m.GetScope()); err != nil {
		return nil, err
	}
	seen, err := p.ask(ctx, m, quarter, func(b *past.Book, w past.Window, _ int64) {
		out.Window = windowOf(w)
		for _, t := range b.Frontier(m.GetScope(), tried(m), w) {
			out.Points = append(out.Points, pointOf(t))
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
		list = append(list, trial.Policy{Kind: one.GetKind(), Confidence: float64(one.GetConfidence()) / 1000, Floor: usualFloor, Ceiling: usualCeiling})
	}
	return list
}

func pointOf(t past.Trial) *musterv1.FrontierPoint {
	point := &musterv1.FrontierPoint{Kind: t.Policy.Kind, Issued: int64(t.Issued), Broken: int64(t.Broken), MeanBuffer: t.Buffer}
	if t.Policy.Kind == "fixed" {
		point.Share = int32(t.Policy.Share*1000 + 0.5)
	} else {
		point.Confidence = int32(t.Policy.Confidence*1000 + 0.5)
	}
	return point
}
