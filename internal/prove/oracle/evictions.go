package oracle

import (
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of §5 about who has to leave.
var evictionLaws = []Law{
	{"owner-starts", "work is evicted only for a workload that starts because of it (§5)", eachEviction(ownerStarts)},
	{"may-evict", "who may evict whom (§5, the table)", eachEviction(mayEvict)},
	{"started-and-evicted", "no work is started and evicted by one decision (§5)", startedAndEvicted},
	{"starts-and-stays", "no work starts in reserved room, or is given room, and is evicted by one decision (§5)", startsAndStays},
	{"visits-come-first", "no work is given room, and none is evicted for room, that planned work takes by the same record (§5, §8)", takenByVisit},
	{"victims-minimal", "take any victim back and the newcomer no longer fits (§5)", eachOwner(minimal)},
	{"victims-in-class-order", "victims are the cheapest set in the order flex, unprotected, borrowing, less important (§5)", eachOwner(classOrder)},
	{"growth-takes-nobody's", "growth takes free and flex GPUs only, never in-quota work's (§5)", eachEviction(growthTakes)},
}

// Eviction is one workload told to leave some nodes, for another.
type Eviction struct {
	Owner, Victim *Job // as after the record; Was: the victim before
	Was           *Job
	Part, Before  *Part
	Whole         bool
	Spots         []fleet.Spot
	Class         string
}

func (m Moment) evictions() (list []Eviction) {
	for _, e := range m.Record.Events {
		e, ok := e.(event.ReplicasEvicted)
		if !ok || e.For == 0 {
			continue
		}
		x := Eviction{Owner: m.After.Job(e.For), Victim: m.After.Job(e.ID), Was: m.Before.Job(e.ID), Whole: e.Whole, Spots: e.Spots, Class: e.Class}
		if x.Was != nil && x.Was.At != "" {
			x.Before, x.Part = m.Before.Part(x.Was.At), m.After.Part(x.Was.At)
		} else if x.Victim != nil && x.Victim.At != "" {
			x.Before, x.Part = m.Before.Part(x.Victim.At), m.After.Part(x.Victim.At)
		}
		if x.Part != nil && x.Victim != nil {
			list = append(list, x)
		}
	}
	return list
}

func eachEviction(look func(Moment, Eviction, *said)) func(Moment) []string {
	return func(m Moment) []string {
		var s said
		for _, e := range m.evictions() {
			look(m, e, &s)
		}
		return s
	}
}

// eachOwner hands on all evictions for one owner together.
func eachOwner(look func(Moment, []Eviction, *said)) func(Moment) []string {
	return func(m Moment) []string {
		var s said
		all := m.evictions()
		for i, e := range all {
			if e.Owner == nil || slices.IndexFunc(all, func(f Eviction) bool { return f.Owner == e.Owner }) < i {
				continue
			}
			var list []Eviction
			for _, f := range all {
				if f.Owner == e.Owner {
					list = append(list, f)
				}
			}
			look(m, list, &s)
		}
		return s
	}
}

// fresh is what a workload stands on or has reserved now and had not before, or lost by this record.
func fresh(m Moment, j *Job) []Unit {
	left := map[[2]int]int{}
	if old := m.Before.Job(j.ID); old != nil && old.At == j.At {
		for _, u := range old.Units {
			if u.Stays() {
				left[[2]int{u.Pool, u.Node}]++
			}
		}
	}
	for _, e := range m.Record.Events {
		for _, s := range gaveUp(e, j.ID) {
			for _, node := range s.Nodes {
				left[[2]int{s.Pool, node}]--
			}
		}
	}
	var list []Unit
	for _, u := range j.Units {
		if at := [2]int{u.Pool, u.Node}; u.Stays() {
			if left[at] > 0 {
				left[at]--
				continue
			}
			list = append(list, u)
		}
	}
	return list
}

// gaveUp is what a workload lost by an event, or gave back since it did not fit there.
func gaveUp(e event.Event, id uint64) []fleet.Spot {
	switch e := e.(type) {
	case event.ReplicasLost:
		if e.ID == id {
			return e.Spots
		}
	case event.ReplicasUnfit:
		if e.ID == id {
			return e.Spots
		}
	}
	return nil
}

// unfit says whether some workload gave room back by this record where it did not fit: it never ran there.
func (m Moment) unfit(is func(*Job) bool) bool {
	return slices.ContainsFunc(m.Record.Events, func(e event.Event) bool {
		given, ok := e.(event.ReplicasUnfit)
		j := m.After.Job(given.ID)
		return ok && j != nil && is(j)
	})
}

func ownerStarts(m Moment, e Eviction, s *said) {
	if e.Owner == nil {
		s.add("%s was evicted for a workload that is gone", e.Victim.Name)
		return
	}
	if len(fresh(m, e.Owner)) == 0 && m.steps(e.Owner.ID) == 0 && !m.visitBegins() {
		s.add("%s was evicted for %s, which got nothing", e.Victim.Name, e.Owner.Name)
	}
}

func (e Eviction) holds() fleet.HeldAs {
	for _, u := range e.Was.Units {
		if u.Holds != fleet.NoHolds && slices.ContainsFunc(e.Spots, func(s fleet.Spot) bool { return s.Pool == u.Pool && slices.Contains(s.Nodes, u.Node) }) {
			return u.Holds
		}
	}
	return fleet.NoHolds
}

// rank is the best rank among what has to leave.
func (e Eviction) rank() int {
	rank := e.Victim.Pools[e.Spots[0].Pool].Rank
	for _, s := range e.Spots {
		rank = min(rank, e.Victim.Pools[s.Pool].Rank)
	}
	return rank
}

// gets is the least important rank of what the owner got.
func gets(m Moment, j *Job) int {
	rank := j.Base()
	for i, u := range fresh(m, j) {
		if r := j.Pools[u.Pool].Rank; i == 0 || r < rank {
			rank = r
		}
	}
	return rank
}

// passed says whether a workload started while a more important one of its queue waited, and because that could evict it.
func passed(o, was *Job) bool { return was.Passed == o.ID && o.Submitted < was.Started }

func mayEvict(m Moment, e Eviction, s *said) {
	if e.Owner == nil || e.Was == nil || e.Owner == e.Victim {
		return
	}
	o, v := e.Owner, e.Victim
	more := Above(o, gets(m, o), v, e.rank())
	surplus := !e.Whole && v.Priority >= o.Priority
	more = more || v.Late || e.Was.Late // past its declared maximum it is the first victim
	switch {
	case o.Flexes() && !v.Flexes():
		s.add("%s of %s was evicted for %s, which is on flex", v.Name, v.Target, o.Name)
	case o.Flexes():
		fair(m, e, more || surplus, s)
	case v.Flexes():
	case e.holds() == fleet.HoldsUnprotected:
	case m.reclassed(e):
	case o.Target != v.Target && e.holds() == fleet.HoldsGuaranteed:
		s.add("%s is guaranteed in %s and was evicted for %s of %s", v.Name, v.Target, o.Name, o.Target)
	case o.Tree != v.Tree:
		s.add("%s of %s (%s) was evicted for %s of another tree", v.Name, v.Target, e.holds(), o.Name)
	case o.Target == v.Target && e.holds() == fleet.HoldsGuaranteed && !more && !surplus:
		s.add("%s was evicted for %s, which is not more important", v.Name, o.Name)
	case o.Target == v.Target && e.holds() == fleet.HoldsGuaranteed && e.Whole && m.borrows(o) && !passed(o, e.Was):
		s.add("%s is guaranteed and was evicted for %s, which borrows", v.Name, o.Name)
	}
}

// borrows says whether all that a workload got by the record was given to it as borrowing.
func (m Moment) borrows(j *Job) bool {
	got := false
	for _, e := range m.Record.Events {
		if e, ok := e.(event.ReplicasPlaced); ok && e.ID == j.ID {
			if got = true; e.Holds != fleet.HoldsBorrowing {
				return false
			}
		}
	}
	return got
}

// reclassed says whether what the victim was guaranteed by fell, or changed hands,
// by the same record.
func (m Moment) reclassed(e Eviction) bool {
	if m.changed() || m.fell(e.Part) {
		return true
	}
	return slices.ContainsFunc(m.Record.Events, func(x event.Event) bool {
		h, ok := x.(event.HoldsChanged)
		return ok && h.ID == e.Victim.ID
	})
}

// broken says whether a node of the victim left service before: it has to leave anyway.
func (e Eviction) broken() bool {
	return slices.ContainsFunc(e.Was.Units, func(u Unit) bool { n := e.Part.Nodes[u.Node]; return !n.Whole() && n.State != fleet.Suspect })
}

// visitBegins says whether planned work took a node by this record: a visit began there, or it is leaving now.
func (m Moment) visitBegins() bool {
	return slices.ContainsFunc(m.Record.Events, func(e event.Event) bool {
		v, visit := e.(event.VisitMoved)
		l, leaves := e.(event.NodeLeaving)
		return visit && v.Visit.State == fleet.VisitDraining || leaves && l.Leaving
	})
}

func startedAndEvicted(m Moment) (list []string) {
	if m.visitBegins() {
		return nil // takenByVisit looks
	}
	return m.givenAndTaken()
}

// takenByVisit looks at records by which planned work began on a node.
func takenByVisit(m Moment) []string {
	if !m.visitBegins() {
		return nil
	}
	list := m.givenAndTaken()
	for _, e := range m.evictions() {
		if e.Owner != nil && len(fresh(m, e.Owner)) == 0 {
			list = append(list, e.Victim.Name+" was evicted for "+e.Owner.Name+", whose room planned work took")
		}
	}
	return list
}

// startsAndStays looks at work that started in the room that was reserved for it, and was told to leave at once.
func startsAndStays(m Moment) []string { return m.takenAgain(true) }

// givenAndTaken finds work that was given room and told to leave by one record.
func (m Moment) givenAndTaken() []string { return m.takenAgain(false) }

// takenAgain is givenAndTaken, and where asked also of room in which work started.
func (m Moment) takenAgain(started bool) (list []string) {
	placed := map[uint64]map[[2]int]bool{}
	for _, e := range m.Record.Events {
		switch e := e.(type) {
		case event.ReplicasPlaced:
			if placed[e.ID] == nil {
				placed[e.ID] = map[[2]int]bool{}
			}
			for at := range spots(e.Spots) {
				placed[e.ID][at] = true
			}
		case event.ReplicasStarted:
			if started {
				placed[e.ID] = m.reserved(e.ID, placed[e.ID])
			}
		case event.ReplicasEvicted:
			same := e.Whole && len(placed[e.ID]) > 0
			for at := range spots(e.Spots) {
				same = same || placed[e.ID][at]
			}
			if j := m.After.Job(e.ID); same && j != nil {
				list = append(list, j.Name+" was given room and told to leave by one record")
			}
		}
	}
	return list
}

// reserved adds the room that was reserved for a workload before the record.
func (m Moment) reserved(id uint64, had map[[2]int]bool) map[[2]int]bool {
	all := maps.Clone(had)
	if all == nil {
		all = map[[2]int]bool{}
	}
	if j := m.Before.Job(id); j != nil {
		for _, u := range j.Units {
			if u.Phase == fleet.Reserved {
				all[[2]int{u.Pool, u.Node}] = true
			}
		}
	}
	return all
}

// spots is pools and nodes.
func spots(list []fleet.Spot) map[[2]int]bool {
	all := map[[2]int]bool{}
	for _, s := range list {
		for _, node := range s.Nodes {
			all[[2]int{s.Pool, node}] = true
		}
	}
	return all
}

// pieces of what an owner got: its pools that it had nothing of before, whole; of
// others only replicas of elastic pools can be told.
func piecesOf(m Moment, o *Job) (list []Piece, ok bool) {
	got := map[int]int{}
	for _, u := range fresh(m, o) {
		got[u.Pool]++
	}
	for i, pool := range o.Pools {
		n := got[i]
		if n == 0 {
			continue
		}
		if !pool.Elastic && pool.Min > 1 && n != pool.Min {
			return nil, false // being mended
		}
		list = append(list, pieceOf(pool, n))
	}
	return list, true
}

func growthTakes(m Moment, e Eviction, s *said) {
	if e.Owner == nil || e.Was == nil || e.Owner.Flexes() || e.Victim.Flexes() {
		return
	}
	old := m.Before.Job(e.Owner.ID)
	if old == nil || old.State != fleet.RunningW {
		return
	}
	got := map[int]int{}
	for _, u := range fresh(m, e.Owner) {
		got[u.Pool]++
	}
	if len(got) == 0 {
		return // ownerStarts says so
	}
	for pool, n := range got {
		if p := e.Owner.Pools[pool]; !p.Elastic || e.Owner.Count(pool)-n < p.Min {
			return
		}
	}
	s.add("%s of %s (%s) was evicted for growth of %s", e.Victim.Name, e.Victim.Target, e.holds(), e.Owner.Name)
}
