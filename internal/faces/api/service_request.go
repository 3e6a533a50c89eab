package api

import (
	"context"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Ask makes a request; it is answered with what there is.
func (s requestService) Ask(ctx context.Context, m *musterv1.AskRequest) (*musterv1.AskResponse, error) {
	c, err := asked(m)
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
			s.engine.Read(func(state *fleet.State) { out.Request = requestRow(state, &made.Request, now) })
		}
	}
	return out, err
}

func asked(m *musterv1.AskRequest) (core.Command, error) {
	access := m.GetAccess()
	people := len(access.GetUsers()) + len(access.GetGroups()) + len(access.GetNamespaces())
	switch {
	case m.GetGpus() != 0 && people > 0:
		return nil, wrong("access", "a request is for GPUs or for access, not for both")
	case people > 0:
		return core.RequestAccess{Quota: m.GetQuota(), Access: fleet.Access{Users: access.GetUsers(), Groups: access.GetGroups(), Namespaces: access.GetNamespaces()}}, nil
	}
	return core.RequestQuota{Quota: m.GetQuota(), Partition: m.GetPartition(), GPUs: int(m.GetGpus())}, nil
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
func (s requestService) ListRequests(_ context.Context, m *musterv1.ListRequestsRequest) (*musterv1.ListRequestsResponse, error) {
	out, now := &musterv1.ListRequestsResponse{}, fleet.InstantOf(s.now())
	s.engine.Read(func(state *fleet.State) {
		for _, r := range slices.Backward(state.Requests) {
			if (m.GetAll() || r.State == fleet.RequestOpen) && under(r.Quota, m.GetQuota()) {
				out.Requests = append(out.Requests, requestRow(state, r, now))
			}
		}
	})
	return out, nil
}

func requestRow(s *fleet.State, r *fleet.QuotaRequest, now fleet.Instant) *musterv1.QuotaRequest {
	m := &musterv1.QuotaRequest{
		Id: r.ID, Quota: r.Quota, Partition: r.Partition, Gpus: int32(r.GPUs), By: r.By, At: timestamp(r.At), Reason: r.Reason,
		State: string(r.State), Answered: timestamp(r.Answered), AnsweredBy: r.AnsweredBy, Answer: r.Answer,
	}
	if a := r.Access; a != nil {
		m.Access = &musterv1.Access{Users: a.Users, Groups: a.Groups, Namespaces: a.Namespaces}
	}
	for _, o := range r.Offers {
		m.Offers = append(m.Offers, &musterv1.QuotaOffer{From: o.From, Gpus: int32(o.GPUs), By: o.By, At: timestamp(o.At)})
	}
	if p := s.Partition(r.Partition); p != nil && r.State == fleet.RequestOpen {
		m.Chances = chances(view.ChancesOf(s, p, r.Quota, now))
	}
	return m
}

func chances(c view.Chances) *musterv1.Chances {
	m := &musterv1.Chances{Unallocated: int32(c.Unallocated), Flex: int32(c.Flex), FlexFree: int32(c.FlexFree)}
	for _, g := range c.Givers {
		m.Givers = append(m.Givers, &musterv1.Giver{Quota: g.Quota, Owner: g.Owner, Spare: int32(g.Spare), Highest: int32(g.Highest), Grant: int32(g.Grant)})
	}
	return m
}
