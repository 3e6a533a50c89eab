package api

import (
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file describes the fleet's metal in messages.

func fleetOf(s *fleet.State) *musterv1.GetFleetResponse {
	out := &musterv1.GetFleetResponse{
		Policy:    policyOf(s.Policy),
		Health:    HealthPolicyMessage(*s.HealthPolicy()),
		Incidents: incidentsOf(s, false),
		Clusters:  make([]*musterv1.Cluster, len(s.Clusters)),
		Buffers:   make(map[string]*musterv1.Buffer, len(s.Buffers)),
	}
	for scope, b := range s.Buffers {
		out.Buffers[scope] = bufferOf(b)
	}
	for i, c := range s.Clusters {
		out.Clusters[i] = &musterv1.Cluster{Name: c.Name, Mode: string(c.Mode), Stale: c.Stale, StaleSince: timestamp(c.StaleSince), Targets: ownTargetsOf(c)}
		for _, p := range s.Partitions {
			if p.Cluster == c.Name {
				out.Clusters[i].Partitions = append(out.Clusters[i].Partitions, partitionOf(p))
			}
		}
	}
	return out
}

func partitionOf(p *fleet.Partition) *musterv1.Partition {
	out := &musterv1.Partition{Id: p.ID, Gpu: p.GPU, GpusPerNode: int32(p.GPUsPerNode), Islands: make([]*musterv1.Island, len(p.Islands))}
	for i, island := range p.Islands {
		names := make([]string, len(island.Nodes()))
		for k, n := range island.Nodes() {
			names[k] = p.Nodes[n].Name
		}
		out.Islands[i] = &musterv1.Island{Name: island.Name, Racks: int32(island.Racks), Nodes: names}
	}
	return out
}

func incidentsOf(s *fleet.State, closed bool) []*musterv1.Incident {
	var list []*musterv1.Incident
	for _, i := range s.Incidents {
		if i.Closed != 0 && !closed {
			continue
		}
		list = append(list, &musterv1.Incident{
			Name: i.Name, Scope: i.Scope, Severity: i.Severity,
			Nodes:  append([]string(nil), i.Nodes...),
			Opened: timestamp(i.Opened), Closed: timestamp(i.Closed), Owner: i.Owner, Link: i.Link, Gpus: int32(taken(s, i)),
			Updates: updatesOf(i.Updates),
		})
	}
	return list
}

func updatesOf(list []fleet.Update) []*musterv1.IncidentUpdate {
	out := make([]*musterv1.IncidentUpdate, len(list))
	for i, u := range list {
		out[i] = &musterv1.IncidentUpdate{At: timestamp(u.At), Note: u.Note}
	}
	return out
}

func policyOf(p fleet.Policy) *musterv1.Policy {
	return &musterv1.Policy{
		Buffer:      bufferOf(p.Buffer),
		Dwell:       durationpb.New(p.Dwell),
		Probation:   durationpb.New(p.Probation),
		StaleAfter:  durationpb.New(p.StaleAfter),
		FlexMinimum: durationpb.New(p.FlexMinimum),
		MaxGrace:    durationpb.New(p.MaxGrace),
		Targets:     targetsOf(p.Targets.OrDefault()),
		Idle:        &musterv1.Idle{Threshold: share(p.Idle.Threshold), Window: durationpb.New(p.Idle.Window)},

		SecondPerson: &p.SecondPerson,
	}
}

func bufferOf(b fleet.Buffer) *musterv1.Buffer {
	m := &musterv1.Buffer{Kind: string(b.Kind), Share: share(b.Share)}
	if b.Learns() {
		m.Confidence, m.Floor, m.Ceiling = proto.Float64(share(b.Confidence)), proto.Float64(share(b.Floor)), proto.Float64(share(b.Ceiling))
	}
	return m
}

func share(p fleet.Permille) float64 { return float64(p) / 1000 }

// length is a duration as a message; none for 0.
func length(d time.Duration) *durationpb.Duration {
	if d == 0 {
		return nil
	}
	return durationpb.New(d)
}
