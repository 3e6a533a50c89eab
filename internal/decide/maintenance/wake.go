package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// watches says by rollout what may change what it does: a moment, and changes in islands; "": what concerns every
// rollout. Of a rollout about which nothing has changed it stays.
func (l *look) watches() map[string]fleet.Watch {
	all := map[string]fleet.Watch{"": {At: l.wakeAll()}}
	for _, r := range l.m.Rollouts {
		if !r.Open() {
			continue
		}
		if !l.due(r) {
			all[r.Name] = l.sooner(r)
			continue
		}
		w := waker{now: l.now, at: fleet.Never}
		l.wake(&w, r)
		starts := l.startsFrom(r)
		w.mind(starts)
		watch := l.near(r)
		watch.At, watch.Starts = w.at, starts
		all[r.Name] = watch
	}
	return all
}

// near says on what a rollout hangs. These are the islands of the nodes that it still has to visit, or visits now. Where a
// limit or a promise keeps it back, or it has a moment, it is also how many nodes may be out. It hangs on everything in its
// partitions where a search goes on, or where backing was aligned to answer whether a promise holds.
func (l *look) near(r *fleet.Rollout) fleet.Watch {
	w := fleet.Watch{Wide: r.Hunt != nil, Near: map[string][]int{}, Held: l.back[r.Name], Rooms: l.rooms[r.Name], Shorts: l.shorts[r.Name]}
	l.eachOpen(func(p *fleet.Partition, _ int, n *fleet.Node) {
		if n.Visit.Rollout == r.Name && !slices.Contains(w.Near[p.ID], n.Island) {
			w.Near[p.ID] = append(w.Near[p.ID], n.Island)
		}
	})
	if r.State != fleet.RolloutRunning || r.Joined != "" {
		return w
	}
	for _, t := range l.outlook(r).Targets {
		w.Leads = append(w.Leads, fleet.LeadTo(t.GPU, t.Hash))
	}
	w.Lacks, w.Rounds = map[string][]int{}, l.rest[r]
	var last spot
	for _, x := range l.counted(r).pending {
		w.Lacks[x.p.ID] = append(w.Lacks[x.p.ID], x.at)
		if at := (spot{x.p, x.n.Island}); at != last {
			last = at
			w.Wide = w.Wide || l.tried[x.p]
			if !slices.Contains(w.Near[x.p.ID], x.n.Island) {
				w.Near[x.p.ID] = append(w.Near[x.p.ID], x.n.Island)
			}
		}
	}
	return w
}

// wakeAll is the next moment that concerns every rollout.
func (l *look) wakeAll() fleet.Instant {
	w := waker{now: l.now, at: fleet.Never}
	for _, z := range l.m.Zones {
		w.mind(z.NextEdge(l.now))
	}
	l.wakeNotices(&w)
	for _, a := range l.m.Agreed {
		w.mind(a.At)
	}
	for _, u := range l.m.Updates {
		w.mind(u.NotBefore)
	}
	for _, r := range l.m.Rollouts { // a canary's soak ends also where its rollout is over
		if !r.Open() {
			w.soaks(r)
		}
	}
	return w.at
}

// wakeNotices minds the begins of announced maintenances, and the moments at which their nodes leave.
func (l *look) wakeNotices(w *waker) {
	for _, o := range l.m.Notices {
		if o.Ended != 0 {
			continue
		}
		w.mind(o.Starts.Add(-l.policy().Horizon))
		w.mind(o.Starts)
		if !o.Provider && len(l.m.Zones) > 0 {
			l.wakeBehindZones(w, o)
		}
	}
}

// wakeBehindZones minds the moments at which zones move what people announced: from which on it could not end
// before a zone begins, and a horizon before the end of the zones over it.
func (l *look) wakeBehindZones(w *waker, o *fleet.Notice) {
	length := max(o.Lasts+l.policy().Validation, 1)
	for _, z := range l.m.Zones {
		if at := z.NextEdge(l.now); at != fleet.Never && z.Stops(o.Impact) {
			w.mind(at.Add(1 - length))
		}
	}
	for _, name := range o.Nodes {
		if p, i := l.s.FindNode(name); p != nil && o.Waits(name) {
			w.mind(l.takes(o, p, p.Nodes[i]).Add(-l.policy().Horizon))
		}
	}
}

// due says whether there may be something new about a rollout: something changed that concerns it, or its moment has
// come. The canaries of one that seeks them anywhere are everybody's matter.
func (l *look) due(r *fleet.Rollout) bool {
	due, known := l.dues[r]
	if !known {
		watch := l.s.WatchOf(r.Name)
		due = l.s.LooksAtAll(l.now) || l.s.Due(r.Name, l.now) || seeksAnywhere(r) || l.s.LooksAtLengths() && !l.onlyLonger(r, watch) ||
			l.changedFor(r, watch, (*fleet.Partition).News)
		l.dues[r] = due
	}
	return due
}

