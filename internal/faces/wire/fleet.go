package wire

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Fleet is the fleet's nodes, policies and open incidents.
func Fleet(s *fleet.State) *musterv1.GetFleetResponse {
	out := &musterv1.GetFleetResponse{
		Policy:    Policy(inForce(s.Policy)),
		Health:    HealthPolicy(*s.HealthPolicy()),
		Incidents: Incidents(s, false),
		Clusters:  make([]*musterv1.Cluster, len(s.Clusters)),
		Buffers:   make(map[string]*musterv1.Buffer, len(s.Buffers)),
	}
	for scope, b := range s.Buffers {
		out.Buffers[scope] = Buffer(b)
	}
	for i, c := range s.Clusters {
		out.Clusters[i] = &musterv1.Cluster{Name: c.Name, Mode: string(c.Mode), Stale: c.Stale, StaleSince: Instant(c.StaleSince), Targets: ownTargets(c)}
		for _, p := range s.Partitions {
			if p.Cluster == c.Name {
				out.Clusters[i].Partitions = append(out.Clusters[i].Partitions, partition(p))
			}
		}
	}
	return out
}

// inForce is a policy with the targets that count where it names none.
func inForce(p fleet.Policy) fleet.Policy {
	p.Targets = p.Targets.OrDefault()
	return p
}

func partition(p *fleet.Partition) *musterv1.Partition {
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

// Incidents lists the open incidents, the most severe first or, with closed, all that are
// remembered: the open ones before the others.
func Incidents(s *fleet.State, closed bool) []*musterv1.Incident {
	var list []*musterv1.Incident
	for _, i := range s.Incidents {
		if i.Closed != 0 && !closed {
			continue
		}
		list = append(list, &musterv1.Incident{
			Name: i.Name, Scope: i.Scope, Severity: i.Severity,
			Nodes:  append([]string(nil), i.Nodes...),
			Opened: Instant(i.Opened), Closed: Instant(i.Closed), Owner: i.Owner, Link: i.Link, Gpus: int32(IncidentGPUs(s, i)),
			Updates: updates(i.Updates), Reason: i.Reason,
		})
	}
	slices.SortStableFunc(list, func(a, b *musterv1.Incident) int {
		return cmp.Or(
			cmp.Compare(open(b), open(a)),
			cmp.Compare(cmp.Or(a.GetSeverity(), unsaid), cmp.Or(b.GetSeverity(), unsaid)),
		)
	})
	return list
}

// unsaid stands for the severity of an incident that has none: it comes after the others.
const unsaid = "~"

func open(i *musterv1.Incident) int {
	if i.GetClosed() == nil {
		return 1
	}
	return 0
}

// IncidentGPUs is the GPUs that an incident takes: of its nodes or, where it names none,
// of its scope, those that are not usable. One that is closed takes none.
func IncidentGPUs(s *fleet.State, i *fleet.Incident) int {
	gpus := 0
	if i.Closed != 0 {
		return 0
	}
	for _, p := range s.Partitions {
		if !i.Touches(p) {
			continue
		}
		named := map[string]bool{}
		for _, n := range i.Nodes {
			named[n] = true
		}
		for _, n := range p.Nodes {
			if n.State == fleet.Retired || len(named) > 0 && !named[n.Name] {
				continue
			}
			if len(named) == 0 && strings.Count(i.Scope, "/") == 2 && i.Scope != p.ID+"/"+p.Islands[n.Island].Name {
				continue
			}
			gpus += n.GPUs - n.UsableGPUs()
		}
	}
	return gpus
}

func updates(list []fleet.Update) []*musterv1.IncidentUpdate {
	out := make([]*musterv1.IncidentUpdate, len(list))
	for i, u := range list {
		out[i] = &musterv1.IncidentUpdate{At: Instant(u.At), Note: u.Note}
	}
	return out
}

// Policy is the policy of the fleet.
func Policy(p fleet.Policy) *musterv1.Policy {
	return &musterv1.Policy{
		Buffer:      Buffer(p.Buffer),
		Dwell:       durationpb.New(p.Dwell),
		Probation:   durationpb.New(p.Probation),
		StaleAfter:  durationpb.New(p.StaleAfter),
		FlexMinimum: durationpb.New(p.FlexMinimum),
		MaxGrace:    durationpb.New(p.MaxGrace),
		Targets:     Targets(p.Targets),
		Idle:        &musterv1.Idle{Threshold: Share(p.Idle.Threshold), Window: durationpb.New(p.Idle.Window)},

		SecondPerson: &p.SecondPerson,
		OpenReading:  &p.OpenReading,
		TwoPeople:    &musterv1.TwoPeople{For: p.TwoPeople.Names()},
		Maintenance:  maintenancePolicy(p.Maintenance),
	}
}

// maintenancePolicy is what planned work keeps to, or nil where it was never set.
func maintenancePolicy(p fleet.MaintenancePolicy) *musterv1.MaintenancePolicy {
	if p == (fleet.MaintenancePolicy{}) {
		return nil
	}
	return &musterv1.MaintenancePolicy{
		Horizon: durationpb.New(p.Horizon), Lead: durationpb.New(p.Lead),
		Validation: durationpb.New(p.Validation), KeepRoom: durationpb.New(p.KeepRoom),
		ZoneDays: proto.Int32(int32(p.ZoneDays)),
	}
}

// Buffer is a buffer policy. A fixed one has a share alone.
func Buffer(b fleet.Buffer) *musterv1.Buffer {
	m := &musterv1.Buffer{Kind: string(b.Kind), Share: Share(b.Share)}
	if b.Learns() {
		m.Confidence, m.Floor, m.Ceiling = proto.Float64(Share(b.Confidence)), proto.Float64(Share(b.Floor)), proto.Float64(Share(b.Ceiling))
	}
	return m
}

// BufferTold is the buffer policy that a message tells. ReadBuffer checks what people ask
// for; here nothing is refused, since the server may know more kinds than its client.
func BufferTold(m *musterv1.Buffer) fleet.Buffer {
	return fleet.Buffer{
		Kind: fleet.BufferKind(m.GetKind()), Share: fleet.PermilleOf(m.GetShare()),
		Confidence: fleet.PermilleOf(m.GetConfidence()), Floor: fleet.PermilleOf(m.GetFloor()), Ceiling: fleet.PermilleOf(m.GetCeiling()),
	}
}

// Targets is what a cluster should attain.
func Targets(t fleet.Targets) *musterv1.Targets {
	return &musterv1.Targets{Availability: Share(t.Availability), Uptime: Share(t.Uptime), Mttr: durationpb.New(t.MTTR)}
}

// ownTargets is a cluster's own targets, or nil.
func ownTargets(c *fleet.Cluster) *musterv1.Targets {
	if c.Targets == (fleet.Targets{}) {
		return nil
	}
	return Targets(c.Targets)
}
