package core

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// What the outside says may be long, and may be anything.
const mostDetail = 1000 // bytes

// brief makes a text from outside fit for the log.
func brief(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) > mostDetail {
		s = text.Bound(s, mostDetail-len("…")) + "…"
	}
	return s
}

func reportCounts(s *fleet.State, c ReportCounts) ([]event.Event, *Refusal) {
	e := event.CloudCounted{Subscription: c.Subscription, Region: c.Region, Error: brief(c.Error), Class: c.Class}
	for _, name := range []string{c.Subscription, c.Region} {
		if refusal := checkName("cloud account", name); refusal != nil {
			return nil, refusal
		}
	}
	if len(c.Counts) > 1000 {
		return nil, refuse(Invalid, "%d meters in one report; at most 1000 are possible", len(c.Counts))
	}
	if c.Error == "" && len(c.Counts) > 0 {
		e.Counts = slices.Clone(c.Counts)
	}
	slices.SortFunc(e.Counts, func(a, b fleet.CloudCount) int { return strings.Compare(a.Meter, b.Meter) })
	is := s.CloudAccount(c.Subscription + "/" + c.Region)
	if is != nil && is.Error == e.Error && is.Class == e.Class && (c.Error != "" || slices.Equal(is.Counts, e.Counts) && !unread(s, is)) && !waitsForCount(s, is) {
		return nil, nil
	}
	return one(e)
}

// unread says whether a cluster waits for the account to be read, as by a meter that no cluster asked for
// before.
func unread(s *fleet.State, a *fleet.CloudAccount) bool {
	return slices.ContainsFunc(s.LivesOf(a.Name()), func(l *fleet.Life) bool {
		c, _ := l.Condition(fleet.QuotaAvailable)
		return c.Reason == buildout.NotRead
	})
}

// waitsForCount says whether a reservation hangs on when the cloud was read, even
// where the figures are the same.
func waitsForCount(s *fleet.State, a *fleet.CloudAccount) bool {
	for _, l := range s.LivesOf(a.Name()) {
		if len(l.Reserved) == 0 {
			continue
		}
		if made := l.Step(fleet.StepScaleSets).Operation; made.State == fleet.OperationSucceeded && a.Read <= made.Ended {
			return true
		}
	}
	return false
}

func reportOperation(s *fleet.State, c ReportOperation, now fleet.Instant) ([]event.Event, *Refusal) {
	l := s.Life(c.Cluster)
	if l == nil {
		return nil, noLife(c.Cluster)
	}
	st := l.Step(c.Step)
	op := st.Operation
	if op.ID != c.ID || !op.Live() {
		return nil, nil // it came late, or twice
	}
	e := event.OperationReported{
		Cluster: c.Cluster, Step: c.Step, ID: c.ID, State: c.State, Refused: c.Refused, Link: brief(c.Link), Detail: brief(c.Detail), Class: c.Class, Error: brief(c.Error),
	}
	e.Begun = op.State == fleet.OperationIntended && !c.Refused && c.State != fleet.OperationIntended
	switch {
	case c.Refused || c.State == fleet.OperationFailed:
		if c.Refused && c.State != fleet.OperationFailed { // it may begin yet
			e.State = fleet.OperationIntended
		}
		t := buildout.After(st.Trouble, buildout.Failure{Operation: c.ID, Class: c.Class, Error: e.Error, After: c.After}, now)
		e.Next, e.Parked = t.Next, t.Parked
	case c.State == op.State && e.Link == op.Link && (e.State != fleet.OperationRunning || e.Error == op.Says):
		return nil, nil
	case c.State == fleet.OperationIntended:
		return nil, refuse(Invalid, "operation %s: a report says how it stands outside, not that it is intended", clip(c.ID))
	}
	return one(e)
}

func reportEvidence(s *fleet.State, c ReportEvidence, now fleet.Instant) ([]event.Event, *Refusal) {
	l := s.Life(c.Cluster)
	if l == nil {
		return nil, noLife(c.Cluster)
	}
	e := event.EvidenceSeen{Cluster: c.Cluster}
	for _, seen := range c.Seen {
		if !slices.Contains(fleet.Steps(), seen.Step) {
			return nil, refuse(Invalid, "%q is no step", clip(string(seen.Step)))
		}
		if seen.Detail, seen.Link = brief(seen.Detail), brief(seen.Link); seen.At == 0 || seen.At > now {
			seen.At = now
		}
		if seen.Generation > l.Generation {
			continue // nothing of a generation is built before it is planned
		}
		was, ok := l.Saw(seen.Step)
		older := ok && (seen.At < was.At || seen.Generation < was.Generation) // a look that began before a newer one and came after it
		if same := ok && sameEvidence(was, seen) && was.At.Add(buildout.Fresh/2) > seen.At; !same && !older {
			e.Seen = append(e.Seen, seen)
		}
	}
	if len(e.Seen) == 0 {
		return nil, nil
	}
	return one(e)
}

func sameEvidence(a, b fleet.StepEvidence) bool {
	a.At = b.At
	return a == b
}

func confirmOutside(s *fleet.State, c ConfirmOutside, now fleet.Instant) ([]event.Event, *Refusal) {
	e := event.OutsideConfirmed{At: c.At}
	if c.At > now {
		e.At = 0
	}
	for _, seen := range c.Steps {
		if s.Life(seen.Cluster) != nil {
			e.Steps = append(e.Steps, seen)
		}
	}
	for _, name := range c.Clusters {
		if s.Life(name) != nil {
			e.Clusters = append(e.Clusters, name)
		}
	}
	for _, name := range c.Accounts {
		if a := s.CloudAccount(name); a != nil && a.Error == "" {
			e.Accounts = append(e.Accounts, name)
		}
	}
	if len(e.Clusters)+len(e.Steps)+len(e.Accounts) == 0 {
		return nil, nil
	}
	return one(e)
}
