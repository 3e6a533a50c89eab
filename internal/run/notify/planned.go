package notify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// planned reads what happens to planned work, and whom it concerns.
func planned(s *fleet.State, r event.Record, e event.Event) (Notice, bool) {
	switch e := e.(type) {
	case event.RolloutSet:
		return rollout(s, r, e.Rollout)
	case event.ZoneSet:
		return zone(s, r, e.Zone)
	case event.NoticeSet:
		return announced(s, r, e.Notice)
	case event.NodeLeaving:
		if e.Leaving {
			says := fmt.Sprintf("maintenance takes node %s from %s on; work there is told what becomes of it by muster maintenance ahead", e.Node, day(e.Goes))
			return told(says, onNode(s, e.Node, false)), true
		}
	case event.VisitMoved:
		return visit(s, r, e)
	case event.WorkloadAgreed:
		if e.At != 0 {
			return about(s, e.ID, fleet.NoticePlanned, fmt.Sprintf("stops once at %s for the maintenance of its nodes, if a visit of them is due then; %s agreed", day(e.At), e.By))
		}
	case event.WorkloadPaused:
		return about(s, e.ID, fleet.NoticePlanned, "stops as a whole for "+e.For()+", and starts again when its nodes were visited")
	case event.WorkloadResumed:
		return about(s, e.ID, fleet.NoticePlanned, "may start again after the maintenance of its nodes")
	}
	return Notice{}, false
}

// told is a notice about planned work.
func told(says string, concerns func(*fleet.Subscription) bool) Notice {
	return Notice{Kind: fleet.NoticePlanned, Text: says, concerns: concerns}
}

// onNodes says which subscriptions some nodes concern: those of the whole fleet, and those about work that stands there.
func onNodes(s *fleet.State, covers func(*fleet.Partition, *fleet.Node) bool) func(*fleet.Subscription) bool {
	return func(sub *fleet.Subscription) bool {
		if sub.IsFleet() {
			return true
		}
		return slices.ContainsFunc(s.Partitions, func(p *fleet.Partition) bool {
			return slices.ContainsFunc(p.Nodes, func(n *fleet.Node) bool {
				return covers(p, n) && slices.ContainsFunc(n.Residents(), func(r fleet.Resident) bool { return isOf(sub, r.Workload) })
			})
		})
	}
}

// onNode is onNodes of one node.
func onNode(s *fleet.State, name string, wide bool) func(*fleet.Subscription) bool {
	p, i := s.FindNode(name)
	return func(sub *fleet.Subscription) bool {
		if sub.IsFleet() {
			return wide
		}
		return p != nil && slices.ContainsFunc(p.Nodes[i].Residents(), func(r fleet.Resident) bool { return isOf(sub, r.Workload) })
	}
}

// isOf says whether a subscription is about a workload.
func isOf(sub *fleet.Subscription, w *fleet.Workload) bool {
	quota := ""
	if !w.Flexes() {
		quota = w.Target
	}
	return sub.Covers(quota, w.Namespace+"/"+w.Name)
}

func rollout(s *fleet.State, r event.Record, o fleet.Rollout) (Notice, bool) {
	says := fmt.Sprintf("rollout %s of %s", o.Name, strings.Join(o.Updates, ", "))
	switch {
	case o.Added == r.At && o.State == fleet.RolloutRunning && o.Began == 0:
		says += " over " + scopeOf(&o) + " was started; a canary comes first, and work inside its quota is left alone until it ends or a deadline asks for its stop"
	case o.State == fleet.RolloutPaused:
		says += " is paused" + reasoned(o.Why)
	case o.State == fleet.RolloutDone || o.State == fleet.RolloutAbandoned:
		says += " is " + string(o.State) + reasoned(o.Why)
	default:
		return Notice{}, false
	}
	return told(says, onNodes(s, o.Covers)), true
}

// scopeOf is what a rollout covers, in words.
func scopeOf(o *fleet.Rollout) string {
	if len(o.Nodes) > 0 {
		return text.Few(o.Nodes, mostNamed)
	}
	return o.Scope
}

func zone(s *fleet.State, r event.Record, z fleet.Zone) (Notice, bool) {
	over := z.Scope
	if z.Workload != "" {
		over = "the nodes of " + z.Namespace + "/" + z.Workload
	}
	says := fmt.Sprintf("no-fly zone %s over %s", z.Name, over)
	switch {
	case z.Ended != 0:
		says += " was ended before its time"
	case len(z.Spans) > 0:
		says += fmt.Sprintf(" is in force from %s to %s%s", day(z.Spans[0].From), day(z.Spans[0].To), reasoned(z.Reason))
	}
	if b := maintenance.BoardOf(s, &z, r.At); len(b.Conflicts) > 0 {
		says += "; inside it fall " + text.Few(b.Conflicts, mostNamed)
	}
	under := func(p *fleet.Partition, n *fleet.Node) bool { return maintenance.Covers(&z, p, n) }
	return told(says, onNodes(s, under)), true
}

func announced(s *fleet.State, _ event.Record, o fleet.Notice) (Notice, bool) {
	says := "maintenance " + o.Name
	switch {
	case o.Cancelled:
		says += " was cancelled"
	case o.Ended != 0:
		says += " is over"
	default:
		says += fmt.Sprintf(" takes %s from %s on for %s, impact %s", text.Few(o.Nodes, mostNamed), day(o.Starts), text.About(o.Lasts), o.Impact)
		if o.Provider {
			says += "; it is the provider's, and begins whatever runs there"
		}
	}
	return told(says, onNodes(s, func(_ *fleet.Partition, n *fleet.Node) bool { return slices.Contains(o.Nodes, n.Name) })), true
}

// visit tells those whose work stands on a node that its visit begins, and everyone that one failed.
func visit(s *fleet.State, r event.Record, e event.VisitMoved) (Notice, bool) {
	v := e.Visit
	of := strings.TrimSpace(v.Rollout + v.Notice)
	switch {
	case v.State == fleet.VisitFailed:
		return told(fmt.Sprintf("the visit of node %s for %s failed%s", e.Node, of, reasoned(v.Why)), onNode(s, e.Node, true)), true
	case v.Began == r.At && !v.State.Ended():
		return told(fmt.Sprintf("the visit of node %s for %s begins, impact %s; it should end by %s", e.Node, of, v.Impact, day(v.Ends())), onNode(s, e.Node, false)), true
	}
	return Notice{}, false
}

// atRisk lists the open rollouts whose remaining visits take longer than until a deadline, where a record changed a
// rollout, a zone or an update: each is told when something moved it.
func atRisk(s *fleet.State, r event.Record) (list []Notice) {
	if !slices.ContainsFunc(r.Events, movesDeadlines) {
		return nil
	}
	for _, o := range s.Kept().Rollouts {
		if !maintenance.AtRisk(s, o, r.At) {
			continue
		}
		list = append(list, Notice{
			ID: fmt.Sprintf("%d.deadline.%s", r.Seq, o.Name), Kind: fleet.NoticeDeadline, At: r.At, Version: r.Seq, Actor: r.Actor, Reason: r.Reason,
			Text:     fmt.Sprintf("a deadline of rollout %s is at risk: the visits that remain take longer than the time that is left; muster rollout show %s says what they wait for", o.Name, o.Name),
			concerns: onNodes(s, o.Covers),
		})
	}
	return list
}

func movesDeadlines(e event.Event) bool {
	switch e.(type) {
	case event.RolloutSet, event.ZoneSet, event.UpdateSet:
		return true
	}
	return false
}
