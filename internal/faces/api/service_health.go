package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// SendSignals takes a batch of signals.
func (s healthService) SendSignals(ctx context.Context, m *musterv1.SendSignalsRequest) (*musterv1.SendSignalsResponse, error) {
	c, err := wire.ReadSignals(m)
	if err != nil {
		return nil, err
	}
	result, written, err := s.write(ctx, m, c)
	if err != nil {
		return nil, err
	}
	record, err := s.original(ctx, result)
	taken := signalsIn(record)
	return &musterv1.SendSignalsResponse{Written: written, Taken: int32(taken), Known: int32(len(m.GetSignals()) - taken)}, err
}

func signalsIn(r event.Record) int {
	n := 0
	for _, e := range r.Events {
		if taken, ok := e.(event.SignalsTaken); ok {
			for _, x := range taken.Sightings {
				n += len(x.Seen)
			}
		}
	}
	return n
}

// ListSignals lists what is remembered of nodes' signals.
func (s healthService) ListSignals(ctx context.Context, m *musterv1.ListSignalsRequest) (*musterv1.ListSignalsResponse, error) {
	out := &musterv1.ListSignalsResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		list, err := partitions(state, m.GetScope())
		if err != nil {
			return err
		}
		nodes := state.NodesNamed(m.GetNode())
		if m.GetNode() != "" && len(nodes) == 0 {
			return noNode(state, m.GetNode())
		}
		for _, p := range list {
			out.Conditions = append(out.Conditions, wire.Conditions(state, p, at, m, nodes)...)
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

func noNode(s *fleet.State, name string) error {
	return &core.Refusal{Code: core.NoSuchNode, Message: "no node is named " + clipped(name) + "; " + core.MeantNode(s, name)}
}

// oneNode is the full name of the one node that a name means.
func oneNode(s *fleet.State, name string) (string, error) {
	switch full := s.NodesNamed(name); len(full) {
	case 0:
		return "", noNode(s, name)
	case 1:
		return full[0], nil
	default:
		return "", &core.Refusal{Code: core.Ambiguous, Message: clipped(name) + " is a node of several clusters; say " + strings.Join(full, " or ")}
	}
}

func clipped(s string) string { return text.Clip(s, text.Quoted) }

// Health is the nodes of each partition by state and cause.
func (s healthService) Health(ctx context.Context, m *musterv1.HealthRequest) (*musterv1.HealthResponse, error) {
	out := &musterv1.HealthResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		list, err := partitions(state, m.GetScope())
		for _, p := range list {
			out.Partitions = append(out.Partitions, wire.PartitionHealth(view.HealthOf(state, p, at), callerOf(ctx).seesIn(p)))
			out.Banners = append(out.Banners, wire.PartitionBanners(p, callerOf(ctx).seesIn)...)
		}
		out.Hung, out.HungOthers = wire.HungWork(state, list, callerOf(ctx).reads(state), at)
		return err
	})
	out.Seen = seen
	return out, err
}

// NodeHealth is all that is remembered of one node's health.
func (s healthService) NodeHealth(ctx context.Context, m *musterv1.NodeHealthRequest) (*musterv1.NodeHealthResponse, error) {
	out := &musterv1.NodeHealthResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		name, err := oneNode(state, m.GetNode())
		if err != nil {
			return err
		}
		p, node := state.FindNode(name)
		out = wire.NodeHealth(state, p, p.Nodes[node], at)
		return nil
	})
	if err == nil {
		err = s.changesOf(ctx, m, out)
	}
	out.Seen = seen
	return out, err
}

