package oracle

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of what may be left waiting (§3, §5, §10.4).
var waitingLaws = []Law{
	{"private-cluster", "what would fit a private cluster of its quota's backed nodes is running, or Behind one that holds a reservation there (§3, §10.4)", eachWaiting(privateCluster)},
	{"tree-cluster", "a tree is a private cluster in the same way (§3)", eachWaiting(treeCluster)},
	{"flex-not-idle", "flex work that fits on free GPUs runs, unless a head of flex only waits for the minimum run time of those who passed it (§5)", eachWaiting(flexIdle)},
	{"flex-in-order", "on flex the namespace with the least use comes first (§5)", eachPart(flexOrder)},
}

// eachWaiting looks at every workload that waits, in every partition where it may run. One that stopped for visits waits
// until all that one stop may serve are over (maintenance, 2.4).
func eachWaiting(look func(m Moment, p *Part, j *Job, s *said)) func(Moment) []string {
	return func(m Moment) []string {
		var s said
		for _, j := range m.After.Jobs {
			if j.State != fleet.Pending || len(j.Units) > 0 || j.Stopped {
				continue
			}
			for _, p := range m.After.Parts {
				if !p.Stale && (j.Want == "" || j.Want == p.ID) {
					look(m, p, j, &s)
				}
			}
		}
		return s
	}
}

// waits says whether part of a workload has yet to start here, and the rank of the first such pool.
func (p *Part) waits(j *Job) (rank int, waits bool) {
	if j.Want != "" && j.Want != p.ID || j.At != "" && j.At != p.ID {
		return 0, false
	}
	rank = -1
	for i, pool := range j.Pools {
		if j.Count(i) < pool.Min && (rank < 0 || pool.Rank < rank) {
			rank = pool.Rank
		}
	}
	return rank, rank >= 0 && !j.State.Ended()
}

// lacks is what of a workload has yet to start at a rank.
func lacks(j *Job, rank int) (list []Piece) {
	for i, pool := range j.Pools {
		if n := pool.Min - j.Count(i); pool.Rank == rank && n > 0 {
			list = append(list, pieceOf(pool, n))
		}
	}
	return list
}

// needs is the same; where racks are is not known of a private cluster: an island may do.
func needs(j *Job, rank int) []Piece {
	list := lacks(j, rank)
	for i := range list {
		if list[i].Reach == fleet.ReachRack {
			list[i].Reach = fleet.ReachIsland
		}
	}
	return list
}

// mending says whether work of a quota, or tree, is being mended here: what it
// lacks is taken too, and cannot be seen.
func (p *Part) mending(of func(*Job) bool) bool {
	return slices.ContainsFunc(p.Units, func(u Unit) bool { return of(u.Job) && u.Job.State == fleet.Mending })
}

func privateCluster(m Moment, p *Part, j *Job, s *said) {
	if p.unsure(j) {
		return
	}
	q := p.Quota(j.Target)
	own := func(k *Job) bool { return k.Target == j.Target }
	if q == nil || q.Held || p.mending(own) {
		return
	}
	stay := p.of(func(u Unit) bool {
		return own(u.Job) && (!Above(j, j.Base(), u.Job, u.Job.Pools[u.Pool].Rank) || u.Phase != fleet.Running)
	})
	if !p.Cluster(q.Backing, stay).Fits(Base(j)) {
		return
	}
	for _, k := range m.After.Jobs {
		rank, waits := p.waits(k)
		if k == j || !own(k) || !waits || !Ahead(k, rank, j, j.Base()) {
			continue
		}
		if p.Cluster(q.Backing, basesOf(k)).Fits(byGPUs(needs(k, rank))) {
			return // it may hold a reservation
		}
	}
	s.add("%s waits (%s) though it fits the %v nodes that back %s", j.Name, reasonOf(j), q.Backing, q.Path)
}

// basesOf is what of a workload stands already: a pool of higher rank joins it.
func basesOf(j *Job) []Unit { return filter(j.Units, Unit.Stays) }

func reasonOf(j *Job) string {
	if len(j.Why) == 0 {
		return "no reason"
	}
	return string(j.Why[0].Code)
}