func seeksAnywhere(r *fleet.Rollout) bool { return r.Canary.Auto && (r.Stage == 0 || r.Hunt != nil) }

// stillCalm says whether a rollout was found to begin nothing before the last thing that maintenance did, and nothing that
// concerns it happened since.
func (l *look) stillCalm(r *fleet.Rollout) bool {
	watch, calm := l.s.Calm(r.Name)
	if !calm || seeksAnywhere(r) || l.s.Stirs(r.Name, watch) || l.changedFor(r, watch, (*fleet.Partition).Later) {
		return false
	}
	l.calm[r.Name] = watch
	return true
}

// calmed lists the rollouts that begin nothing: those that were asked by this look, and of those that were found so before
// all that nothing concerns that happened since.
func (l *look) calmed() map[string]fleet.Watch {
	for _, r := range l.m.Rollouts {
		if _, asked := l.calm[r.Name]; !asked && r.State == fleet.RolloutRunning && r.Joined == "" {
			l.stillCalm(r)
		}
	}
	return l.calm
}

// changedFor says whether something changed on which a rollout hangs.
func (l *look) changedFor(r *fleet.Rollout, watch fleet.Watch, of func(*fleet.Partition) fleet.News) bool {
	return slices.ContainsFunc(l.s.Partitions, func(p *fleet.Partition) bool {
		if !p.Looks() {
			return false
		}
		news := of(p)
		switch {
		case slices.ContainsFunc(watch.Near[p.ID], func(i int) bool { return slices.Contains(news.Near, i) }):
			return true
		case news.Room && (l.otherRooms(r, p, watch, -1) || l.spared(p, watch, -1)):
			return true
		case slices.ContainsFunc(news.Stirred, func(node int) bool { return l.stirs(r, p, node, watch) }):
			return true
		case watch.Wide && (news.Room || len(news.Near) > 0 || len(news.Stirred) > 0):
			return mayCover(r, p)
		}
		return (news.Wide || watch.Held && news.Room) && mayCover(r, p)
	})
}

// otherRooms says whether another number of nodes may be out than a rollout's moments were found by, in an island or (-1)
// anywhere in a partition.
func (l *look) otherRooms(r *fleet.Rollout, p *fleet.Partition, watch fleet.Watch, island int) bool {
	return slices.ContainsFunc(watch.Rooms, func(was fleet.Room) bool {
		return was.Partition == p.ID && (island < 0 || was.Island == island) && l.roomIn(r, spot{p, was.Island}).Differs(was)
	})
}

// spared says whether as many nodes are spare now as a rollout lacked, in an island or (-1) anywhere in a partition.
func (l *look) spared(p *fleet.Partition, watch fleet.Watch, island int) bool {
	return slices.ContainsFunc(watch.Shorts, func(was fleet.Short) bool {
		return was.Partition == p.ID && (island < 0 || was.Island == island) && l.spareIn(spot{p, was.Island}) >= was.Need
	})
}

// lively says whether there may be something new about a partition, or about a rollout there.
func (l *look) lively(p *fleet.Partition) bool {
	return p.Looks() || l.s.LooksAtAll(l.now) || slices.ContainsFunc(l.m.Rollouts, func(r *fleet.Rollout) bool {
		return r.Open() && l.due(r) && mayCover(r, p)
	})
}

// waker keeps the earliest moment that is still to come.
type waker struct{ now, at fleet.Instant }

func (w *waker) mind(at fleet.Instant) {
	if at > w.now && at < w.at {
		w.at = at
	}
}

// soaks minds the ends of the soaks of a rollout's canaries.
func (w *waker) soaks(r *fleet.Rollout) {
	for _, t := range r.Trials {
		if !t.Ended {
			w.mind(t.Until)
		}
	}
}

// wake minds the moments of one rollout: the soaks of its canaries, its reasons that time ends, its deadline, and the
// begins of zones that a visit must end before.
func (l *look) wake(w *waker, r *fleet.Rollout) {
	w.soaks(r)
	if r.State != fleet.RolloutRunning || r.Joined != "" {
		return
	}
	c := l.counted(r)
	o := l.outlook(r)
	for _, x := range o.Waits {
		if x.Code != InUse {
			w.mind(x.Until)
		}
	}
	w.mind(l.soon[r.Name]) // of work that is declared to end nothing follows but from its end
	l.wakeLeaving(w, r, c.pending)
	l.wakeZones(w, c.pending)
}

// wakeZones minds the moments from which on visits could not end before a zone begins: work that has stopped need not
// wait for them any longer, and nodes that were to be visited leave no more.
func (l *look) wakeZones(w *waker, list []pending) {
	lengths := map[*Bundle]bool{}
	for _, x := range list {
		if lengths[x.b] {
			continue
		}
		lengths[x.b] = true
		length := max(x.b.Lasts+l.policy().Validation, 1)
		for _, z := range l.m.Zones {
			if at := z.NextEdge(l.now); at != fleet.Never && z.Stops(x.b.Impact) {
				w.mind(at.Add(1 - length))
			}
		}
	}
}
