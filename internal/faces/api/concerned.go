package api

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// mostConcerned is how many workloads, and people, a note names.
const mostConcerned = 8

// fate is what becomes of work, said of one workload and of several.
type fate struct {
	one, many string
	told      bool // the people concerned get a message
}

// fates are what a change may do to running work.
type fates struct{ unprotected, leaves, unreserved, stopped, shrinks fate }

// What a dry run would do, and what a change has done.
var (
	would = fates{
		fate{"would run on unprotected, and may be evicted when work inside its quota's backing needs the room", "would run on unprotected, and may be evicted when work inside their quota's backing needs the room", false},
		fate{"would have to leave", "would have to leave", false},
		fate{"would lose its reserved room, and go back to its queue", "would lose their reserved room, and go back to their queue", false},
		fate{"would lose nodes", "would lose nodes", false},
		fate{"would give these GPUs up and run on with less", "would give these GPUs up and run on with less", false},
	}
	done = fates{
		fate{"runs on unprotected now, and may be evicted when work inside its quota's backing needs the room", "run on unprotected now, and may be evicted when work inside their quota's backing needs the room", true},
		fate{"has to leave", "have to leave", false},
		fate{"lost its reserved room, and is back in its queue", "lost their reserved room, and are back in their queue", false},
		fate{"has lost nodes", "have lost nodes", false},
		fate{"gives these GPUs up and runs on with less", "give these GPUs up and run on with less", false},
	}
)

// loss is what a change takes from the running work of one quota.
type loss struct {
	quota  string
	fate   fate
	ids    []uint64
	names  map[uint64]string
	gpus   map[uint64]int
	people []string
}

// concernedBy sums up what a dry run means: how much work leaves the nodes that it changes, and
// which grants lose backing. What becomes of running work is one note for each quota and kind of
// loss, with the people who would be told.
func (s *service) concernedBy(r event.Record, by *caller) (notes []string) {
	s.engine.Look(func(state *fleet.State) {
		notes = slices.Concat(leaversOf(state, r.Events), backingAhead(state, r.Events), fractionsOf(state, r.Events))
	})
	return append(notes, s.lossNotes(s.engine.Look, r.Events, would, by)...)
}

// cutBy says which running work a change left unprotected, and who is told: no cut is silent
// (semantics §4), undoing one neither. Where people change what others have, it says too what
// has to leave for that, and of a submission what has to leave for the work.
func (s *service) cutBy(r event.Record, by *caller) []string {
	list := r.Events
	if !slices.ContainsFunc(r.Events, takesFromOthers) {
		list = cutsIn(r.Events)
	}
	notes := s.shrunk(r.Events, by)
	if len(list) > 0 {
		notes = append(notes, s.lossNotes(s.engine.Read, list, done, by)...) // no command waits for a question: it is not Look
	}
	return append(notes, s.shortBy(r)...)
}

// cutsIn lists the events of a record that take protection, or make room for what is submitted. Most records have none.
func cutsIn(all []event.Event) (list []event.Event) {
	for _, e := range all {
		if cutsOrMakesRoom(e, all) {
			list = append(list, e)
		}
	}
	return list
}

// cutsOrMakesRoom says whether an event takes the protection of work, or evicts some for what is submitted in the same
// record.
func cutsOrMakesRoom(e event.Event, all []event.Event) bool {
	switch e := e.(type) {
	case event.ProtectionCut:
		return true
	case event.ReplicasEvicted:
		return slices.ContainsFunc(all, func(x event.Event) bool {
			submitted, is := x.(event.WorkloadSubmitted)
			return is && submitted.ID == e.For
		})
	}
	return false
}

// shrunk says which replicas of a workload leave because it asks for fewer.
func (s *service) shrunk(events []event.Event, by *caller) []string {
	at := slices.IndexFunc(events, func(e event.Event) bool { is, ok := e.(event.WorkloadResized); return ok && len(is.Leave) > 0 })
	if at < 0 {
		return nil
	}
	return s.leaving(events[at].(event.WorkloadResized), by)
}

// leaving is shrunk of a workload that was resized.
func (s *service) leaving(e event.WorkloadResized, by *caller) (notes []string) {
	s.engine.Read(func(state *fleet.State) {
		w := state.Workloads[e.ID]
		if w == nil {
			return
		}
		n := 0
		for _, spot := range e.Leave {
			n += len(spot.Nodes)
		}
		notes = append(notes, fmt.Sprintf("%s of %s (%s) %s.", text.Count(n, "replica"), by.reads(state).Name(w), text.Count(gpusIn(w, e.Leave), "GPU"),
			map[bool]string{true: done.leaves.one, false: done.leaves.many}[n == 1]))
	})
	return notes
}

// takesFromOthers says whether people change what quotas have, a node, or what a workload asks for.
func takesFromOthers(e event.Event) bool {
	switch e := e.(type) {
	case event.GrantSet, event.GrantTransferred, event.HaircutApplied, event.HaircutUndone:
		return true
	case event.WorkloadPrioritised, event.WorkloadRetargeted, event.WorkloadResized:
		return true
	case event.NodeChanged:
		return e.Owner == fleet.ByOperator || e.Owner == fleet.ByMaintenance && !e.Planned // a drain is a person's
	}
	return false
}