func treeCluster(m Moment, p *Part, j *Job, s *said) {
	names, backing := p.trees()
	if p.unsure(j) || j.Flexes() || !slices.Contains(names, j.Tree) || p.Quota(j.Target) == nil || p.Quota(j.Target).Held || j.spares(m.After.At) {
		return
	}
	kin := func(k *Job) bool { return k.Tree == j.Tree }
	unprotected := func(u Unit) bool { return u.Holds == fleet.HoldsUnprotected }
	if p.mending(kin) || slices.ContainsFunc(p.Units, unprotected) {
		return // a borrower may not evict unprotected work, wherever it stands
	}
	stay := p.of(func(u Unit) bool { return kin(u.Job) })
	room := p.Cluster(backing[j.Tree], stay)
	room.Slots = slices.DeleteFunc(room.Slots, func(s Slot) bool { return !s.Fresh }) // it may be another quota's
	if !room.Fits(Base(j)) {
		return
	}
	for _, k := range m.After.Jobs {
		rank, waits := p.waits(k)
		if k == j || !kin(k) || !waits || k.Target == j.Target && !Ahead(k, rank, j, j.Base()) {
			continue
		}
		if p.Cluster(backing[j.Tree], basesOf(k)).Fits(byGPUs(needs(k, rank))) {
			return
		}
	}
	s.add("%s waits (%s) though it fits the %v nodes that back tree %s", j.Name, reasonOf(j), backing[j.Tree], j.Tree)
}

// holdable says whether the usable nodes, were they all empty, could hold a workload
// now: a gang on one island, or rack.
func (p *Part) holdable(list []Piece) bool {
	return Sum(list) <= p.Figures.Flex && p.open(nil, nil).Fits(byGPUs(list))
}

// rests says whether a workload was evicted three times within the last hour: until that is over
// it starts only inside its quota's own backing (decision record 0017).
func (j *Job) rests(now fleet.Instant) bool { return j.evictedLately(now) >= 3 }

// spares says whether it was evicted twice within the last hour: until that is over it evicts no
// work, flex among it, for room that it would borrow (the same record).
func (j *Job) spares(now fleet.Instant) bool { return j.evictedLately(now) >= 2 }

func (j *Job) evictedLately(now fleet.Instant) (times int) {
	for _, at := range j.Evicted {
		if now.Sub(at) < time.Hour {
			times++
		}
	}
	return times
}

func flexIdle(m Moment, p *Part, j *Job, s *said) {
	if !j.Flexes() || p.unsure(j) || j.rests(m.After.At) || !p.open(p.Units, nil).Fits(Base(j)) {
		return
	}
	mine, _ := p.space(j.Space)
	for _, k := range m.After.Jobs {
		rank, waits := p.waits(k)
		if p.returnsBefore(k, j) {
			return
		}
		if k == j || !k.Flexes() || !waits {
			continue
		}
		if p.couldTakeBack(k, rank, j, m.After.At) {
			return
		}
		theirs, _ := p.space(k.Space)
		ahead := k.Space != j.Space && theirs <= mine+Sum(Base(j)) || k.Space == j.Space && Ahead(k, rank, j, j.Base())
		if ahead && p.holdable(needs(k, rank)) && p.onlyYoung(k, needs(k, rank)) {
			return
		}
	}
	s.add("%s waits (%s) on flex though it fits on free GPUs", j.Name, reasonOf(j))
}

// returnsBefore says whether flex work is on its way back to its queue, and comes before other flex work there: that leaves it room (§5,
// who is on its way back waits from that moment).
func (p *Part) returnsBefore(k, j *Job) bool {
	if k == j || !k.Flexes() || k.State != fleet.Evicting || k.At != p.ID {
		return false
	}
	if k.Space == j.Space {
		return Ahead(k, k.Base(), j, j.Base())
	}
	return p.staysOf(k.Space) <= p.staysOf(j.Space)
}

// staysOf is the GPUs of flex on which a namespace's work stays.
func (p *Part) staysOf(space string) (gpus int) {
	for _, u := range p.of(func(u Unit) bool { return u.Stays() && u.Job.Flexes() && u.Job.Space == space }) {
		gpus += u.GPUs()
	}
	return gpus
}

