package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func applyOutside(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.CoresReserved:
		l := s.Life(e.Cluster)
		for _, r := range e.Reserved {
			l.Reserved = slices.DeleteFunc(l.Reserved, func(was fleet.Reservation) bool { return was.Meter == r.Meter })
			l.Reserved = append(l.Reserved, r)
		}
		s.TouchLife(e.Cluster)
		s.TouchAccount(l.Record.Account())
	case event.CoresReleased:
		applyReleased(s, s.Life(e.Cluster), e)
	case event.OutsideConfirmed:
		applyConfirmed(s, e, at)
	case event.OperationIntended:
		applyIntended(s, s.Life(e.Cluster), e, at)
	case event.OperationReported:
		applyReported(s, s.Life(e.Cluster), e, at)
	case event.EvidenceSeen:
		l := s.Life(e.Cluster)
		for _, seen := range e.Seen {
			l.See(seen)
		}
		s.TouchLife(e.Cluster)
	default:
		return false
	}
	return true
}

func applyReleased(s *fleet.State, l *fleet.Life, e event.CoresReleased) {
	for _, meter := range e.Meters {
		if e.Settled {
			settle(s, l, meter)
		}
		l.Reserved = slices.DeleteFunc(l.Reserved, func(r fleet.Reservation) bool { return r.Meter == meter })
	}
	s.TouchLife(e.Cluster)
	s.TouchAccount(l.Record.Account())
}

// settle makes reserved cores the cluster's own. The rise of the count that showed them
// shows no other cluster's cores: for those, it counts from there.
func settle(s *fleet.State, l *fleet.Life, meter string) {
	at := slices.IndexFunc(l.Reserved, func(r fleet.Reservation) bool { return r.Meter == meter })
	if at < 0 {
		return
	}
	if l.Settled == nil {
		l.Settled = map[string]int{}
	}
	is := l.Reserved[at]
	l.Settled[meter] += is.Cores
	for _, x := range s.LivesOf(l.Record.Account()) {
		if x == l {
			continue
		}
		for i := range x.Reserved {
			if r := &x.Reserved[i]; r.Meter == meter {
				r.Base = max(r.Base, is.Base+is.Cores)
			}
		}
	}
}

// applyConfirmed makes what was seen as fresh as the look that saw it again. What was
// fresh before says nothing new.
func applyConfirmed(s *fleet.State, e event.OutsideConfirmed, at fleet.Instant) {
	seen := at
	if e.At != 0 {
		seen = e.At
	}
	for _, name := range e.Clusters {
		seeAgain(s, s.Life(name), fleet.Steps(), seen, at)
	}
	for _, x := range e.Steps {
		seeAgain(s, s.Life(x.Cluster), x.Steps, seen, at)
	}
	for _, name := range e.Accounts {
		a := s.CloudAccount(name)
		a.Read = max(a.Read, seen)
		s.TouchAccount(name)
	}
}

func seeAgain(s *fleet.State, l *fleet.Life, steps []fleet.Step, seen, now fleet.Instant) {
	for i := range l.Evidence {
		if e := &l.Evidence[i]; e.At.Add(buildout.Fresh) < now && slices.Contains(steps, e.Step) {
			s.TouchLife(l.Record.Name)
		}
	}
	l.SeeAgain(steps, seen)
}

func applyIntended(s *fleet.State, l *fleet.Life, e event.OperationIntended, at fleet.Instant) {
	st := l.EnsureStep(e.Step)
	if st.Operation.Generation != e.Generation {
		st.Trouble = fleet.Trouble{}
	}
	st.Operation = fleet.Operation{ID: e.ID, Generation: e.Generation, Attempt: e.Attempt, State: fleet.OperationIntended, Intended: at}
	if e.Step == fleet.StepScaleSets { // from here on the cloud's count may rise by the cluster's cores
		account := s.CloudAccount(l.Record.Account())
		for i := range l.Reserved {
			if c, ok := account.Count(l.Reserved[i].Meter); ok && l.Reserved[i].Base != c.Used {
				l.Reserved[i].Base = c.Used
				s.TouchAccount(l.Record.Account())
			}
		}
	}
	s.TouchLife(e.Cluster)
}

func applyReported(s *fleet.State, l *fleet.Life, e event.OperationReported, at fleet.Instant) {
	st := l.EnsureStep(e.Step)
	if e.Begun {
		st.Begun, st.Operation.Started = st.Begun+1, at
	}
	if e.Begun || e.Refused {
		st.Tries++
	}
	if e.State != fleet.OperationBlocked || e.Link != "" && e.Link != st.Operation.Link {
		st.Operation.Unblocked = false // the next block is another one, for a person to judge
	}
	st.Operation.State, st.Operation.Says = e.State, ""
	if e.Link != "" {
		st.Operation.Link = e.Link
	}
	switch {
	case e.Refused || e.State == fleet.OperationFailed:
		st.Trouble = fleet.Trouble{Class: e.Class, Error: e.Error, Failures: st.Trouble.Failures + 1, Next: e.Next, Parked: e.Parked}
	case e.State == fleet.OperationSucceeded:
		st.Trouble = fleet.Trouble{}
		if e.Step == fleet.StepQuota {
			break // its evidence is the cloud's count
		}
		l.See(fleet.StepEvidence{Step: e.Step, Holds: true, Generation: st.Operation.Generation, At: at, Detail: e.Detail, Link: e.Link})
	case e.State == fleet.OperationRunning:
		st.Operation.Says = e.Error
	case e.State == fleet.OperationBlocked && e.Error != "":
		st.Trouble.Error = e.Error
	}
	if !st.Operation.Live() {
		st.Operation.Ended = at
	}
	s.TouchLife(e.Cluster) // not its account: a count that is read later says what its scale sets have taken
}