func (s *service) lossNotes(show func(func(*fleet.State)), events []event.Event, as fates, by *caller) (notes []string) {
	if len(events) == 0 {
		return nil
	}
	show(func(state *fleet.State) {
		for _, l := range lossesOf(state, events, as, by.reads(state)) {
			notes = append(notes, l.note())
		}
	})
	return notes
}

// note tells a loss, and whom it concerns.
func (l *loss) note() string {
	all, how, whom := 0, l.fate.one, "This concerns "
	var works []string
	for _, id := range l.ids {
		all += l.gpus[id]
		works = append(works, fmt.Sprintf("%s (%s)", l.names[id], text.Count(l.gpus[id], "GPU")))
	}
	if len(works) > 1 {
		how = l.fate.many
	}
	note := fmt.Sprintf("%s of %s (%s) %s: %s.", text.Count(len(works), "workload"), l.quota, text.Count(all, "GPU"), how, text.Few(works, mostConcerned))
	if l.fate.told {
		whom = "Told: "
	}
	if len(l.people) > 0 {
		note += " " + whom + text.Few(l.people, mostConcerned) + "."
	}
	return note
}

// take counts GPUs of a workload. Where its reader may not read it, it has no name, and its user none.
func (l *loss) take(w *fleet.Workload, gpus int, sees view.Sees) {
	if l.gpus[w.ID] += gpus; l.names[w.ID] != "" {
		return
	}
	l.ids = append(l.ids, w.ID)
	l.names[w.ID] = sees.Name(w)
	if w.User != "" && sees.May(w) && !slices.Contains(l.people, w.User) {
		l.people = append(l.people, w.User)
	}
}

// losses are those of some events, by quota and by what becomes of the work.
type losses map[[2]string]*loss

func (all losses) of(s *fleet.State, quota string, is fate) *loss {
	key := [2]string{quota, is.one}
	if all[key] == nil {
		all[key] = &loss{quota: quota, fate: is, names: map[uint64]string{}, gpus: map[uint64]int{}, people: people(s.OwnerOf(quota))}
	}
	return all[key]
}

// eachOnce leaves each workload in the worst of what becomes of it: work that has to leave is not told of as
// unprotected, too.
func (all losses) eachOnce(as fates) {
	told := map[uint64]bool{}
	for _, is := range []fate{as.leaves, as.stopped, as.shrinks, as.unreserved, as.unprotected} {
		for key, l := range all {
			if key[1] != is.one {
				continue
			}
			l.ids = slices.DeleteFunc(l.ids, func(id uint64) bool { return told[id] })
			if len(l.ids) == 0 {
				delete(all, key)
			}
		}
		for key, l := range all {
			for _, id := range l.ids {
				told[id] = told[id] || key[1] == is.one
			}
		}
	}
}

// lossesOf gathers what events take from work, in order of quota.
func lossesOf(s *fleet.State, events []event.Event, as fates, sees view.Sees) []*loss {
	all := losses{}
	for _, e := range events {
		switch e := e.(type) {
		case event.ProtectionCut:
			if w := s.Workloads[e.ID]; w != nil { // else the same command submits it
				all.of(s, w.Target, as.unprotected).take(w, e.GPUs, sees)
			}
		case event.ReplicasEvicted:
			if w := s.Workloads[e.ID]; w != nil {
				how := as.shrinks
				if e.Whole {
					how = as.leaves
				}
				all.of(s, w.Target, how).take(w, gpusIn(w, e.Spots), sees)
			}
		case event.ReplicasLost:
			if w := s.Workloads[e.ID]; w != nil {
				all.of(s, w.Target, as.stopped).take(w, gpusIn(w, e.Spots), sees)
			}
		case event.ReservationEnded:
			if w := s.Workloads[e.ID]; w != nil && !placedIn(events, e.ID) {
				all.of(s, w.Target, as.unreserved).take(w, gpusIn(w, e.Spots), sees)
			}
		}
	}
	all.eachOnce(as)
	list := slices.Collect(maps.Values(all))
	slices.SortFunc(list, func(a, b *loss) int {
		return cmp.Or(cmp.Compare(a.quota, b.quota), cmp.Compare(a.fate.one, b.fate.one))
	})
	return list
}

// placedIn says whether events give a workload room.
func placedIn(events []event.Event, id uint64) bool {
	return slices.ContainsFunc(events, func(e event.Event) bool {
		p, is := e.(event.ReplicasPlaced)
		return is && p.ID == id
	})
}

func people(owner string) []string {
	if owner == "" {
		return nil
	}
	return []string{owner}
}

// gpusIn is the GPUs of a workload's replicas in some places.
func gpusIn(w *fleet.Workload, spots []fleet.Spot) (n int) {
	for _, spot := range spots {
		n += len(spot.Nodes) * w.Pools[spot.Pool].GPUs
	}
	return n
}
