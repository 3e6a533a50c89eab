package server

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/config"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// compare holds a fleet, as the API tells it, against a fleet file.
func compare(f *musterv1.GetFleetResponse, quotas []*musterv1.Quota, file config.File) (cli.Comparison, error) {
	_, list := config.Diff(stateOf(f, quotas), file)
	var c cli.Comparison
	for _, d := range list {
		at := -1
		if d.Command != nil {
			change, err := changeOf(d.Command)
			if err != nil {
				return c, err
			}
			at = len(c.Changes)
			c.Changes = append(c.Changes, change)
		}
		c.Differences = append(c.Differences, cli.Difference{Kind: string(d.Kind), Text: d.Text, Line: d.Line, Change: at})
	}
	return c, nil
}

// stateOf is a state with what a fleet file can speak of, and no more.
func stateOf(f *musterv1.GetFleetResponse, quotas []*musterv1.Quota) *fleet.State {
	s := fleet.NewState()
	s.Policy = policyOf(f.GetPolicy())
	if h, err := api.HealthPolicyOver(fleet.DefaultHealth(), f.GetHealth()); f.GetHealth() != nil && err == nil {
		s.SetHealthPolicy(h)
	}
	for _, c := range f.GetClusters() {
		s.AddCluster(fleet.Cluster{Name: c.GetName(), Mode: fleet.Mode(c.GetMode()), Targets: fleetTargets(c.GetTargets())})
		for _, p := range c.GetPartitions() {
			s.AddPartition(c.GetName(), p.GetGpu(), int(p.GetGpusPerNode()))
			addIslands(s.Partition(p.GetId()), p.GetIslands())
		}
	}
	for _, q := range quotas {
		s.AddQuota(fleet.Quota{Path: q.GetPath(), Access: accessOf(q.GetAccess()), Owner: q.GetOwner()})
		for _, g := range q.GetGrants() {
			if p := s.Partition(g.GetPartition()); p != nil {
				p.SetGrant(q.GetPath(), int(g.GetAssigned()), int(g.GetGang()), overcommitted(g))
			}
		}
	}
	return s
}

func addIslands(p *fleet.Partition, islands []*musterv1.Island) {
	for _, i := range islands {
		p.AddIsland(i.GetName(), int(i.GetRacks()))
	}
	for _, i := range islands {
		at, _ := p.Island(i.GetName())
		for _, name := range i.GetNodes() {
			p.AddNode(name, at, 0, 0)
		}
	}
}

func overcommitted(g *musterv1.Grant) bool {
	for _, flag := range g.GetFlags() {
		if flag == "Overcommitted" {
			return true
		}
	}
	return false
}

func fleetTargets(t *musterv1.Targets) fleet.Targets {
	return fleet.Targets{
		Availability: fleet.PermilleOf(t.GetAvailability()), Uptime: fleet.PermilleOf(t.GetUptime()), MTTR: t.GetMttr().AsDuration(),
	}
}

func targetsMessage(t fleet.Targets) *musterv1.Targets {
	return &musterv1.Targets{Availability: t.Availability.Float(), Uptime: t.Uptime.Float(), Mttr: durationpb.New(t.MTTR)}
}

func policyOf(p *musterv1.Policy) fleet.Policy {
	return fleet.Policy{
		Buffer:      bufferOf(p.GetBuffer()),
		Dwell:       p.GetDwell().AsDuration(),
		Probation:   p.GetProbation().AsDuration(),
		StaleAfter:  p.GetStaleAfter().AsDuration(),
		FlexMinimum: p.GetFlexMinimum().AsDuration(),
		MaxGrace:    p.GetMaxGrace().AsDuration(),

		SecondPerson: p.GetSecondPerson(),
		Targets:      fleetTargets(p.GetTargets()),
		Idle:         fleet.Idle{Threshold: fleet.PermilleOf(p.GetIdle().GetThreshold()), Window: p.GetIdle().GetWindow().AsDuration()},
	}
}

func bufferOf(b *musterv1.Buffer) fleet.Buffer {
	return fleet.Buffer{
		Kind: fleet.BufferKind(b.GetKind()), Share: fleet.PermilleOf(b.GetShare()),
		Confidence: fleet.PermilleOf(b.GetConfidence()), Floor: fleet.PermilleOf(b.GetFloor()), Ceiling: fleet.PermilleOf(b.GetCeiling()),
	}
}

