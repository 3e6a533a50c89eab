package api

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file turns messages about metal into commands.

func addCluster(m *musterv1.AddClusterRequest) core.Command {
	return core.AddCluster{Name: m.GetName(), Mode: fleet.Mode(m.GetMode())}
}

func addPartition(m *musterv1.AddPartitionRequest) core.Command {
	return core.AddPartition{Cluster: m.GetCluster(), GPU: m.GetGpu(), GPUsPerNode: int(m.GetGpusPerNode())}
}

func addIslands(m *musterv1.AddIslandsRequest) core.Command {
	c := core.AddIslands{Partition: m.GetPartition(), Islands: make([]core.NewIsland, len(m.GetIslands()))}
	for i, n := range m.GetIslands() {
		c.Islands[i] = core.NewIsland{Name: n.GetName(), Nodes: int(n.GetNodes()), Names: n.GetNames(), Racks: int(n.GetRacks())}
	}
	return c
}

func setNodes(m *musterv1.SetNodesRequest) (core.Command, error) {
	c := core.SetNodes{Names: m.GetNames(), State: fleet.NodeState(m.GetState()), Dead: int(m.GetDead()), Signal: m.GetSignal()}
	var err error
	if m.GetAt() != nil {
		c.At, err = instant("at", m.GetAt())
	}
	return c, err
}

func openIncident(m *musterv1.OpenIncidentRequest) core.Command {
	return core.OpenIncident{Name: m.GetName(), Scope: m.GetScope(), Severity: m.GetSeverity(), Nodes: m.GetNodes(), Owner: m.GetOwner(), Link: m.GetLink()}
}

func setBuffer(m *musterv1.SetBufferRequest) (core.Command, error) {
	b, err := buffer("buffer", m.GetBuffer())
	return core.SetBuffer{Scope: m.GetScope(), Buffer: b}, err
}

func buffer(field string, m *musterv1.Buffer) (b fleet.Buffer, err error) {
	b = fleet.Buffer{Kind: fleet.BufferKind(m.GetKind())}
	if b.Kind == "" {
		b.Kind = fleet.Fixed
	}
	if b.Learns() {
		b = fleet.Learning(b.Kind)
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
			*one.to, err = permille(field+"."+one.name, *one.says)
		}
	}
	if err != nil {
		return b, err
	}
	if flaw := b.Check(); flaw != nil {
		return b, wrong(field, "is no policy: %v", flaw)
	}
	return b, nil
}

// setPolicy lays what the message says over the policy in force.
func setPolicy(now fleet.Policy, m *musterv1.SetPolicyRequest) (core.SetPolicy, error) {
	var err error
	p := m.GetPolicy()
	if p.GetBuffer() != nil {
		if now.Buffer, err = buffer("policy.buffer", p.GetBuffer()); err != nil {
			return core.SetPolicy{}, err
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
	} {
		if d.says == nil {
			continue
		}
		if *d.to, err = duration(d.field, d.says); err != nil {
			return core.SetPolicy{}, err
		}
	}
	if now.Targets, err = setTargets("policy.targets", now.Targets, p.GetTargets()); err != nil {
		return core.SetPolicy{}, err
	}
	if p.GetIdle() != nil {
		now.Idle.Threshold, err = permille("policy.idle.threshold", p.GetIdle().GetThreshold())
	}
	if p.SecondPerson != nil { //nolint:protogetter // whether it is set matters
		now.SecondPerson = p.GetSecondPerson()
	}
	return core.SetPolicy{Policy: now}, err
}
