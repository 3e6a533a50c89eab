package api

import (
	"context"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// HaircutMessages are the messages for the people concerned.
func (s haircutService) HaircutMessages(ctx context.Context, m *musterv1.HaircutMessagesRequest) (*musterv1.HaircutMessagesResponse, error) {
	out := &musterv1.HaircutMessagesResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		h := state.Haircut(m.GetName())
		if h == nil {
			return core.NoHaircut(state, m.GetName())
		}
		for _, l := range view.LettersNow(state, h, planNames{state, callerOf(ctx)}.name) {
			out.Messages = append(out.Messages, &musterv1.HaircutMessage{
				Owner: l.Owner, Quotas: l.Quotas, Subject: l.Subject, Text: l.Text, Markdown: l.Markdown,
			})
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// ClusterReady lists what a cluster still lacks before a wave may take it.
func (s haircutService) ClusterReady(ctx context.Context, m *musterv1.ClusterReadyRequest) (*musterv1.ClusterReadyResponse, error) {
	out := &musterv1.ClusterReadyResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		c := state.Cluster(m.GetCluster())
		if c == nil {
			return core.NoCluster(state, m.GetCluster())
		}
		h := state.Haircut(m.GetHaircut())
		if m.GetHaircut() != "" && h == nil {
			return core.NoHaircut(state, m.GetHaircut())
		}
		if h == nil {
			h = newestFor(state, c.Name)
		}
		if h != nil {
			out.Haircut = h.Name
		}
		out.Mode = string(c.Mode)
		for _, item := range haircut.Ready(state, c.Name, h) {
			out.Items = append(out.Items, &musterv1.ReadyItem{Name: item.Name, Missing: planNames{state, callerOf(ctx)}.texts(item.Missing)})
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// newestFor is the newest plan with a wave for a cluster that was never applied.
func newestFor(s *fleet.State, cluster string) (newest *fleet.Haircut) {
	for _, h := range s.Haircuts {
		if slices.ContainsFunc(h.WavesOf(cluster), func(i int) bool { return h.Waves[i].Applied == 0 }) {
			newest = h
		}
	}
	return newest
}

// SetClusterMode sets how far Muster acts on a cluster.
func (s haircutService) SetClusterMode(ctx context.Context, m *musterv1.SetClusterModeRequest) (*musterv1.SetClusterModeResponse, error) {
	w, err := s.written(ctx, m, core.SetMode{Cluster: m.GetCluster(), Mode: fleet.Mode(m.GetMode())}, nil)
	return &musterv1.SetClusterModeResponse{Written: w}, err
}

// shadowShown are decisions without those about work that the caller may not read, as the log shows them.
func shadowShown(s *fleet.State, c *caller, events []event.Event) []event.Event {
	full := c.readsAll() || c.may(access.ReadPlans)
	return slices.DeleteFunc(events, func(e event.Event) bool { return !c.hears(s, e, full) })
}

// ShadowDecisions are what would be decided in a cluster now.
func (s haircutService) ShadowDecisions(ctx context.Context, m *musterv1.ShadowDecisionsRequest) (*musterv1.ShadowDecisionsResponse, error) {
	out := &musterv1.ShadowDecisionsResponse{}
	seen, err := s.private(ctx, nil, func(copied *fleet.State, at fleet.Instant) error {
		c := copied.Cluster(m.GetCluster())
		if c == nil {
			return core.NoCluster(copied, m.GetCluster())
		}
		out.Mode = string(c.Mode)
		var err error
		out.Events, err = wire.Events(shadowShown(copied, callerOf(ctx), core.ShadowOf(copied, m.GetCluster(), at)))
		return err
	})
	out.Seen = seen
	return out, err
}