func bufferMessage(b fleet.Buffer) *musterv1.Buffer {
	m := &musterv1.Buffer{Kind: string(b.Kind), Share: b.Share.Float()}
	if b.Learns() {
		m.Confidence, m.Floor, m.Ceiling = proto.Float64(b.Confidence.Float()), proto.Float64(b.Floor.Float()), proto.Float64(b.Ceiling.Float())
	}
	return m
}

func accessOf(a *musterv1.Access) fleet.Access {
	return fleet.Access{Users: a.GetUsers(), Groups: a.GetGroups(), Namespaces: a.GetNamespaces()}
}

// changeOf is a command as the API takes it.
func changeOf(command core.Command) (*musterv1.Change, error) {
	switch c := command.(type) {
	case core.SetPolicy:
		return &musterv1.Change{Change: &musterv1.Change_SetPolicy{SetPolicy: &musterv1.SetPolicyRequest{Policy: policyMessage(c.Policy)}}}, nil
	case core.SetHealthPolicy:
		return &musterv1.Change{Change: &musterv1.Change_SetHealthPolicy{SetHealthPolicy: &musterv1.SetHealthPolicyRequest{Policy: api.HealthPolicyMessage(c.Policy)}}}, nil
	case core.AddCluster:
		return &musterv1.Change{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: c.Name, Mode: string(c.Mode)}}}, nil
	case core.SetTargets:
		return &musterv1.Change{Change: &musterv1.Change_SetTargets{SetTargets: &musterv1.SetTargetsRequest{Cluster: c.Cluster, Targets: targetsMessage(c.Targets)}}}, nil
	case core.AddPartition:
		return &musterv1.Change{Change: &musterv1.Change_AddPartition{AddPartition: &musterv1.AddPartitionRequest{
			Cluster: c.Cluster, Gpu: c.GPU, GpusPerNode: int32(c.GPUsPerNode),
		}}}, nil
	case core.AddIslands:
		return &musterv1.Change{Change: &musterv1.Change_AddIslands{AddIslands: islandsMessage(c)}}, nil
	case core.CreateQuota:
		return &musterv1.Change{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: c.Path, Access: accessMessage(c.Access), Owner: c.Owner}}}, nil
	case core.SetOwner:
		return &musterv1.Change{Change: &musterv1.Change_SetOwner{SetOwner: &musterv1.SetOwnerRequest{Path: c.Path, Owner: c.Owner}}}, nil
	case core.SetAccess:
		return &musterv1.Change{Change: &musterv1.Change_SetAccess{SetAccess: &musterv1.SetAccessRequest{Path: c.Path, Access: accessMessage(c.Access)}}}, nil
	case core.SetGrant:
		gang := int32(c.Gang)
		return &musterv1.Change{Change: &musterv1.Change_SetGrant{SetGrant: &musterv1.SetGrantRequest{
			Quota: c.Quota, Partition: c.Partition, Gpus: int32(c.GPUs), Gang: &gang, Overcommit: c.Overcommit,
		}}}, nil
	}
	return nil, fmt.Errorf("a fleet file leads to a %T, which cannot be sent; this is a mistake of Muster's", command)
}

func islandsMessage(c core.AddIslands) *musterv1.AddIslandsRequest {
	m := &musterv1.AddIslandsRequest{Partition: c.Partition}
	for _, i := range c.Islands {
		m.Islands = append(m.Islands, &musterv1.NewIsland{Name: i.Name, Nodes: int32(i.Nodes), Names: i.Names, Racks: int32(i.Racks)})
	}
	return m
}

func accessMessage(a fleet.Access) *musterv1.Access {
	return &musterv1.Access{Users: a.Users, Groups: a.Groups, Namespaces: a.Namespaces}
}

func policyMessage(p fleet.Policy) *musterv1.Policy {
	return &musterv1.Policy{
		Buffer:      bufferMessage(p.Buffer),
		Dwell:       durationpb.New(p.Dwell),
		Probation:   durationpb.New(p.Probation),
		StaleAfter:  durationpb.New(p.StaleAfter),
		FlexMinimum: durationpb.New(p.FlexMinimum),
		MaxGrace:    durationpb.New(p.MaxGrace),

		SecondPerson: &p.SecondPerson,
		Targets:      targetsMessage(p.Targets),
		Idle:         &musterv1.Idle{Threshold: float64(p.Idle.Threshold) / 1000, Window: durationpb.New(p.Idle.Window)},
	}
}
