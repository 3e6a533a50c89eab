package api

import (
	"context"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Ask makes a request; it is answered with what there is.
func (s requestService) Ask(ctx context.Context, m *musterv1.AskRequest) (*musterv1.AskResponse, error) {
	c, err := wire.ReadAskQuota(m)
	if err != nil {
		return nil, err
	}
	result, w, err := s.write(ctx, m, c)
	if err != nil || w.GetDryRun() {
		return &musterv1.AskResponse{Written: w}, err
	}
	record, err := s.original(ctx, result)
	out := &musterv1.AskResponse{Written: w}
	for _, e := range record.Events {
		if made, ok := e.(event.RequestMade); ok {
			now := fleet.InstantOf(s.now())
			s.engine.Read(func(state *fleet.State) { out.Request = wire.QuotaRequest(state, &made.Request, now) })
		}
	}
	return out, err
}

// Offer agrees that a quota gives GPUs for a request.
func (s requestService) Offer(ctx context.Context, m *musterv1.OfferRequest) (*musterv1.OfferResponse, error) {
	w, err := s.written(ctx, m, core.OfferQuota{ID: m.GetId(), From: m.GetFrom(), GPUs: int(m.GetGpus())}, nil)
	return &musterv1.OfferResponse{Written: w}, err
}

// Answer grants or declines a request.
func (s requestService) Answer(ctx context.Context, m *musterv1.AnswerRequest) (*musterv1.AnswerResponse, error) {
	w, err := s.written(ctx, m, core.AnswerRequest{ID: m.GetId(), Grant: m.GetGrant()}, nil)
	return &musterv1.AnswerResponse{Written: w}, err
}

// Withdraw takes a request back.
func (s requestService) Withdraw(ctx context.Context, m *musterv1.WithdrawRequest) (*musterv1.WithdrawResponse, error) {
	w, err := s.written(ctx, m, core.WithdrawRequest{ID: m.GetId()}, nil)
	return &musterv1.WithdrawResponse{Written: w}, err
}

// ListRequests lists requests, the newest first.
func (s requestService) ListRequests(_ context.Context, m *musterv1.ListRequestsRequest) (out *musterv1.ListRequestsResponse, err error) {
	out, now := &musterv1.ListRequestsResponse{}, fleet.InstantOf(s.now())
	s.engine.Look(func(state *fleet.State) {
		for _, r := range slices.Backward(state.Requests) {
			if (m.GetAll() || r.State == fleet.RequestOpen) && under(r.Quota, m.GetQuota()) {
				out.Requests = append(out.Requests, wire.QuotaRequest(state, r, now))
			}
		}
		if len(out.GetRequests()) == 0 {
			err = knownQuota(state, m.GetQuota())
		}
	})
	return out, err
}
