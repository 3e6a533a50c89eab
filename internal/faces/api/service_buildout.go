package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/run/provision/gitcheckin"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// AddBlueprint adds a version of a blueprint.
func (s buildoutService) AddBlueprint(ctx context.Context, m *musterv1.AddBlueprintRequest) (*musterv1.AddBlueprintResponse, error) {
	b, err := wire.ReadBlueprint(m.GetBlueprint())
	w, err := s.written(ctx, m, core.AddBlueprint{Blueprint: b}, err)
	return &musterv1.AddBlueprintResponse{Written: w}, err
}

// ListBlueprints lists every version of every blueprint.
func (s buildoutService) ListBlueprints(ctx context.Context, m *musterv1.ListBlueprintsRequest) (*musterv1.ListBlueprintsResponse, error) {
	out := &musterv1.ListBlueprintsResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		for _, b := range state.Blueprints {
			out.Blueprints = append(out.Blueprints, wire.Blueprint(b))
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// PlanCluster enters the record of a cluster.
func (s buildoutService) PlanCluster(ctx context.Context, m *musterv1.PlanClusterRequest) (*musterv1.PlanClusterResponse, error) {
	r, err := wire.ReadRecord(m.GetRecord())
	w, err := s.written(ctx, m, core.PlanCluster{Record: r}, err)
	return &musterv1.PlanClusterResponse{Written: w}, err
}

// ChangeCluster changes what is wanted of a cluster.
func (s buildoutService) ChangeCluster(ctx context.Context, m *musterv1.ChangeClusterRequest) (*musterv1.ChangeClusterResponse, error) {
	r, err := wire.ReadRecord(m.GetRecord())
	w, err := s.written(ctx, m, core.ChangeCluster{Record: r, Version: int(m.GetBlueprintVersion())}, err)
	return &musterv1.ChangeClusterResponse{Written: w}, err
}

// SteerCluster is what a person does for a cluster, or to it.
func (s buildoutService) SteerCluster(ctx context.Context, m *musterv1.SteerClusterRequest) (*musterv1.SteerClusterResponse, error) {
	var c core.Command = core.SteerCluster{Cluster: m.GetCluster(), Do: core.Steer(m.GetDo()), Step: fleet.Step(m.GetStep()), Confirm: m.GetWith()}
	var err error
	if m.GetDo() == "checkin" {
		c, err = s.checkin(ctx, m)
	}
	w, err := s.written(ctx, m, c, err)
	return &musterv1.SteerClusterResponse{Written: w}, err
}

// ListClusters lists the clusters that are built.
func (s buildoutService) ListClusters(ctx context.Context, m *musterv1.ListClustersRequest) (*musterv1.ListClustersResponse, error) {
	out := &musterv1.ListClustersResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		for _, c := range clusterlife.All(state, at) {
			out.Clusters = append(out.Clusters, wire.ClusterLife(&c))
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// GetCluster is one cluster's life.
func (s buildoutService) GetCluster(ctx context.Context, m *musterv1.GetClusterRequest) (*musterv1.GetClusterResponse, error) {
	out := &musterv1.GetClusterResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		l := state.Life(m.GetCluster())
		if l == nil {
			return &core.Refusal{Code: core.NoSuchCluster, Message: "no cluster of that name is planned or was built here; muster cluster list lists them"}
		}
		c := clusterlife.Of(state, l, at)
		out.Cluster, out.Conditions, out.Steps = wire.ClusterLife(&c), wire.ClusterConditions(&c), wire.ClusterSteps(l)
		out.Touches, out.Meters = wire.ClusterTouches(l), wire.MeterClaims(&c.Claim)
		var err error
		out.Files, err = checkinFiles(&c)
		return err
	})
	out.Seen = seen
	return out, err
}

// CloudQuota is the ledger.
func (s buildoutService) CloudQuota(ctx context.Context, m *musterv1.CloudQuotaRequest) (*musterv1.CloudQuotaResponse, error) {
	out := &musterv1.CloudQuotaResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		for _, g := range clusterlife.Ledgers(state, at) {
			out.Accounts = append(out.Accounts, wire.CloudLedger(&g, state.CloudAccount(g.Account)))
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// checkinFiles are what the check-in of a cluster puts on the branch that counts.
func checkinFiles(c *clusterlife.Cluster) ([]*musterv1.CheckinFile, error) {
	if c.Blueprint == nil || c.Blueprint.Checkin == fleet.CheckinInventory {
		return nil, nil
	}
	text, err := gitcheckin.Render(c.Life.Record)
	if err != nil {
		return nil, err
	}
	at := (&gitcheckin.Checkin{}).File(c.Life.Record.Name)
	return []*musterv1.CheckinFile{{Path: at, Text: string(text)}}, nil
}
