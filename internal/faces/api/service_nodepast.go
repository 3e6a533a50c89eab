package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// NodeHistory lists nodes, those that failed most often in the window first. What
// they are is of the state at the window's end, what they were of the book. Where only
// troubled nodes are asked for, or those in some states, no others are looked at.
func (s pastService) NodeHistory(ctx context.Context, m *musterv1.NodeHistoryRequest) (*musterv1.NodeHistoryResponse, error) {
	out := &musterv1.NodeHistoryResponse{}
	if err := s.knownNow(named(knownScope, m.GetScope())); err != nil {
		return nil, err
	}
	names, err := s.nodesIn(ctx, m)
	if err != nil {
		return nil, err
	}
	var list []past.Node
	seen, err := s.ask(ctx, m, quarter, func(b *past.Book, w past.Window, now int64) {
		out.Window = wire.Window(w)
		failed := m.GetTroubled() && in(fleet.Healthy, m.GetStates())
		list = b.HistoryOf(names, failed, m.GetScope(), w, now)
	})
	if err != nil {
		return nil, err
	}
	out.Seen = seen
	_, err = s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		for _, n := range list {
			if p, at := state.FindNode(n.Node); p != nil && wantsPast(m, n, p.Nodes[at]) {
				out.Nodes = append(out.Nodes, wire.NodePast(n, p.Nodes[at]))
			}
		}
		return nil
	})
	return out, err
}

// nodesIn names the nodes that a question is about by what they are.
func (s pastService) nodesIn(ctx context.Context, m *musterv1.NodeHistoryRequest) (names []string, err error) {
	_, err = s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		for _, p := range state.Partitions {
			for _, n := range p.Nodes {
				if in(n.State, m.GetStates()) && !(m.GetTroubled() && n.State == fleet.Healthy) {
					names = append(names, n.Name)
				}
			}
		}
		return nil
	})
	return names, err
}

func wantsPast(m *musterv1.NodeHistoryRequest, n past.Node, is *fleet.Node) bool {
	return in(is.State, m.GetStates()) && !(m.GetTroubled() && n.Failures == 0 && is.State == fleet.Healthy)
}
