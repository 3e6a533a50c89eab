package notify

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// lives lists what a record says of clusters that are built: that one waits for a person, is late,
// is in production, or is degraded. Its owner is told of these (cluster-life.md §3.4).
func lives(s *fleet.State, r event.Record) (list []Notice) {
	asked := map[string]bool{} // a cluster that is held asks once, whatever it holds up
	for i, e := range r.Events {
		n, ok := Notice{}, false
		switch e := e.(type) {
		case event.LifeTurned:
			n, ok = turned(s, r, e)
		case event.ConditionChanged:
			if e.Person && !asked[e.Cluster] {
				asked[e.Cluster] = true
				n, ok = needed(s, r, e)
			}
		}
		if ok {
			n.ID, n.At, n.Version, n.Actor, n.Reason = fmt.Sprintf("%d.%d", r.Seq, i), r.At, r.Seq, r.Actor, r.Reason
			list = append(list, n)
		}
	}
	return list
}

// turned reads a turn in a cluster's life.
func turned(s *fleet.State, r event.Record, e event.LifeTurned) (Notice, bool) {
	l := s.Life(e.Cluster)
	if l == nil {
		return Notice{}, false
	}
	switch e.Stage {
	case event.LifeLate:
		return ofLife(l, fleet.NoticeLate, late(s, r, l, e.Condition)), true
	case event.LifeProduced:
		return ofLife(l, fleet.NoticeProduction, produced(s, r, l, e.Generation)), true
	case event.LifeDegraded:
		return ofLife(l, fleet.NoticeDegraded, "is degraded"+fallen(s, r, l)), true
	case event.LifeRecovered:
		return ofLife(l, fleet.NoticeDegraded, "is no longer degraded: all its conditions hold"), true
	default:
		return Notice{}, false
	}
}

// ofLife is a notice about a cluster that is built, for those who asked about it or its owner.
func ofLife(l *fleet.Life, kind fleet.NoticeKind, says string) Notice {
	name, owner := l.Record.Name, l.Record.Owner
	whose := "no owner"
	if owner != "" {
		whose = "owner " + owner
	}
	return Notice{
		Kind: kind, Cluster: name, Owner: owner, Text: fmt.Sprintf("cluster %s (%s) %s", name, whose, says),
		concerns: func(sub *fleet.Subscription) bool { return sub.CoversLife(name, owner) },
	}
}

// needed says what a person has to do. The state may have moved on since: then the command
// that answers is named.
func needed(s *fleet.State, r event.Record, e event.ConditionChanged) (Notice, bool) {
	l := s.Life(e.Cluster)
	if l == nil {
		return Notice{}, false
	}
	says := fmt.Sprintf("waits for a person: %s (%s)", e.Condition, e.Reason)
	if c := condition(s, r, l, e.Condition); c != nil && c.Person && c.Message != "" {
		return ofLife(l, fleet.NoticePerson, says+"; "+c.Message), true
	}
	return ofLife(l, fleet.NoticePerson, says+why(l)), true
}

// late says what was to hold by when, and on what it waits.
func late(s *fleet.State, r event.Record, l *fleet.Life, t fleet.ConditionType) string {
	says := fmt.Sprintf("is late: %s takes longer than in nine of ten clusters", t)
	c := condition(s, r, l, t)
	if c == nil || c.Holds() || c.Expect.P90 == 0 {
		return says + why(l)
	}
	says += fmt.Sprintf("; it was expected by %s (p90), and waits on %s", day(c.Expect.P90), c.On.System)
	if c.Message != "" {
		return says + ": " + c.Message
	}
	return says + why(l)
}

// produced says how much counts as installed, and what the cluster took.
func produced(s *fleet.State, r event.Record, l *fleet.Life, generation int) string {
	rec := &l.Record
	says := fmt.Sprintf("is in production, generation %d, with %s of %s", generation, text.Count(rec.Nodes()*rec.GPUsPerNode, "GPU"), rec.GPU)
	if l.ReportsNodes() {
		says += " once its API server shows them"
	}
	if c := s.Cluster(rec.Name); c != nil {
		says += fmt.Sprintf(", mode %s", c.Mode)
	}
	if generation == 1 {
		says += fmt.Sprintf("; it took %s and %s", text.About(r.At.Sub(l.Entered)), text.Counted(len(l.Touches), "touch", "touches"))
	}
	return says
}

// fallen names the conditions that fell.
func fallen(s *fleet.State, r event.Record, l *fleet.Life) string {
	var list []string
	for _, c := range core.Look(s, l, r.At).Conditions {
		if c.Fell {
			list = append(list, strings.TrimSuffix(string(c.Type)+": "+c.Message, ": "))
		}
	}
	if len(list) == 0 {
		return why(l)
	}
	return ": " + text.Few(list, mostNamed)
}

// condition is how a condition stands by the state.
func condition(s *fleet.State, r event.Record, l *fleet.Life, t fleet.ConditionType) *buildout.Condition {
	v := core.Look(s, l, r.At)
	return v.Find(t)
}

func why(l *fleet.Life) string {
	return "; `muster cluster why " + l.Record.Name + "` says more"
}
