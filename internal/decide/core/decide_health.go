package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Commands about health.
type (
	// TakeSignals takes what monitors, or people, say of nodes. It is taken whole or
	// not at all; what was said before is no news and changes nothing.
	TakeSignals struct{ Signals []fleet.Signal }
	// SetHealthPolicy sets what automation may do to nodes.
	SetHealthPolicy struct{ Policy fleet.HealthPolicy }
	// ResetBreaker lets automation act again in a partition. It needs a reason.
	ResetBreaker struct{ Partition string }
	// HaltPartition stops new decisions in a partition until its breaker is reset. Muster
	// gives it itself, where it has met a mistake of its own.
	HaltPartition struct{ Partition, Why string }
	// JudgeBurst says whether what many nodes say at once is real. It needs a reason.
	JudgeBurst struct {
		Partition, Signature string
		Real                 bool
	}
	// RecordValidation says that checks were run on a node. One that passed brings a
	// node that was out of service into probation.
	RecordValidation struct {
		Node   string
		Passed bool
		Checks []string // those that passed
		Note   string
	}
	// ReleaseNodes gives the states of nodes that a person keeps back to automation.
	ReleaseNodes struct{ Names []string }
)

func (TakeSignals) command()      {}
func (SetHealthPolicy) command()  {}
func (ResetBreaker) command()     {}
func (HaltPartition) command()    {}
func (JudgeBurst) command()       {}
func (RecordValidation) command() {}
func (ReleaseNodes) command()     {}

func takeSignals(s *fleet.State, c TakeSignals, now fleet.Instant) ([]event.Event, *Refusal) {
	g, err := health.Gather(s, c.Signals, now)
	switch {
	case err != nil:
		return nil, refuse(Invalid, "%v", err)
	case len(g.Sightings) == 0:
		return nil, nil
	}
	return one(event.SignalsTaken{Sightings: g.Sightings})
}

func setHealthPolicy(s *fleet.State, c SetHealthPolicy) ([]event.Event, *Refusal) {
	if err := c.Policy.Check(); err != nil {
		return nil, refuse(Invalid, "health policy: %v", err)
	}
	for _, r := range c.Policy.Rules {
		texts := slices.Concat([]string{r.Name}, r.Agents, r.Checks, r.Codes, r.Actions, r.Needs)
		if refusal := checkTexts("a rule", texts...); refusal != nil {
			return nil, refusal
		}
	}
	if s.HealthPolicy().Equal(c.Policy) {
		return nil, nil
	}
	return one(event.HealthPolicySet(c))
}

func resetBreaker(s *fleet.State, r Request, c ResetBreaker) ([]event.Event, *Refusal) {
	p := s.Partition(c.Partition)
	switch {
	case p == nil:
		return nil, NoPartition(s, c.Partition)
	case p.Health.Tripped == 0 && p.Health.Halted == "":
		return nil, refuse(NothingToDo, "the breaker of %s is closed; there is nothing to reset", c.Partition)
	}
	why := fmt.Sprintf("nothing is decided in %s: %s", c.Partition, p.Health.Halted)
	if p.Health.Halted == "" {
		why = fmt.Sprintf("automation stopped in %s because it wanted %s out at once", c.Partition, text.Count(p.Health.TrippedNodes, "node"))
	}
	if refusal := r.reasoned("%s; say why it may go on (--reason)", why); refusal != nil {
		return nil, refusal
	}
	return one(event.BreakerReset(c))
}

func haltPartition(s *fleet.State, c HaltPartition) ([]event.Event, *Refusal) {
	p := s.Partition(c.Partition)
	switch {
	case p == nil:
		return nil, NoPartition(s, c.Partition)
	case c.Why == "":
		return nil, refuse(ReasonNeeded, "decisions are halted only with a reason; say why (--reason)")
	case p.Health.Halted != "":
		return nil, refuse(NothingToDo, "decisions in %s are halted already: %s", c.Partition, p.Health.Halted)
	}
	return one(event.PartitionHalted(c))
}

func judgeBurst(s *fleet.State, r Request, c JudgeBurst) ([]event.Event, *Refusal) {
	p := s.Partition(c.Partition)
	if p == nil {
		return nil, NoPartition(s, c.Partition)
	}
	b := p.Health.Burst(c.Signature)
	if b == nil {
		return nil, refuse(NoSuchBurst, "there is no burst %q in %s", clip(c.Signature), c.Partition)
	}
	if refusal := r.reasoned("%q is on %s at once; say how you know what it is (--reason)", c.Signature, text.Count(b.Nodes, "node")); refusal != nil {
		return nil, refusal
	}
	if b.Real && c.Real {
		return nil, nil
	}
	return one(event.BurstJudged(c)) // a false alarm changes nothing; that an operator judged it is recorded
}

