package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func applyBuildout(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.BlueprintAdded:
		s.AddBlueprint(e.Blueprint)
	case event.ClusterPlanned:
		s.AddLife(fleet.Life{Record: e.Record, Version: e.Version, Generation: 1, Number: e.Number, Entered: at})
	case event.ClusterReplanned:
		applyReplanned(s, s.Life(e.Record.Name), e)
	case event.ClusterCheckedIn:
		l := s.Life(e.Cluster)
		l.Course.CheckedIn, l.Course.Commit = at, e.Commit
		s.TouchLife(e.Cluster)
	case event.ClusterTouched:
		applyTouched(s, s.Life(e.Cluster), e, at)
	case event.LifeTurned:
		applyTurned(s, s.Life(e.Cluster), e, at)
	case event.ConditionChanged:
		c := fleet.ClusterCondition{Type: e.Condition, Status: e.Status, Reason: e.Reason, Person: e.Person}
		s.ChangeCondition(s.Life(e.Cluster), c, e.Turn, at)
	case event.CloudCounted:
		s.SetCloudAccount(fleet.CloudAccount{Subscription: e.Subscription, Region: e.Region, Counts: slices.Clone(e.Counts), Error: e.Error, Class: e.Class, Read: at})
	default:
		return applyOutside(s, e, at)
	}
	return true
}

// applyReplanned takes over what is wanted now. Whatever parked a step waited for a change: this is one.
func applyReplanned(s *fleet.State, l *fleet.Life, e event.ClusterReplanned) {
	s.TouchAccount(l.Record.Account())
	s.Rewrite(l, e.Record)
	l.Version, l.Generation = e.Version, e.Generation
	for i := range l.Steps {
		l.Steps[i].Trouble = fleet.Trouble{}
	}
	if b := s.BlueprintOf(l); b != nil {
		l.KeepSettled(*b)
	}
	s.TouchLife(l.Record.Name)
	s.TouchAccount(l.Record.Account())
}

func applyTouched(s *fleet.State, l *fleet.Life, e event.ClusterTouched, at fleet.Instant) {
	l.Touches = append(l.Touches, fleet.Touch{What: e.What, Step: e.Step, By: e.By, At: at, Waited: e.Waited})
	switch Steer(e.What) {
	case Retry:
		l.EnsureStep(e.Step).Trouble = fleet.Trouble{}
	case Unblock:
		l.EnsureStep(e.Step).Operation.Unblocked = true
	default: // the others change no step
	}
	s.TouchLife(e.Cluster)
}

func applyTurned(s *fleet.State, l *fleet.Life, e event.LifeTurned, at fleet.Instant) {
	c := &l.Course
	switch e.Stage {
	case event.LifeHeld:
		c.Held, c.HeldBy = at, e.By
	case event.LifeResumed:
		c.Held, c.HeldBy = 0, ""
	case event.LifeProduced:
		c.Generation = e.Generation
		if c.Produced == 0 {
			c.Produced = at
		}
	case event.LifeLate:
		late, _ := l.Condition(e.Condition)
		late.Late = at
		l.SetCondition(late)
	case event.LifeDegraded:
		c.Degraded = at
	case event.LifeRecovered:
		c.Degraded = 0
	case event.LifeRetiring:
		c.Retiring, c.Held, c.HeldBy, c.Degraded = at, 0, "", 0
	case event.LifeEmptied:
		c.Emptied = at
	case event.LifeConfirmed:
		c.Confirmed, c.ConfirmedBy = at, e.By
	case event.LifeRetired:
		c.Retired = at
	}
	s.TouchLife(e.Cluster)
	if claims(e.Stage) {
		s.TouchAccount(l.Record.Account())
	}
}

// claims says whether a turn of a cluster's life changes its place in the ledger.
func claims(s event.LifeStage) bool {
	return s == event.LifeHeld || s == event.LifeResumed || s == event.LifeRetiring || s == event.LifeRetired
}
