package oracle

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// fair judges evictions on flex: at home the less important; elsewhere what is
// above its share and has run its minimum time.
func fair(m Moment, e Eviction, more bool, s *said) {
	o, v := e.Owner, e.Victim
	if o.Space == v.Space {
		if !more {
			s.add("%s was evicted for %s of its own namespace, which is not more important", v.Name, o.Name)
		}
		return
	}
	if e.Whole && m.After.At.Sub(e.Was.Started) < m.After.Policy.FlexRun() {
		s.add("%s was evicted for %s of another namespace after %s", v.Name, o.Name, m.After.At.Sub(e.Was.Started))
	}
	if old := m.Before.Job(o.ID); e.Was.Passed == o.ID && (e.Whole || old == nil || old.State != fleet.RunningW) {
		return // it passed the head, which takes the room back when it starts, shares notwithstanding
	}
	if len(m.After.Parts) > 1 || m.visitBegins() {
		return // what a workload asks for in two partitions counts in both until it starts; a visit makes shares smaller later
	}
	_, share := e.Part.space(o.Space)
	_, before := e.Before.space(o.Space)
	used := e.Part.usedBy(m, o)
	if used > max(share, before) {
		s.add("%s evicted %s: %s has %d GPUs with it, its share is %d", o.Name, v.Name, o.Space, used, share)
	}
	had, before := e.Before.space(v.Space)
	now, share := e.Part.space(v.Space)
	lost := e.Part.lostBy(m, v.Space) // other work of the namespace may have started before
	had = max(had, now+lost, e.Part.stays(v.Space)+lost, e.Before.stays(v.Space))
	if had <= min(share, before) {
		s.add("%s was evicted for %s: %s has %d GPUs, its share is %d", v.Name, o.Name, v.Space, had, share)
	}
}

// lostBy is the flex that a namespace lost by a record: what was evicted, and room that was reserved.
func (p *Part) lostBy(m Moment, space string) (gpus int) {
	for _, e := range m.Record.Events {
		var spots []fleet.Spot
		var id uint64
		switch e := e.(type) {
		case event.ReplicasEvicted:
			spots, id = e.Spots, e.ID
		case event.ReservationEnded:
			spots, id = e.Spots, e.ID
		}
		of := m.After.Job(id)
		if of == nil || of.Space != space || !of.Flexes() {
			continue
		}
		for _, s := range spots {
			gpus += p.usable(s.Nodes) * of.Pools[s.Pool].GPUs
		}
	}
	return gpus
}

// usedBy is the flex of a namespace with its newcomer, without what others of it,
// and growth of the newcomer, got by the same record: that may have come after.
func (p *Part) usedBy(m Moment, o *Job) (used int) {
	used = p.stays(o.Space)
	for _, k := range m.After.Jobs {
		if !k.Flexes() || k.Space != o.Space || k.At != p.ID {
			continue
		}
		old, least := m.Before.Job(k.ID), 0
		runs := old != nil && len(old.Units) > 0
		for _, u := range fresh(m, k) {
			pool := k.Pools[u.Pool]
			if k != o || runs || pool.Elastic || pool.Rank > o.Base() {
				used -= u.GPUs()
			}
			if least == 0 || u.GPUs() < least {
				least = u.GPUs()
			}
		}
		if k == o && runs {
			used += least
		}
	}
	return used
}

// stays is what a namespace has on flex, with the room that is reserved for it while in-quota work leaves it.
func (p *Part) stays(space string) (gpus int) {
	for _, u := range p.Units {
		if u.Job.Flexes() && u.Job.Space == space && u.Stays() && p.Nodes[u.Node].Usable() > 0 {
			gpus += u.GPUs()
		}
	}
	return gpus
}

// usable counts the nodes of a list that are usable: what stands on others is stranded, and no part of flex.
func (p *Part) usable(nodes []int) (n int) {
	for _, node := range nodes {
		if p.Nodes[node].Usable() > 0 {
			n++
		}
	}
	return n
}

// space is what a namespace uses of flex and its share.
func (p *Part) space(name string) (used, share int) {
	for _, n := range p.Spaces {
		if n.Namespace == name {
			return n.FlexUsed, n.FlexShare
		}
	}
	return 0, 0
}
