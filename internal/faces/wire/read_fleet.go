package wire

import (
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadAddCluster reads the command that adds a cluster.
func ReadAddCluster(m *musterv1.AddClusterRequest) core.Command {
	return core.AddCluster{Name: m.GetName(), Mode: fleet.Mode(m.GetMode())}
}

// ReadAddPartition reads the command that adds a partition.
func ReadAddPartition(m *musterv1.AddPartitionRequest) core.Command {
	return core.AddPartition{Cluster: m.GetCluster(), GPU: m.GetGpu(), GPUsPerNode: int(m.GetGpusPerNode())}
}

// ReadAddIslands reads the command that adds islands or nodes.
func ReadAddIslands(m *musterv1.AddIslandsRequest) core.Command {
	c := core.AddIslands{Partition: m.GetPartition(), Islands: make([]core.NewIsland, len(m.GetIslands()))}
	for i, n := range m.GetIslands() {
		c.Islands[i] = core.NewIsland{Name: n.GetName(), Nodes: int(n.GetNodes()), Names: n.GetNames(), Racks: int(n.GetRacks())}
	}
	return c
}

// ReadSetNodes reads the command that puts nodes into a state.
func ReadSetNodes(m *musterv1.SetNodesRequest) (core.Command, error) {
	c := core.SetNodes{Names: m.GetNames(), State: fleet.NodeState(m.GetState()), Dead: int(m.GetDead()), Signal: m.GetSignal()}
	var err error
	if m.GetAt() != nil {
		c.At, err = ReadInstant("at", m.GetAt())
	}
	return c, err
}

// ReadOpenIncident reads the command that opens an incident.
func ReadOpenIncident(m *musterv1.OpenIncidentRequest) core.Command {
	return core.OpenIncident{Name: m.GetName(), Scope: m.GetScope(), Severity: m.GetSeverity(), Nodes: m.GetNodes(), Owner: m.GetOwner(), Link: m.GetLink()}
}

// ReadUpdateIncident reads the command that updates an incident; what the message leaves out stays as it is.
func ReadUpdateIncident(m *musterv1.UpdateIncidentRequest) core.Command {
	c := core.UpdateIncident{Name: m.GetName(), Scope: m.Scope, Severity: m.Severity, Owner: m.Owner, Link: m.Link, Note: m.GetNote()}
	if m.GetReplaceNodes() {
		nodes := m.GetNodes()
		c.Nodes = &nodes
	}
	return c
}

// ReadSetBuffer reads the command that sets the buffer policy of a scope, or takes it away.
func ReadSetBuffer(m *musterv1.SetBufferRequest) (core.Command, error) {
	if m.GetBuffer() == nil {
		return core.SetBuffer{Scope: m.GetScope()}, nil
	}
	b, err := ReadBuffer("buffer", m.GetBuffer())
	return core.SetBuffer{Scope: m.GetScope(), Buffer: b}, err
}

// ReadBuffer reads the buffer policy that stands in a field. A learning one begins with its defaults.
func ReadBuffer(field string, m *musterv1.Buffer) (b fleet.Buffer, err error) {
	b = fleet.Buffer{Kind: fleet.BufferKind(m.GetKind())}
	if b.Kind == "" {
		b.Kind = fleet.Fixed
	}
	if b.Learns() {
		b = fleet.DefaultBuffer(b.Kind)
	}
	for _, one := range []struct {
		name string
		says *float64
		to   *fleet.Permille
	}{
		{"share", &m.Share, &b.Share},
		{"confidence", m.Confidence, &b.Confidence},
		{"floor", m.Floor, &b.Floor},
		{"ceiling", m.Ceiling, &b.Ceiling},
	} {
		if one.says != nil && err == nil {
			*one.to, err = readPermille(field+"."+one.name, *one.says)
		}
	}
	if err != nil {
		return b, err
	}
	if flaw := b.Check(); flaw != nil {
		return b, Wrong(field, "is no policy: %v", flaw)
	}
	return b, nil
}

// ReadSetPolicy lays what the message says over the policy in force.
func ReadSetPolicy(now fleet.Policy, m *musterv1.SetPolicyRequest) (core.SetPolicy, error) {
	p, err := readPolicy(now, m.GetPolicy())
	if err != nil {
		return core.SetPolicy{}, err
	}
	return core.SetPolicy{Policy: p}, nil
}

// readPolicy lays what a message names over a policy.
func readPolicy(now fleet.Policy, p *musterv1.Policy) (fleet.Policy, error) {
	var err error
	if p.GetBuffer() != nil {
		if now.Buffer, err = ReadBuffer("policy.buffer", p.GetBuffer()); err != nil {
			return now, err
		}
	}
	if m := p.GetMaintenance(); m != nil {
		now.Maintenance = now.Maintenance.OrDefault()
		if m.ZoneDays != nil { //nolint:protogetter // whether it is set matters
			now.Maintenance.ZoneDays = int(m.GetZoneDays())
		}
	}
	for _, d := range []struct {
		field string
		says  *durationpb.Duration
		to    *time.Duration
	}{
		{"policy.dwell", p.GetDwell(), &now.Dwell},
		{"policy.probation", p.GetProbation(), &now.Probation},
		{"policy.stale_after", p.GetStaleAfter(), &now.StaleAfter},
		{"policy.flex_minimum", p.GetFlexMinimum(), &now.FlexMinimum},
		{"policy.max_grace", p.GetMaxGrace(), &now.MaxGrace},
		{"policy.idle.window", p.GetIdle().GetWindow(), &now.Idle.Window},
		{"policy.maintenance.horizon", p.GetMaintenance().GetHorizon(), &now.Maintenance.Horizon},
		{"policy.maintenance.lead", p.GetMaintenance().GetLead(), &now.Maintenance.Lead},
		{"policy.maintenance.validation", p.GetMaintenance().GetValidation(), &now.Maintenance.Validation},
		{"policy.maintenance.keep_room", p.GetMaintenance().GetKeepRoom(), &now.Maintenance.KeepRoom},
	} {
		if d.says == nil {
			continue
		}
		if *d.to, err = ReadDuration(d.field, d.says); err != nil {
			return now, err
		}
	}
	if now.Targets, err = readTargets("policy.targets", now.Targets, p.GetTargets()); err != nil {
		return now, err
	}
	if p.GetIdle() != nil {
		now.Idle.Threshold, err = readPermille("policy.idle.threshold", p.GetIdle().GetThreshold())
	}
	if p != nil && p.SecondPerson != nil { //nolint:protogetter // whether it is set matters
		now.SecondPerson = p.GetSecondPerson()
	}
	if p != nil && p.OpenReading != nil { //nolint:protogetter // as above
		now.OpenReading = p.GetOpenReading()
	}
	if p.GetTwoPeople() != nil {
		var known bool
		if now.TwoPeople, known = fleet.ReadTwoPeople(p.GetTwoPeople().GetFor()); !known {
			return now, Wrong("policy.two_people", "names something else than %s", strings.Join(fleet.TwoPeopleFor(), ", "))
		}
	}
	return now, err
}

// ReadSetTargets reads the command that gives a cluster its own targets.
func ReadSetTargets(m *musterv1.SetTargetsRequest) (core.Command, error) {
	t, err := readTargets("targets", fleet.Targets{}, m.GetTargets())
	return core.SetTargets{Cluster: m.GetCluster(), Targets: t}, err
}

// readTargets lays what the message in a field says over the targets in force.
func readTargets(field string, now fleet.Targets, m *musterv1.Targets) (fleet.Targets, error) {
	for _, s := range []struct {
		field string
		says  float64
		to    *fleet.Permille
	}{
		{field + ".availability", m.GetAvailability(), &now.Availability},
		{field + ".uptime", m.GetUptime(), &now.Uptime},
	} {
		p, err := readPermille(s.field, s.says)
		if err != nil {
			return now, err
		}
		if p != 0 {
			*s.to = p
		}
	}
	mttr, err := ReadDuration(field+".mttr", m.GetMttr())
	if err == nil && mttr != 0 {
		now.MTTR = mttr
	}
	return now, err
}