// recordValidation keeps a record of checks, and moves the node on by what they
// say: into probation, or back to quarantine.
func recordValidation(s *fleet.State, r Request, c RecordValidation, now fleet.Instant) ([]event.Event, *Refusal) {
	if refusal := checkTexts("a validation", append([]string{c.Note}, c.Checks...)...); refusal != nil {
		return nil, refusal
	}
	p, node := s.FindNode(c.Node)
	if p == nil {
		return nil, noNode(s, c.Node)
	}
	n := p.Nodes[node]
	if n.State == fleet.Retired {
		return nil, refuse(WrongState, "node %q is retired; nothing brings it back", c.Node)
	}
	needs := health.Needs(s, p, node, now)
	if missing := missing(needs, c.Checks); c.Passed && len(missing) > 0 {
		return nil, refuse(Invalid, "node %q needs %s before it returns; the record lacks %s",
			c.Node, strings.Join(needs, ", "), strings.Join(missing, ", "))
	}
	events := []event.Event{event.NodeValidated{Partition: p.ID, Node: c.Node, Passed: c.Passed, Checks: c.Checks, Note: c.Note}}
	to := afterValidation(n, c.Passed)
	if to == n.State || !mayMove(n, ownerOf(r.Actor)) {
		return events, nil
	}
	signal, owner := "validation passed", fleet.ByNobody
	if !c.Passed {
		signal, owner = "validation failed", ownerOf(r.Actor)
	}
	if c.Note != "" {
		signal += ": " + c.Note
	}
	events = append(events, lost(p, node, to, 0)...)
	return append(events, event.NodeChanged{Partition: p.ID, Node: c.Node, From: n.State, To: to, Signal: signal, Owner: owner}), nil
}

func missing(needs, checks []string) []string {
	return slices.DeleteFunc(slices.Clone(needs), func(need string) bool { return slices.Contains(checks, need) })
}

// afterValidation is where a node goes with a record. A node in service that
// passes stays where it is.
func afterValidation(n *fleet.Node, passed bool) fleet.NodeState {
	switch n.State {
	case fleet.Quarantined, fleet.Repairing, fleet.Validating, fleet.Degraded, fleet.Suspect:
		if passed {
			return fleet.Probation
		}
		return fleet.Quarantined
	case fleet.Healthy, fleet.Probation:
		if !passed {
			return fleet.Quarantined
		}
	case fleet.Maintenance, fleet.Retired: // they end otherwise
	}
	return n.State
}

// mayMove: what a person or a maintenance keeps, no machine moves.
func mayMove(n *fleet.Node, by fleet.StateOwner) bool {
	return by == fleet.ByOperator || n.StateOwner != fleet.ByOperator && n.StateOwner != fleet.ByMaintenance
}

func releaseNodes(s *fleet.State, c ReleaseNodes) ([]event.Event, *Refusal) {
	if len(c.Names) == 0 {
		return nil, refuse(Invalid, "no node is named")
	}
	var events []event.Event
	seen := map[string]bool{}
	for _, name := range c.Names {
		p, node := s.FindNode(name)
		if p == nil {
			return nil, noNode(s, name)
		}
		if n := p.Nodes[node]; n.StateOwner == fleet.ByOperator && !seen[name] {
			seen[name] = true
			events = append(events, event.NodeOwned{Partition: p.ID, Node: name, Owner: fleet.ByAutomatic})
		}
	}
	return events, nil
}

// ownerOf is who keeps a node's state if this actor sets it.
func ownerOf(a Actor) fleet.StateOwner {
	if a.Name == Reporter.Name || a.Name == System.Name {
		return fleet.ByCluster
	}
	return fleet.ByOperator
}

// keeps: a node in service has no owner, one in maintenance has that.
func keeps(state fleet.NodeState, owner fleet.StateOwner) fleet.StateOwner {
	switch state {
	case fleet.Healthy, fleet.Probation, fleet.Retired:
		return fleet.ByNobody
	case fleet.Maintenance:
		return fleet.ByMaintenance
	default:
		return owner
	}
}

// owned says that a person takes over a node that is in the wanted state already.
func owned(p *fleet.Partition, n *fleet.Node, owner fleet.StateOwner) []event.Event {
	if owner != fleet.ByOperator || keeps(n.State, owner) != owner || n.StateOwner == owner {
		return nil
	}
	return []event.Event{event.NodeOwned{Partition: p.ID, Node: n.Name, Owner: owner}}
}

// checkMoment refuses to change the past, or what has not come yet.
func checkMoment(at, now fleet.Instant) *Refusal {
	switch {
	case at == 0 || at <= now.Add(health.Skew) && at >= now.Add(-health.Skew):
		return nil
	case at > now:
		return refuse(Invalid, "%s is in the future; now is %s. What is planned is a maintenance", momentText(at), momentText(now))
	}
	return refuse(Invalid, "%s is in the past; now is %s. What happened is not changed afterwards: the change counts from now on, and its reason can say since when it was so",
		momentText(at), momentText(now))
}
