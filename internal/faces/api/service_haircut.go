package api

import (
	"context"
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/faces/sheet"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// DraftHaircut makes a plan and tries it, and saves nothing.
func (s haircutService) DraftHaircut(ctx context.Context, m *musterv1.DraftHaircutRequest) (*musterv1.DraftHaircutResponse, error) {
	ask, err := wire.ReadAsk(m.GetAsk())
	if err != nil {
		return nil, err
	}
	out := &musterv1.DraftHaircutResponse{}
	out.Seen, err = s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		h, refusal := core.DraftHaircut(state, ask, at)
		if refusal != nil {
			return refusal
		}
		out.Haircut = wire.Haircut(&h)
		stopsAhead(state, &h, out.Haircut)
		planNames{state, callerOf(ctx)}.haircut(out.Haircut)
		return nil
	})
	return out, err
}

// stopsAhead notes with the waves of a new plan what will stop them even once the people are told.
func stopsAhead(s *fleet.State, h *fleet.Haircut, out *musterv1.Haircut) {
	for i, w := range out.GetWaves() {
		w.Blocked = core.StopsAhead(s, h, i)
	}
}

// CompareHaircuts says what several policies would lead to, on both bases.
func (s haircutService) CompareHaircuts(ctx context.Context, m *musterv1.CompareHaircutsRequest) (*musterv1.CompareHaircutsResponse, error) {
	policies := []*fleet.Buffer{nil}
	for i, b := range m.GetBuffers() {
		read, err := wire.ReadBuffer(fmt.Sprintf("buffers[%d]", i), b)
		if err != nil {
			return nil, err
		}
		policies = append(policies, &read)
	}
	out := &musterv1.CompareHaircutsResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		for _, policy := range policies {
			for _, basis := range []fleet.Basis{fleet.BasisCluster, fleet.BasisQuota} {
				row, err := effect(state, haircut.Ask{Scope: m.GetScope(), Basis: basis, Buffer: policy}, at)
				if err != nil {
					return err
				}
				out.Effects = append(out.Effects, row)
			}
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// effect is what a policy would lead to; one that cannot be had says so, and the
// others are told beside it.
func effect(s *fleet.State, ask haircut.Ask, at fleet.Instant) (*musterv1.HaircutEffect, error) {
	row := &musterv1.HaircutEffect{Policy: wire.PolicyName(ask.Buffer), Basis: string(ask.Basis)}
	if refusal := core.CheckAsk(s, ask); refusal != nil {
		if ask.Buffer == nil || refusal.Code != core.Invalid {
			return nil, refusal
		}
		row.Unavailable = refusal.Message
		return row, nil
	}
	h := haircut.Make(s, ask, at)
	e := haircut.EffectOf(&h)
	row.ClustersAbove, row.Sustainable, row.Excess = int32(e.Clusters), int32(e.Sustainable), int32(e.Excess)
	row.Cut, row.Quotas, row.People, row.BelowGang = wire.Sums(e.Cut), int32(e.Quotas), int32(e.People), int32(e.BelowGang)
	return row, nil
}

// PlanHaircut makes a plan, tries it and saves it.
func (s haircutService) PlanHaircut(ctx context.Context, m *musterv1.PlanHaircutRequest) (*musterv1.PlanHaircutResponse, error) {
	ask, err := wire.ReadAsk(m.GetAsk())
	if err != nil {
		return nil, err
	}
	var effective fleet.Instant
	if m.GetEffective() != nil {
		if effective, err = wire.ReadInstant("effective", m.GetEffective()); err != nil {
			return nil, err
		}
	}
	result, w, err := s.write(ctx, m, core.PlanHaircut{Name: m.GetName(), Ask: ask, Effective: effective})
	if err != nil {
		return nil, err
	}
	out := &musterv1.PlanHaircutResponse{Written: w}
	record, err := s.original(ctx, result)
	for _, e := range record.Events {
		if planned, ok := e.(event.HaircutPlanned); ok {
			out.Haircut = wire.Haircut(&planned.Haircut)
			s.engine.Read(func(state *fleet.State) {
				stopsAhead(state, &planned.Haircut, out.Haircut)
				planNames{state, callerOf(ctx)}.haircut(out.Haircut)
			})
		}
	}
	return out, err
}

// ListHaircuts lists saved plans.
func (s haircutService) ListHaircuts(ctx context.Context, m *musterv1.ListHaircutsRequest) (*musterv1.ListHaircutsResponse, error) {
	out := &musterv1.ListHaircutsResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		for _, h := range state.Haircuts {
			out.Haircuts = append(out.Haircuts, planNames{state, callerOf(ctx)}.haircut(wire.Haircut(h)))
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// GetHaircut is a saved plan, and what keeps each wave from being applied.
func (s haircutService) GetHaircut(ctx context.Context, m *musterv1.GetHaircutRequest) (*musterv1.GetHaircutResponse, error) {
	out := &musterv1.GetHaircutResponse{}
	seen, err := s.private(ctx, m.GetAsOf(), func(copied *fleet.State, at fleet.Instant) error { // trying takes a while, and no other call waits for it
		h := copied.Haircut(m.GetName())
		if h == nil {
			return core.NoHaircut(copied, m.GetName())
		}
		out.Haircut = wire.Haircut(h)
		for i, w := range out.Haircut.GetWaves() {
			w.Gate = core.GateOf(copied, h, i, at)
			if !h.Waves[i].Done() {
				blocked(copied, h, i, at, w)
			}
		}
		planNames{copied, callerOf(ctx)}.haircut(out.Haircut)
		return nil
	})
	out.Seen = seen
	return out, err
}

// blocked notes why a wave cannot be applied now, or only with a reason.
func blocked(s *fleet.State, h *fleet.Haircut, wave int, at fleet.Instant, w *musterv1.HaircutWave) {
	apply := core.ApplyHaircut{Name: h.Name, Cluster: h.Waves[wave].Cluster, Class: h.Waves[wave].Class}
	_, refusal := core.Decide(s, core.Request{Command: apply, Actor: core.System}, at)
	switch {
	case refusal == nil:
	case refusal.Code == core.ReasonNeeded || refusal.Code == core.TooEarly:
		w.NeedsReason = refusal.Message
	default:
		w.Blocked = refusal.Message
	}
}

// ReviewHaircut takes a review.
func (s haircutService) ReviewHaircut(ctx context.Context, m *musterv1.ReviewHaircutRequest) (*musterv1.ReviewHaircutResponse, error) {
	w, err := s.written(ctx, m, core.ReviewHaircut{Name: m.GetName()}, nil)
	return &musterv1.ReviewHaircutResponse{Written: w}, err
}

// TellHaircut notes that people were told.
func (s haircutService) TellHaircut(ctx context.Context, m *musterv1.TellHaircutRequest) (*musterv1.TellHaircutResponse, error) {
	result, w, err := s.write(ctx, m, core.TellHaircut{Name: m.GetName(), Cluster: m.GetCluster()})
	if err != nil {
		return nil, err
	}
	out := &musterv1.TellHaircutResponse{Written: w}
	record, err := s.original(ctx, result)
	for _, e := range record.Events {
		if e, ok := e.(event.HaircutTold); ok {
			out.People = e.People
		}
	}
	return out, err
}

// ApplyHaircut puts one wave into force.
func (s haircutService) ApplyHaircut(ctx context.Context, m *musterv1.ApplyHaircutRequest) (*musterv1.ApplyHaircutResponse, error) {
	result, w, err := s.write(ctx, m, core.ApplyHaircut{Name: m.GetName(), Cluster: m.GetCluster(), Class: fleet.CutClass(m.GetClass()), Early: m.GetEarly()})
	if err != nil {
		return nil, err
	}
	out := &musterv1.ApplyHaircutResponse{Written: w}
	record, err := s.original(ctx, result)
	for _, e := range record.Events {
		if e, ok := e.(event.HaircutApplied); ok {
			out.Cluster, out.Class = e.Cluster, string(e.Class)
		}
	}
	return out, err
}

// UndoHaircut gives back what one wave cut.
func (s haircutService) UndoHaircut(ctx context.Context, m *musterv1.UndoHaircutRequest) (*musterv1.UndoHaircutResponse, error) {
	result, w, err := s.write(ctx, m, core.UndoHaircut{Name: m.GetName(), Cluster: m.GetCluster(), Overcommit: m.GetOvercommit()})
	if err != nil {
		return nil, s.withGainers(ctx, m, err)
	}
	out := &musterv1.UndoHaircutResponse{Written: w}
	record, err := s.original(ctx, result)
	for _, e := range record.Events {
		if e, ok := e.(event.HaircutUndone); ok {
			out.Cluster, out.Class = e.Cluster, string(e.Class)
		}
	}
	return out, err
}

// ExportHaircut is a plan as a spreadsheet or as CSV. A saved one is exported
// from the state that it was made from.
func (s haircutService) ExportHaircut(ctx context.Context, m *musterv1.ExportHaircutRequest) (*musterv1.ExportHaircutResponse, error) {
	ask, err := wire.ReadAsk(m.GetAsk())
	if err != nil {
		return nil, err
	}
	out := &musterv1.ExportHaircutResponse{}
	out.Seen, err = s.private(ctx, m.GetAsOf(), func(now *fleet.State, at fleet.Instant) (err error) {
		var saved *fleet.Haircut
		if m.GetName() != "" {
			if saved = now.Haircut(m.GetName()); saved == nil {
				return core.NoHaircut(now, m.GetName())
			}
			ask, at = haircut.Ask{Scope: saved.Scope, Basis: saved.Basis, Buffer: saved.Buffer}, saved.Made
			if now, err = s.engine.StateAt(ctx, saved.Made); err != nil {
				return err
			}
		}
		out.Content, err = export(m.GetFormat(), now, saved, ask, at)
		return err
	})
	return out, err
}

func export(format string, s *fleet.State, saved *fleet.Haircut, ask haircut.Ask, at fleet.Instant) ([]byte, error) {
	h, title := saved, "A haircut of "
	if h == nil {
		draft, refusal := core.DraftHaircut(s, ask, at)
		if refusal != nil {
			return nil, refusal
		}
		h = &draft
	} else {
		title = "Haircut " + h.Name + " of "
	}
	if format == "csv" {
		return sheet.CSV(h), nil
	}
	scope := ask.Scope
	if scope == "" {
		scope = "the fleet"
	}
	return sheet.XLSX(sheet.Of(title+scope+", as it was at "+at.Time().Format("2006-01-02 15:04 UTC"), s, ask, at))
}

// DeleteHaircut forgets a plan of which no wave is in force.
func (s haircutService) DeleteHaircut(ctx context.Context, m *musterv1.DeleteHaircutRequest) (*musterv1.DeleteHaircutResponse, error) {
	w, err := s.written(ctx, m, core.DeleteHaircut{Name: m.GetName()}, nil)
	return &musterv1.DeleteHaircutResponse{Written: w}, err
}
