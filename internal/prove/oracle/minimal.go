package oracle

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// without is what stays after the record, less what the owner got by it.
func (e Eviction) without(m Moment, drop func(Unit) bool) []Unit {
	got := fresh(m, e.Owner)
	var list []Unit
	for _, u := range e.Part.Units {
		if i := slices.IndexFunc(got, func(g Unit) bool { return g == u }); i >= 0 {
			got = slices.Delete(got, i, i+1)
			continue
		}
		if u.Stays() && !drop(u) {
			list = append(list, u)
		}
	}
	return list
}

// minimal takes one victim back at a time, and looks whether the owner has room anyway.
func minimal(m Moment, list []Eviction, s *said) {
	first := list[0]
	want, ok := piecesOf(m, first.Owner)
	if !ok || len(want) == 0 || first.Owner.At != first.Part.ID || first.Part.Stale || m.aligned(first.Part) || !m.oneStep(first.Owner) {
		return
	}
	stay := append(first.without(m, func(Unit) bool { return false }), m.evictedForOthers(first)...)
	for _, e := range list {
		if e.Was == nil || e.broken() || e.Was.Late || e.Victim.Late || e.packed(want) {
			continue
		}
		for _, back := range e.backs() {
			if e.Part.finds(first.Owner, want, append(slices.Clone(stay), back...)) {
				s.add("%s was evicted for %s, which has room beside it", e.Victim.Name, e.Owner.Name)
				break
			}
		}
	}
}

// oneStep says whether an owner got room by one step of the record, and no work got
// room there only to lose it again. Otherwise each step saw other room than there is in the end.
func (m Moment) oneStep(o *Job) bool {
	return m.steps(o.ID) == 1 && len(startsAndStays(m)) == 0
}

// aligned says whether backing moved by the same record, before or after.
func (m Moment) aligned(p *Part) bool {
	return slices.ContainsFunc(m.Record.Events, func(e event.Event) bool {
		a, ok := e.(event.BackingAligned)
		return ok && a.Partition == p.ID && len(a.Backing) > 0
	})
}

// evictedForOthers is what left for other owners, went back to its queue, or gave up reserved room by the same
// record, before or after: it is taken as still there.
func (m Moment) evictedForOthers(e Eviction) (units []Unit) {
	for _, x := range m.Record.Events {
		switch x := x.(type) {
		case event.GangReturned:
			units = append(units, m.wentBack(e, x.ID, x.Spots)...)
		case event.ReservationEnded:
			units = append(units, m.wentBack(e, x.ID, x.Spots)...)
		}
	}
	for _, other := range m.evictions() {
		if other.Owner == e.Owner || other.Part != e.Part || other.Was == nil {
			continue
		}
		for _, back := range other.backs() {
			units = append(units, back...)
		}
	}
	return units
}

// wentBack is what of a workload stood, or was reserved, in the partition of an eviction before it went back to its queue.
func (m Moment) wentBack(e Eviction, id uint64, left []fleet.Spot) (units []Unit) {
	j := m.Before.Job(id)
	if j == nil || j == e.Owner || j.At != e.Part.ID {
		return nil
	}
	told := spots(left)
	for _, u := range j.Units {
		if told[[2]int{u.Pool, u.Node}] && u.Stays() {
			units = append(units, u)
		}
	}
	return units
}

// packed says whether replicas smaller than a node were packed as if no flex work
// were there, as they are inside a quota's backing (decision record 0004).
func (e Eviction) packed(want []Piece) bool {
	return !e.Owner.Flexes() && e.Victim.Flexes() && slices.ContainsFunc(want, func(p Piece) bool { return p.GPUs < e.Part.PerNode })
}

// backs lists what could be taken back alone: all of a workload, or pool, that
// leaves; each replica of a surplus.
func (e Eviction) backs() (list [][]Unit) {
	var all []Unit
	told := 0
	for _, spot := range e.Spots {
		told += len(spot.Nodes)
		for _, node := range spot.Nodes {
			for _, u := range e.Was.Units {
				if u.Pool == spot.Pool && u.Node == node && u.Phase == fleet.Running {
					all = append(all, u)
					break
				}
			}
		}
	}
	if len(all) < told || told == 0 || e.Was.State != fleet.RunningW || slices.ContainsFunc(e.Was.Units, func(u Unit) bool { return u.Phase == fleet.Reserved }) {
		return nil // it was given some of that room by the same record
	}
	pool := e.Spots[0].Pool
	if e.Whole || len(e.Spots) > 1 || !e.Victim.Pools[pool].Elastic || e.Victim.Count(pool) == 0 {
		return [][]Unit{all}
	}
	for _, u := range all {
		list = append(list, []Unit{u})
	}
	return list
}

func filter(units []Unit, pick func(Unit) bool) []Unit {
	var list []Unit
	for _, u := range units {
		if pick(u) {
			list = append(list, u)
		}
	}
	return list
}

// classOrder looks whether flex work alone would have been enough.
func classOrder(m Moment, list []Eviction, s *said) {
	first := list[0]
	want, ok := piecesOf(m, first.Owner)
	if !ok || len(want) == 0 || first.Owner.Flexes() || first.Owner.At != first.Part.ID || first.Part.Stale || m.aligned(first.Part) || !m.oneStep(first.Owner) {
		return
	}
	var back []Unit
	worst := ""
	for _, e := range list {
		if e.Was == nil || e.Victim.Flexes() {
			continue
		}
		if e.Was.Late || e.Victim.Late {
			return // past its declared maximum it is the first victim of whatever it delays
		}
		taken := e.backs()
		if len(taken) == 0 || e.broken() {
			return // it was given that room by the same record
		}
		for _, b := range taken {
			back = append(back, b...)
		}
		worst = e.Victim.Name
	}
	if worst == "" {
		return
	}
	stay := append(first.without(m, func(u Unit) bool { return u.Job.Flexes() }), m.evictedForOthers(first)...)
	if first.Part.finds(first.Owner, want, append(stay, back...)) {
		s.add("%s was evicted for %s, and flex work alone would have been enough", worst, first.Owner.Name)
	}
}