// Lemons lists the nodes that fail far more often than the fleet.
func (s healthService) Lemons(ctx context.Context, m *musterv1.LemonsRequest) (*musterv1.LemonsResponse, error) {
	out := &musterv1.LemonsResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		policy := state.HealthPolicy().Lemon
		list, prior := health.Lemons(state, at)
		out.FleetRate, out.Factor = 1000*prior.Rate(), float64(policy.Factor)/1000
		out.Certainty, out.Window = wire.Share(policy.Certainty), durationpb.New(policy.Window)
		for _, l := range list {
			out.Lemons = append(out.Lemons, &musterv1.Lemon{
				Partition: l.Partition, Node: l.Node, Faults: int32(l.Record.Faults), Days: l.Record.Days,
				Rate: l.Rate, Certainty: l.Certainty, Evidence: wire.Faults(l.Faults),
			})
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// RecordValidation keeps a record of checks on a node.
func (s healthService) RecordValidation(ctx context.Context, m *musterv1.RecordValidationRequest) (*musterv1.RecordValidationResponse, error) {
	w, err := s.written(ctx, m, core.RecordValidation{Node: m.GetNode(), Passed: m.GetPassed(), Checks: m.GetChecks(), Note: m.GetNote()}, nil)
	return &musterv1.RecordValidationResponse{Written: w}, err
}

// ReleaseNodes gives nodes back to automation.
func (s healthService) ReleaseNodes(ctx context.Context, m *musterv1.ReleaseNodesRequest) (*musterv1.ReleaseNodesResponse, error) {
	w, err := s.written(ctx, m, core.ReleaseNodes{Names: m.GetNames()}, nil)
	if err == nil {
		kept := s.notReleased(m.GetNames())
		if len(kept) == 0 && slices.Contains(w.GetNotes(), wire.Unchanged) {
			kept = []string{"No person keeps the state of " + text.Few(m.GetNames(), mostConcerned) + "; muster describe node " + m.GetNames()[0] + " says what it is."}
		}
		w.Notes = append(w.Notes, kept...)
	}
	return &musterv1.ReleaseNodesResponse{Written: w}, err
}

// notReleased names the nodes that a maintenance keeps: releasing moves nothing there.
func (s healthService) notReleased(names []string) []string {
	var kept []string
	s.engine.Read(func(state *fleet.State) {
		for _, name := range names {
			for _, full := range state.NodesNamed(name) {
				if p, k := state.FindNode(full); p != nil && p.Nodes[k].StateOwner == fleet.ByMaintenance {
					kept = append(kept, full)
				}
			}
		}
	})
	if len(kept) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Nothing changes for %s: a maintenance keeps its nodes, and they stay out of service until muster node set NODE --state healthy (or validating, to check first) ends it.",
		words.Few(kept, 4))}
}

// ResetBreaker lets automation act again in a partition.
func (s healthService) ResetBreaker(ctx context.Context, m *musterv1.ResetBreakerRequest) (*musterv1.ResetBreakerResponse, error) {
	w, err := s.written(ctx, m, core.ResetBreaker{Partition: m.GetPartition()}, nil)
	return &musterv1.ResetBreakerResponse{Written: w}, err
}

// JudgeBurst says whether what many nodes say at once is real.
func (s healthService) JudgeBurst(ctx context.Context, m *musterv1.JudgeBurstRequest) (*musterv1.JudgeBurstResponse, error) {
	w, err := s.written(ctx, m, core.JudgeBurst{Partition: m.GetPartition(), Signature: m.GetSignature(), Real: m.GetReal()}, nil)
	return &musterv1.JudgeBurstResponse{Written: w}, err
}

// SetHealthPolicy changes what automation may do.
func (s healthService) SetHealthPolicy(ctx context.Context, m *musterv1.SetHealthPolicyRequest) (*musterv1.SetHealthPolicyResponse, error) {
	defer s.keepPolicy(ctx, m)()
	c, err := wire.ReadSetHealthPolicy(s.healthPolicyInForce(), m)
	w, err := s.written(ctx, m, c, err)
	return &musterv1.SetHealthPolicyResponse{Written: w}, err
}

func (s *service) healthPolicyInForce() (p fleet.HealthPolicy) {
	s.engine.Read(func(state *fleet.State) { p = *state.HealthPolicy() })
	return p
}

// MeasureUsage says what the GPUs of workloads are seen to do.
func (s healthService) MeasureUsage(ctx context.Context, m *musterv1.MeasureUsageRequest) (*musterv1.MeasureUsageResponse, error) {
	c := core.MeasureUsage{Of: make([]core.Measured, len(m.GetOf()))}
	for i, u := range m.GetOf() {
		c.Of[i] = core.Measured{
			Namespace: u.GetNamespace(), Name: u.GetName(), SM: fleet.PermilleOf(u.GetSm()), Tensor: fleet.Unmeasured, Network: fleet.Unmeasured,
		}
		if u.Tensor != nil {
			c.Of[i].Tensor = fleet.PermilleOf(u.GetTensor())
		}
		if u.Network != nil {
			c.Of[i].Network = fleet.PermilleOf(u.GetNetwork())
		}
	}
	w, err := s.written(ctx, m, c, nil)
	return &musterv1.MeasureUsageResponse{Written: w}, err
}
