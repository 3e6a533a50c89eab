package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// reportVisit takes what an executor says of a visit. Said twice, it is once: a visit that is over, or
// another one, is not concerned.
func reportVisit(s *fleet.State, _ Request, c ReportVisit, now fleet.Instant) ([]event.Event, *Refusal) {
	if refusal := checkTexts("a visit's report", c.Why); refusal != nil {
		return nil, refusal
	}
	p, node := findNode(s, c.Node)
	if p == nil {
		return nil, noNode(s, c.Node)
	}
	v := p.Nodes[node].Visit
	switch {
	case c.Outcome != Worked && c.Outcome != Passed && c.Outcome != Failed:
		return nil, refuse(Invalid, "a visit %s, %s or %s; %q is none of these", Worked, Passed, Failed, clip(c.Outcome))
	case v == nil || v.State.Ended() || c.Key != 0 && v.Key != c.Key:
		if c.Key != 0 {
			return nil, nil
		}
		return nil, refuse(WrongState, "node %q is not being visited", c.Node)
	case v.State == fleet.VisitDraining:
		return nil, refuse(WrongState, "work is still leaving node %q; its visit has not begun to work", c.Node)
	}
	return concluded(p, node, *v, c, now), nil
}

// concluded is what follows from a report. An executor that says passed while the node was seen
// to run something else has failed.
func concluded(p *fleet.Partition, node int, v fleet.Visit, c ReportVisit, now fleet.Instant) []event.Event {
	if c.Outcome != Failed && c.Runs != nil && !c.Runs.Has(v.Brings) {
		c.Outcome, c.Why = Failed, "the executor says it is done, and the node runs "+c.Runs.String()+", not "+fleet.Runs(nil).With(v.Brings...).String()
	}
	v.Since = now
	switch {
	case c.Outcome == Worked && v.Checks > 0:
		if v.State == fleet.VisitChecking {
			return nil
		}
		v.State = fleet.VisitChecking
		return []event.Event{event.VisitMoved{Partition: p.ID, Node: v.Node, Visit: v}}
	case c.Outcome == Failed:
		v.State, v.Why = fleet.VisitFailed, c.Why
	default:
		v.State = fleet.VisitDone
	}
	return append(comesBack(p, node, v, now), event.VisitMoved{Partition: p.ID, Node: v.Node, Visit: v})
}

// comesBack is what becomes of the node: a passed validation on record brings it back at once, a canary
// into the probation of its soak; a failure quarantines it.
func comesBack(p *fleet.Partition, node int, v fleet.Visit, now fleet.Instant) []event.Event {
	n, passed := p.Nodes[node], v.State == fleet.VisitDone
	events := []event.Event{event.NodeValidated{Partition: p.ID, Node: n.Name, Passed: passed, Checks: []string{"update"}, Note: v.Why}}
	to := event.NodeChanged{Partition: p.ID, Node: n.Name, From: n.State, To: fleet.Healthy, Signal: "maintenance over", Planned: true}
	switch {
	case !passed:
		to.To, to.Planned, to.Signal = fleet.Quarantined, false, "update failed"
		if v.Why != "" {
			to.Signal += ": " + v.Why
		}
	case v.Out || v.Quiet():
		return events
	case v.Degraded.Dead > 0:
		to.To, to.Dead, to.Owner, to.Planned = fleet.Degraded, v.Degraded.Dead, v.Degraded.Owner, false
	case v.Canary && v.Soak > 0:
		to.To, to.Until = fleet.Probation, max(now.Add(v.Soak), v.Probation)
	case v.Probation > now:
		to.To, to.Until, to.Planned = fleet.Probation, v.Probation, false
	}
	if n.State == to.To {
		return events
	}
	if !passed {
		events = append(events, lost(p, node, to.To, 0)...)
	}
	return append(events, to)
}

func observeRuns(s *fleet.State, c ObserveRuns) ([]event.Event, *Refusal) {
	p, node := findNode(s, c.Node)
	if p == nil {
		return nil, noNode(s, c.Node)
	}
	if len(c.Runs) > mostUpdates {
		return nil, refuse(Invalid, "node %q has %d components; %d at most", c.Node, len(c.Runs), mostUpdates)
	}
	for _, x := range c.Runs {
		if refusal := checkTexts("a component", x.Name, x.Version); refusal != nil {
			return nil, refusal
		}
	}
	runs := fleet.Runs(nil).With(c.Runs...)
	if slices.Equal(runs, p.Nodes[node].Runs) {
		return nil, nil
	}
	return one(event.NodeObserved{Partition: p.ID, Node: c.Node, Runs: runs})
}
