package api

import (
	"cmp"
	"context"
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// CreateQuota creates a quota, and its parents where they do not exist.
func (s quotaService) CreateQuota(ctx context.Context, m *musterv1.CreateQuotaRequest) (*musterv1.CreateQuotaResponse, error) {
	w, err := s.written(ctx, m, wire.ReadCreateQuota(m), nil)
	s.noteUnlisted(ctx, w, m.GetAccess())
	return &musterv1.CreateQuotaResponse{Written: w}, err
}

// DeleteQuota deletes a quota that has no grants, no children and no work.
func (s quotaService) DeleteQuota(ctx context.Context, m *musterv1.DeleteQuotaRequest) (*musterv1.DeleteQuotaResponse, error) {
	w, err := s.written(ctx, m, core.DeleteQuota{Path: m.GetPath()}, nil)
	return &musterv1.DeleteQuotaResponse{Written: w}, err
}

// SetGrant makes a quota's grant in a partition this many GPUs.
func (s quotaService) SetGrant(ctx context.Context, m *musterv1.SetGrantRequest) (*musterv1.SetGrantResponse, error) {
	c, err := wire.ReadSetGrant(m)
	if err != nil {
		return nil, err
	}
	result, w, err := s.write(ctx, m, c)
	if err == nil && !w.GetDryRun() && w.GetProposal() == 0 {
		if record, err := s.original(ctx, result); err == nil { // else there is only less to say
			w.Notes = append(w.Notes, notesOfGrant(record)...)
		}
	}
	return &musterv1.SetGrantResponse{Written: w}, err
}

// notesOfGrant say what of a grant ends and what lasts, and that a hold which it used up
// does not end it.
func notesOfGrant(r event.Record) (notes []string) {
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.GrantSet:
			if t := e.Temporary; t.GPUs > 0 {
				notes = append(notes, fmt.Sprintf("It has %s there: %s last, and %s end by themselves at %s.", text.Count(e.GPUs, "GPU"), text.Group(e.GPUs-t.GPUs), text.Group(t.GPUs), text.Weekday(t.Until.Time())))
			}
		case event.HoldEnded:
			if e.Why == "used" {
				notes = append(notes, fmt.Sprintf("The grant uses up hold %d, and does not end with it; --until gives a grant an end.", e.ID))
			}
		}
	}
	return notes
}

// Transfer moves GPUs from one quota's grant to another's.
func (s quotaService) Transfer(ctx context.Context, m *musterv1.TransferRequest) (*musterv1.TransferResponse, error) {
	w, err := s.written(ctx, m, wire.ReadTransfer(m), nil)
	return &musterv1.TransferResponse{Written: w}, err
}

// PlaceHold earmarks free capacity for a quota until a moment.
func (s quotaService) PlaceHold(ctx context.Context, m *musterv1.PlaceHoldRequest) (*musterv1.PlaceHoldResponse, error) {
	c, err := wire.ReadPlaceHold(m)
	if err != nil {
		return nil, err
	}
	result, w, err := s.write(ctx, m, c)
	if err != nil || w.GetDryRun() {
		return &musterv1.PlaceHoldResponse{Written: w}, err
	}
	record, err := s.original(ctx, result)
	for _, e := range record.Events {
		if placed, ok := e.(event.HoldPlaced); ok {
			return &musterv1.PlaceHoldResponse{Written: w, Id: placed.Hold.ID}, err
		}
	}
	return &musterv1.PlaceHoldResponse{Written: w}, err
}

// ReleaseHold gives a hold back.
func (s quotaService) ReleaseHold(ctx context.Context, m *musterv1.ReleaseHoldRequest) (*musterv1.ReleaseHoldResponse, error) {
	w, err := s.written(ctx, m, core.ReleaseHold{ID: m.GetId()}, nil)
	return &musterv1.ReleaseHoldResponse{Written: w}, err
}

// SetAccess sets who may target a quota.
func (s quotaService) SetAccess(ctx context.Context, m *musterv1.SetAccessRequest) (*musterv1.SetAccessResponse, error) {
	w, err := s.written(ctx, m, wire.ReadSetAccess(m), nil)
	s.noteUnlisted(ctx, w, m.GetAccess())
	return &musterv1.SetAccessResponse{Written: w}, err
}

// SetOwner names who answers for a quota.
func (s quotaService) SetOwner(ctx context.Context, m *musterv1.SetOwnerRequest) (*musterv1.SetOwnerResponse, error) {
	w, err := s.written(ctx, m, wire.ReadSetOwner(m), nil)
	return &musterv1.SetOwnerResponse{Written: w}, err
}

// ListQuotas lists quotas with their figures.
func (s quotaService) ListQuotas(ctx context.Context, m *musterv1.ListQuotasRequest) (*musterv1.ListQuotasResponse, error) {
	out := &musterv1.ListQuotasResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		if err := cmp.Or(knownQuota(state, m.GetUnder()), knownPartition(state, m.GetPartition())); err != nil {
			return err
		}
		out.Quotas = wire.Quotas(state, view.EveryQuota(state, at), m.GetPartition(), s.signsIn(callerOf(ctx)), func(path string) bool { return under(path, m.GetUnder()) })
		callerOf(ctx).hideHeld(state, out.Quotas)
		return nil
	})
	out.Seen = seen
	return out, err
}

// GetQuota is one quota with its figures, holds and access list.
func (s quotaService) GetQuota(ctx context.Context, m *musterv1.GetQuotaRequest) (*musterv1.GetQuotaResponse, error) {
	out := &musterv1.GetQuotaResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		if state.Quota(m.GetPath()) == nil {
			return core.NoQuota(state, m.GetPath())
		}
		list := wire.Quotas(state, view.EveryQuota(state, at), "", s.signsIn(callerOf(ctx)), func(path string) bool { return path == m.GetPath() })
		callerOf(ctx).hideHeld(state, list)
		out.Quota = list[0]
		return nil
	})
	out.Seen = seen
	return out, err
}

// History lists who changed quotas, when and why.
func (s quotaService) History(ctx context.Context, m *musterv1.HistoryRequest) (*musterv1.HistoryResponse, error) {
	until, err := s.until(m.GetAsOf())
	if err != nil {
		return nil, err
	}
	changes, unread, err := s.history.ask(ctx, s.engine, m, until)
	if err == nil && len(changes) == 0 && unread == 0 {
		err = s.neverWas(ctx, m)
	}
	return &musterv1.HistoryResponse{Changes: changes, Unread: unread}, err
}

// neverWas refuses a quota or a partition that has no history because it never existed.
func (s quotaService) neverWas(ctx context.Context, m *musterv1.HistoryRequest) error {
	_, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		return cmp.Or(knownQuota(state, m.GetQuota()), knownPartition(state, m.GetPartition()))
	})
	return err
}
