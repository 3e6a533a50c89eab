package words

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tellMaintenance says what becomes of planned work on nodes.
func tellMaintenance(e event.Event, names Names) (Told, bool) {
	switch e := e.(type) {
	case event.UpdateSet:
		return Told{Other, "update " + e.Update.Name, update(e.Update)}, true
	case event.RolloutSet:
		return Told{Other, "rollout " + e.Rollout.Name, rollout(e.Rollout)}, true
	case event.ZoneSet:
		return Told{Other, "no-fly zone " + e.Zone.Name, zone(e.Zone)}, true
	case event.NoticeSet:
		return Told{Other, "maintenance " + e.Notice.Name, notice(e.Notice)}, true
	case event.ConfigurationJudged:
		if e.Proof.Verdict == fleet.Untested {
			return Told{Other, "configuration " + e.Proof.Hash, "is untested again on " + e.Proof.GPU + because(e.Proof.Why)}, true
		}
		return Told{Other, "configuration " + e.Proof.Hash, fmt.Sprintf("is %s on %s: %s", e.Proof.Verdict, e.Proof.GPU, e.Proof.Runs)}, true
	case event.VisitMoved:
		return Told{Node, e.Node, visit(e.Visit)}, true
	case event.NodeLeaving:
		if !e.Leaving {
			return Told{Node, e.Node, "is not leaving any more"}, true
		}
		return Told{Node, e.Node, "is leaving: maintenance takes it at " + day(e.Goes)}, true
	case event.NodeObserved:
		return Told{Node, e.Node, "runs " + e.Runs.String()}, true
	case event.WorkloadAgreed:
		return Told{Workload, names.of(e.ID), "may be stopped for maintenance at " + day(e.At) + ", says " + e.By}, true
	case event.WorkloadPaused:
		return Told{Workload, names.of(e.ID), "waits until its nodes were visited for " + e.For()}, true
	case event.WorkloadResumed:
		return Told{Workload, names.of(e.ID), "may start again: its nodes were visited"}, true
	}
	return Told{}, false
}

func update(u fleet.NodeUpdate) string {
	if u.Record.Withdrawn != 0 {
		return "is withdrawn"
	}
	says := fmt.Sprintf("brings %s to %s, impact %s", u.Component.Name, u.Component.Version, u.Impact)
	if u.Counted() != u.Impact {
		says += ", counted as " + string(u.Counted()) + " by what was measured"
	}
	return says
}

func rollout(r fleet.Rollout) string {
	says := fmt.Sprintf("is %s", r.State)
	switch {
	case r.Joined != "":
		return "joins rollout " + r.Joined
	case r.State == fleet.RolloutRunning && r.Stage > 0:
		says += fmt.Sprintf(" in wave %d", r.Stage)
	case r.State == fleet.RolloutRunning:
		says += " in its canary"
	}
	if r.Hunt != nil {
		says += ", and searches for the updates that fail"
	}
	return says + because(r.Why)
}

func zone(z fleet.Zone) string {
	if z.Ended != 0 {
		return "is ended"
	}
	blocks := make([]string, len(z.Blocks))
	for i, b := range z.Blocks {
		blocks[i] = string(b)
	}
	says := fmt.Sprintf("keeps %s away from %s", strings.Join(blocks, ", "), z.Scope+z.Workload)
	if len(z.Spans) > 0 {
		says += " from " + day(z.Spans[0].From) + " to " + day(z.Spans[0].To)
	}
	return says + again(z) + because(z.Reason)
}

// again says how often a zone recurs, "" for one that does not.
func again(z fleet.Zone) string {
	more := len(z.Spans) - 1
	switch {
	case z.Recur == "" || more < 0:
		return ""
	case more == 0:
		return ", and at no other time: " + z.Recur + " brings none"
	}
	last := z.Spans[more]
	return fmt.Sprintf(", and %s by %s in %s, the last from %s to %s", Count(more, "more time"), z.Recur, cmp.Or(z.TimeZone, "UTC"), day(last.From), day(last.To))
}

func notice(n fleet.Notice) string {
	switch {
	case n.Cancelled:
		return "is cancelled"
	case n.Ended != 0:
		return "is over"
	case len(n.Over) > 0:
		return fmt.Sprintf("is over on %d of %s", len(n.Over), Count(len(n.Nodes), "node"))
	}
	return fmt.Sprintf("takes %s at %s, impact %s", Count(len(n.Nodes), "node"), day(n.Starts), n.Impact)
}

func visit(v fleet.Visit) string {
	of := v.Rollout
	if of == "" {
		of = v.Notice
	}
	says := fmt.Sprintf("has its maintenance %s (%s)", v.State, of)
	if v.Canary {
		says += ", as a canary"
	}
	return says + because(v.Why)
}