// couldTakeBack says whether more important work of its namespace might take the room of flex work as soon as that has
// started: then none of it starts, for no work is given room and told to leave by one decision.
func (p *Part) couldTakeBack(k *Job, rank int, j *Job, now fleet.Instant) bool {
	stay := p.of(func(u Unit) bool {
		return !u.Job.Flexes() || u.Job.Space != k.Space || !u.Job.pastMaximum(now) && !Above(k, rank, u.Job, u.Job.Pools[u.Pool].Rank)
	})
	return k.Space == j.Space && Above(k, rank, j, j.Base()) && p.open(stay, nil).Fits(byGPUs(needs(k, rank)))
}

// pastMaximum says whether a workload runs for longer than it declared, or did so before.
func (j *Job) pastMaximum(now fleet.Instant) bool {
	return j.Late || j.MaxRuntime > 0 && j.Started != 0 && now.Sub(j.Started) > j.MaxRuntime
}

// onlyYoung says whether a head of flex may find room as soon as what it may evict has run
// its minimum time: those who passed it, and namespaces above their share.
func (p *Part) onlyYoung(k *Job, want []Piece) bool {
	stay := p.of(func(u Unit) bool {
		used, share := p.space(u.Job.Space)
		return !u.Job.Flexes() || u.Job.Passed != k.ID && (u.Job.Space != k.Space || k.Priority >= u.Job.Priority) && used <= share
	})
	return len(want) > 1 || p.open(stay, nil).Fits(byGPUs(want))
}

// flexOrder looks for one that started on free room, though work of a namespace
// with less flex waited before and fits in its place.
func flexOrder(m Moment, p *Part, s *said) {
	was := m.Before.Part(p.ID)
	if was == nil || p.Stale || was.Stale {
		return
	}
	evicts := m.evictions()
	if slices.ContainsFunc(m.Record.Events, func(e event.Event) bool { return e.Kind() == "reservation.ended" }) {
		return // the room may have been handed on
	}
	for _, x := range m.After.Jobs {
		old := m.Before.Job(x.ID)
		if !x.Flexes() || x.At != p.ID || len(x.Units) == 0 || old != nil && len(old.Units) > 0 ||
			slices.ContainsFunc(evicts, func(e Eviction) bool { return e.Owner == x || e.Victim == x }) {
			continue
		}
		before := min(was.staying(x.Space), p.staying(x.Space)-started(m, x.Space))
		for _, y := range m.After.Jobs {
			first := m.Before.Job(y.ID)
			if !y.Flexes() || y.Space == x.Space || y.State != fleet.Pending || len(y.Units) > 0 || y.Want != "" && y.Want != p.ID || first == nil || first.State != fleet.Pending || y.rests(m.After.At) {
				continue
			}
			if slices.ContainsFunc(m.After.Jobs, func(k *Job) bool { // one that is on its way back may come first
				return k != y && k.Flexes() && k.Space == y.Space && slices.ContainsFunc(k.Units, func(u Unit) bool { return !u.Stays() })
			}) {
				continue
			}
			after, _ := p.space(y.Space)
			had, _ := was.space(y.Space)
			if had = max(had, after, p.staying(y.Space)); had >= before {
				continue
			}
			rest := p.of(func(u Unit) bool { return u.Job != x })
			if !p.unsure(y) && p.open(rest, nil).Fits(Base(y)) {
				s.add("%s of %s (%d GPUs) started before %s of %s (%d GPUs), which fits in its place", x.Name, x.Space, before, y.Name, y.Space, had)
			}
		}
	}
}

// staying is the flex of a namespace, without what was told to leave, and without what is stranded.
func (p *Part) staying(space string) (gpus int) {
	for _, u := range p.Units {
		if u.Job.Flexes() && u.Job.Space == space && u.Stays() && p.Nodes[u.Node].Usable() > 0 {
			gpus += u.GPUs()
		}
	}
	return gpus
}

// started is what a namespace's work on flex got by the record.
func started(m Moment, space string) (gpus int) {
	for _, j := range m.After.Jobs {
		if j.Flexes() && j.Space == space {
			for _, u := range fresh(m, j) {
				gpus += u.GPUs()
			}
		}
	}
	return gpus
}
