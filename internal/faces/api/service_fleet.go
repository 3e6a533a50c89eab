package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// AddCluster adds a cluster.
func (s fleetService) AddCluster(ctx context.Context, m *musterv1.AddClusterRequest) (*musterv1.AddClusterResponse, error) {
	w, err := s.written(ctx, m, wire.ReadAddCluster(m), nil)
	return &musterv1.AddClusterResponse{Written: w}, err
}

// AddPartition adds a partition without nodes to a cluster.
func (s fleetService) AddPartition(ctx context.Context, m *musterv1.AddPartitionRequest) (*musterv1.AddPartitionResponse, error) {
	w, err := s.written(ctx, m, wire.ReadAddPartition(m), nil)
	return &musterv1.AddPartitionResponse{Written: w}, err
}

// AddIslands adds islands, or nodes to islands.
func (s fleetService) AddIslands(ctx context.Context, m *musterv1.AddIslandsRequest) (*musterv1.AddIslandsResponse, error) {
	w, err := s.written(ctx, m, wire.ReadAddIslands(m), nil)
	return &musterv1.AddIslandsResponse{Written: w}, err
}

// SetPolicy changes the fleet's policy.
func (s fleetService) SetPolicy(ctx context.Context, m *musterv1.SetPolicyRequest) (*musterv1.SetPolicyResponse, error) {
	defer s.keepPolicy(ctx, m)()
	c, err := wire.ReadSetPolicy(s.policyInForce(), m)
	w, err := s.written(ctx, m, c, err)
	return &musterv1.SetPolicyResponse{Written: w}, err
}

// SetBuffer sets the buffer policy of a narrower scope.
func (s fleetService) SetBuffer(ctx context.Context, m *musterv1.SetBufferRequest) (*musterv1.SetBufferResponse, error) {
	c, err := wire.ReadSetBuffer(m)
	w, err := s.written(ctx, m, c, err)
	return &musterv1.SetBufferResponse{Written: w}, err
}

// SetTargets gives a cluster targets of its own.
func (s fleetService) SetTargets(ctx context.Context, m *musterv1.SetTargetsRequest) (*musterv1.SetTargetsResponse, error) {
	c, err := wire.ReadSetTargets(m)
	w, err := s.written(ctx, m, c, err)
	return &musterv1.SetTargetsResponse{Written: w}, err
}

// SetNodes puts nodes into a state.
func (s fleetService) SetNodes(ctx context.Context, m *musterv1.SetNodesRequest) (*musterv1.SetNodesResponse, error) {
	c, err := wire.ReadSetNodes(m)
	if err != nil {
		return &musterv1.SetNodesResponse{}, err
	}
	result, w, err := s.write(ctx, m, c)
	if err == nil && !result.Repeat && w.GetProposal() == 0 {
		w.Notes = append(w.Notes, s.soAlready(m, result.Record.Events)...)
	}
	return &musterv1.SetNodesResponse{Written: w}, err
}

// OpenIncident opens a sev.
func (s fleetService) OpenIncident(ctx context.Context, m *musterv1.OpenIncidentRequest) (*musterv1.OpenIncidentResponse, error) {
	w, err := s.written(ctx, m, wire.ReadOpenIncident(m), nil)
	s.noteInService(w, m.GetNodes())
	return &musterv1.OpenIncidentResponse{Written: w}, err
}

// UpdateIncident says what is known of a sev now.
func (s fleetService) UpdateIncident(ctx context.Context, m *musterv1.UpdateIncidentRequest) (*musterv1.UpdateIncidentResponse, error) {
	w, err := s.written(ctx, m, wire.ReadUpdateIncident(m), nil)
	s.noteInService(w, m.GetNodes())
	return &musterv1.UpdateIncidentResponse{Written: w}, err
}

// CloseIncident closes a sev.
func (s fleetService) CloseIncident(ctx context.Context, m *musterv1.CloseIncidentRequest) (*musterv1.CloseIncidentResponse, error) {
	w, err := s.written(ctx, m, core.CloseIncident{Name: m.GetName()}, nil)
	return &musterv1.CloseIncidentResponse{Written: w}, err
}

// Apply does several changes together or not at all.
func (s fleetService) Apply(ctx context.Context, m *musterv1.ApplyRequest) (*musterv1.ApplyResponse, error) {
	defer s.keepPolicy(ctx, m)()
	b := wire.Batch{Policy: s.policyInForce(), Health: s.healthPolicyInForce()}
	c, err := b.Commands(m.GetChanges())
	w, err := s.written(ctx, m, c, err)
	return &musterv1.ApplyResponse{Written: w}, err
}

// keepPolicy keeps others from changing the policy until over is called, for what is said lies over what is in force. Who may not
// change it themselves, or only tries, holds up no operator.
func (s *service) keepPolicy(ctx context.Context, m writeMessage) (over func()) {
	c := callerOf(ctx)
	if m.GetWrite().GetDryRun() || !c.may(access.SetPolicy) && !c.may(access.SetHealth) {
		return func() {}
	}
	s.policy.Lock()
	return s.policy.Unlock
}

func (s *service) policyInForce() (p fleet.Policy) {
	s.engine.Read(func(state *fleet.State) { p = state.Policy })
	return p
}

// GetFleet describes the fleet.
func (s fleetService) GetFleet(ctx context.Context, m *musterv1.GetFleetRequest) (*musterv1.GetFleetResponse, error) {
	out := &musterv1.GetFleetResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		out = wire.Fleet(state)
		return nil
	})
	out.Seen = seen
	return out, err
}

// ListIncidents lists sevs.
func (s fleetService) ListIncidents(ctx context.Context, m *musterv1.ListIncidentsRequest) (*musterv1.ListIncidentsResponse, error) {
	out := &musterv1.ListIncidentsResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		out.Incidents = wire.Incidents(state, m.GetClosed())
		return nil
	})
	out.Seen = seen
	return out, err
}
