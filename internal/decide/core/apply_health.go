package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func applyHealth(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.SignalsTaken:
		s.See(e.Sightings, at)
	case event.HealthPolicySet:
		s.SetHealthPolicy(e.Policy)
	case event.FitObserved:
		applyFit(s.Partition(e.Partition), e)
	case event.BreakerTripped:
		s.Partition(e.Partition).Trip(e.Nodes, at)
	case event.BreakerReset:
		s.Partition(e.Partition).ResetBreaker(at)
	case event.PartitionHalted:
		s.Partition(e.Partition).Health.Halted = e.Why
	case event.BurstAccused:
		s.Partition(e.Partition).SetBurst(e.Burst)
	case event.BurstJudged:
		p := s.Partition(e.Partition)
		b := *p.Health.Burst(e.Signature)
		b.Real, b.Judged = e.Real, at
		p.SetBurst(b)
	case event.WarningAcknowledged:
		s.Acknowledge(e.Acknowledgement, at)
	case event.BurstOver:
		s.Partition(e.Partition).EndBurst(e.Signature)
	case event.NodeOwned:
		p := s.Partition(e.Partition)
		node, _ := p.Node(e.Node)
		p.Own(node, e.Owner)
	case event.NodeValidated:
		p := s.Partition(e.Partition)
		node, _ := p.Node(e.Node)
		p.Validated(node, fleet.Validation{At: at, Passed: e.Passed, Checks: e.Checks, Note: e.Note})
	case event.FailureExplained:
		s.Explain(s.Workloads[e.Workload], e.Cause, e.Evidence)
	case event.IncidentUpdated:
		updateNamed(s, e, at)
	default:
		return false
	}
	return true
}
