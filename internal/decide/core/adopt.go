package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Adopt says that work which was seen on a cluster is Muster's from now on, where it
// stands: it keeps its age and its nodes, and its target if it may have that, else it is on
// flex. The groups come to those it has; they tell it from later work of the same name.
type Adopt struct {
	Namespace, Name string
	Groups          []string
}

func (Adopt) command() {}

func adopt(s *fleet.State, r Request, c Adopt) ([]event.Event, *Refusal) {
	w := s.Workload(c.Namespace, c.Name)
	if w == nil || w.State.Ended() {
		return nil, refuse(NoSuchWorkload, "there is no workload %s/%s that could be taken over", clip(c.Namespace), clip(c.Name))
	}
	if home := s.Cluster(w.Home()); home == nil || home.Mode != fleet.Enforce {
		return nil, refuse(WrongState, "workload %s/%s was seen on no cluster in mode enforce; it is not taken over", w.Namespace, w.Name)
	}
	if refusal := checkTexts("a group", c.Groups...); refusal != nil {
		return nil, refusal
	}
	var more []string
	for _, g := range c.Groups {
		if !slices.Contains(w.Groups, g) && !slices.Contains(more, g) {
			more = append(more, g)
		}
	}
	if len(more) == 0 {
		return nil, nil
	}
	return one(event.WorkloadAdopted{ID: w.ID, Groups: more, Target: r.Actor.moved(s, w)})
}

// moved is the target of work that is taken over where that is another than it was counted for; "": it keeps it.
// Who may use a quota can have changed since it was seen. What moves to another target leaves as a whole, and was
// let in there.
func (a Actor) moved(s *fleet.State, w *fleet.Workload) string {
	is := a.countedFor(s, w.Spec)
	if is == w.Target || w.Moves != nil {
		return ""
	}
	return is
}

// applyAdopted makes work Muster's where it stands.
func applyAdopted(s *fleet.State, w *fleet.Workload, e event.WorkloadAdopted, at fleet.Instant) {
	s.Change(w, func(w *fleet.Workload) { w.Groups = slices.Concat(w.Groups, e.Groups) })
	if e.Target != "" {
		s.Recount(w, e.Target, fleet.HoldsFlex)
		s.Settle(w, at)
	}
}
