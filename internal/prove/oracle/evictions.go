package oracle

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of §5 about who has to leave.
var evictionLaws = []Law{
	{"owner-starts", "work is evicted only for a workload that starts because of it (§5)", eachEviction(ownerStarts)},
	{"may-evict", "who may evict whom (§5, the table)", eachEviction(mayEvict)},
	{"started-and-evicted", "no work is started and evicted by one decision (§5)", startedAndEvicted},
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

// fresh is what a workload stands on or has reserved now and had not before.
func fresh(m Moment, j *Job) []Unit {
	left := map[[2]int]int{}
	if old := m.Before.Job(j.ID); old != nil && old.At == j.At {
		for _, u := range old.Units {
			if u.Stays() {
				left[[2]int{u.Pool, u.Node}]++
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

func ownerStarts(m Moment, e Eviction, s *said) {
	if e.Owner == nil {
		s.add("%s was evicted for a workload that is gone", e.Victim.Name)
		return
	}
	if len(fresh(m, e.Owner)) == 0 {
		s.add("%s was evicted for %s, which got nothing", e.Victim.Name, e.Owner.Name)
	}
}

func (e Eviction) holds() fleet.Holds {
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
	}
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
	if e.Whole && m.After.At.Sub(e.Was.Started) < m.After.Policy.FlexMinimum {
		s.add("%s was evicted for %s of another namespace after %s", v.Name, o.Name, m.After.At.Sub(e.Was.Started))
	}
	if len(m.After.Parts) > 1 {
		return // what a workload asks for in two partitions counts in both until it starts
	}
	_, share := e.Part.space(o.Space)
	_, before := e.Before.space(o.Space)
	used := e.Part.usedBy(m, o)
	if used > max(share, before) {
		s.add("%s evicted %s: %s has %d GPUs with it, its share is %d", o.Name, v.Name, o.Space, used, share)
	}
	had, _ := e.Before.space(v.Space)
	now, share := e.Part.space(v.Space)
	for _, x := range m.evictions() { // other work of the namespace may have started before
		if x.Victim.Space == v.Space && x.Victim.Flexes() && x.Part == e.Part {
			for _, s := range x.Spots {
				now += len(s.Nodes) * x.Victim.Pools[s.Pool].GPUs
			}
		}
	}
	had = max(had, now)
	if _, before := e.Before.space(v.Space); had <= min(share, before) {
		s.add("%s was evicted for %s: %s has %d GPUs, its share is %d", v.Name, o.Name, v.Space, had, share)
	}
}

// usedBy is the flex of a namespace with its newcomer, without what others of it,
// and growth of the newcomer, got by the same record: that may have come after.
func (p *Part) usedBy(m Moment, o *Job) (used int) {
	for _, u := range p.Units {
		if u.Job.Flexes() && u.Job.Space == o.Space && u.Stays() {
			used += u.GPUs()
		}
	}
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

// space is what a namespace uses of flex and its share.
func (p *Part) space(name string) (used, share int) {
	for _, n := range p.Spaces {
		if n.Namespace == name {
			return n.FlexUsed, n.FlexShare
		}
	}
	return 0, 0
}

func startedAndEvicted(m Moment) (list []string) {
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
	return m.steps(o.ID) == 1 && len(startedAndEvicted(m)) == 0
}

// aligned says whether backing moved by the same record, before or after.
func (m Moment) aligned(p *Part) bool {
	return slices.ContainsFunc(m.Record.Events, func(e event.Event) bool {
		a, ok := e.(event.BackingAligned)
		return ok && a.Partition == p.ID && len(a.Backing) > 0
	})
}

// evictedForOthers is what left for other owners by the same record, before or
// after: it is taken as still there.
func (m Moment) evictedForOthers(e Eviction) (units []Unit) {
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

// finds says whether pieces of a workload find room on nodes beside what stays. True is certain.
func (p *Part) finds(j *Job, want []Piece, stay []Unit) bool {
	if j.Flexes() {
		return p.open(stay, nil).Fits(want)
	}
	q := p.Quota(j.Target)
	if q == nil || q.Held {
		return false
	}
	own := func(u Unit) bool { return u.Job.Target == j.Target }
	tree := func(u Unit) bool { return u.Job.Tree == j.Tree && !u.Job.Flexes() }
	r := p.open(stay, own)
	r.limit(p, filter(stay, own), q.Backing)
	_, backing := p.trees()
	r.limit(p, filter(stay, tree), backing[q.Tree])
	return r.Fits(want)
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

// open is the free room on real nodes. In-quota work (own is not nil) stands on
// whole nodes, and on none with in-quota work of another quota.
func (p *Part) open(stay []Unit, own func(Unit) bool) Room {
	r := Room{Fresh: len(p.Nodes), GPUs: len(p.Nodes) * p.PerNode}
	for i, n := range p.Nodes {
		free, touched, barred := n.Usable(), false, n.Usable() == 0 || own != nil && !n.Whole()
		for _, u := range stay {
			if u.Node != i {
				continue
			}
			free -= u.GPUs()
			if own != nil && own(u) {
				touched = true
			} else if own != nil && !u.Job.Flexes() {
				barred = true
			}
		}
		if free > 0 && !barred {
			r.Slots = append(r.Slots, Slot{n.Island, n.Rack, free, !touched})
		}
	}
	return r
}

// limit leaves only as many fresh nodes in each island, and GPUs, as the backing of
// some quotas has beside what stays of them.
func (r *Room) limit(p *Part, stay []Unit, backing []int) {
	per := p.touched(stay).perIsland(p)
	nodes := 0
	var slots []Slot
	used := make([]int, len(p.Islands))
	for _, s := range r.Slots {
		if s.Fresh {
			if used[s.Island]++; used[s.Island] > max(0, backing[s.Island]-per[s.Island]) {
				continue
			}
		}
		slots = append(slots, s)
	}
	gpus := 0
	for _, u := range stay {
		gpus += u.GPUs()
	}
	for i, n := range backing {
		nodes += n
		if per[i] > n {
			slots = slices.DeleteFunc(slots, func(s Slot) bool { return s.Island == i })
		}
	}
	r.Slots, r.GPUs = slots, min(r.GPUs, nodes*p.PerNode-gpus)
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
