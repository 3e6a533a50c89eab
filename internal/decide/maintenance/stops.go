package maintenance

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// stops ends the waits of work whose nodes were visited.
func (l *look) stops() (Action, bool) {
	for _, st := range l.m.Stops {
		if p := l.s.Partition(st.Partition); p != nil && !l.lively(p) {
			continue
		}
		if l.served(st) {
			return Action{Kind: EndStop, Stop: st}, true
		}
	}
	return Action{}, false
}

// asks stops work whose moment has come: its owner agreed, or a deadline leaves no later one. It is asked when no
// visit may begin that needs no stop: as many visits go on either way, and work that stops sooner only waits longer.
func (l *look) asks() (Action, bool) {
	for _, r := range l.m.Rollouts {
		if !visiting(r) || !l.due(r) {
			continue
		}
		if a, ok := l.asked(r); ok {
			return a, true
		}
	}
	return l.agreedForNotices()
}

// agreedForNotices stops work whose owner agreed to a moment that has come, for an announced maintenance of its nodes that
// waits for nothing else.
func (l *look) agreedForNotices() (Action, bool) {
	for _, a := range l.m.Agreed {
		w := l.s.Workloads[a.ID]
		if w == nil || a.At > l.now || w.Flexes() || w.State != fleet.RunningW {
			continue
		}
		for _, node := range nodesOf(w) {
			if o := l.waitsFor(w, w.At(), node); o != nil {
				return Action{Kind: BeginStop, Stop: fleet.Stop{ID: w.ID, Partition: w.At().ID, Nodes: nodesOf(w), At: l.now, Notice: o.Name}}, true
			}
		}
	}
	return Action{}, false
}

// waitsFor is the announced maintenance that would take a node now if a workload on it stopped; nil: none would.
func (l *look) waitsFor(w *fleet.Workload, p *fleet.Partition, node int) *fleet.Notice {
	for _, o := range l.m.Notices {
		if o.Provider || !o.Waits(p.Nodes[node].Name) || l.takes(o, p, p.Nodes[node]) > l.now {
			continue
		}
		if why, held := l.heldBy(o, p, node); held && why.Code == InUse && promise.PartIfStopped(l.s, p, node, w, l.now).Holds {
			return o
		}
	}
	return nil
}

// served says whether a stop has served all visits that are allowed in it: none of its nodes is being
// visited, and none may be next.
func (l *look) served(st fleet.Stop) bool {
	p, w := l.s.Partition(st.Partition), l.s.Workloads[st.ID]
	if p == nil || w == nil || w.State.Ended() {
		return true
	}
	for _, node := range st.Nodes {
		n := p.Nodes[node]
		if n.Visit != nil && !n.Visit.State.Ended() {
			return false
		}
		for _, r := range l.m.Rollouts {
			if x, ok := l.pendingOn(r, p, node); ok {
				if _, ok := l.mayBegin(r, x, l.proven); ok || l.full(r.Limits, x) && l.unbarred(r, x) {
					return false
				}
			}
		}
	}
	return true
}

// unbarred says whether the limits alone keep a visit back.
func (l *look) unbarred(r *fleet.Rollout, x pending) bool {
	free := *r
	free.Limits = fleet.VisitLimit{PerIsland: 1 << 30, PerPartition: 1 << 30}
	_, ok := l.mayBegin(&free, x, l.proven)
	return ok
}

func (l *look) proven(x pending) (Wait, bool) {
	return Wait{Code: Unproven}, x.proven
}

// pendingOn is what a running rollout still brings to a node, or false.
func (l *look) pendingOn(r *fleet.Rollout, p *fleet.Partition, node int) (pending, bool) {
	n := p.Nodes[node]
	if r.State != fleet.RolloutRunning || r.Joined != "" || r.Stage == 0 || !r.Covers(p, n) || r.FailedOn(n.Name) {
		return pending{}, false
	}
	b := BundleFor(l.m, r.Updates, p.GPU)
	if len(b.Brings) == 0 || n.Runs.Has(b.Brings) || !disturbs(n, &b) {
		return pending{}, false
	}
	return pending{p: p, at: node, n: n, b: &b, target: targetOf(l.m, p.GPU, n.Runs, &b)}, true
}

// asked stops the in-quota work whose moment has come: of those that hold nodes which the rollout
// still has to visit, the one that ends soonest and loses least.
func (l *look) asked(r *fleet.Rollout) (Action, bool) {
	c := l.counted(r)
	var due []*fleet.Workload
	for _, x := range c.pending {
		for _, at := range x.n.Residents() {
			w := at.Workload
			if w.Flexes() || at.Phase != fleet.Running || w.State != fleet.RunningW || slices.Contains(due, w) || l.moment(r, x.b, w) > l.now {
				continue
			}
			if l.wouldServe(r, x, w) {
				due = append(due, w)
			}
		}
	}
	if len(due) == 0 {
		return Action{}, false
	}
	w := slices.MinFunc(due, func(a, b *fleet.Workload) int {
		return cmp.Or(cmp.Compare(a.Unsaved(l.now), b.Unsaved(l.now)), cmp.Compare(a.ID, b.ID))
	})
	return Action{Kind: BeginStop, Stop: fleet.Stop{ID: w.ID, Partition: w.At().ID, Nodes: nodesOf(w), At: l.now, Rollout: r.Name}}, true
}

// Broken is the stop of a gang in a partition that a failed node has broken: it is mended anyway, and one stop serves
// all visits of its nodes. false: there is no such gang, or none of its nodes may be visited now.
func Broken(s *fleet.State, p *fleet.Partition, now fleet.Instant) (Action, bool) {
	l := newLook(s, now)
	for _, w := range p.Broken() {
		if w.Flexes() || !lacksBase(w) {
			continue
		}
		if r := l.wouldVisit(p, w); r != nil {
			return Action{Kind: BeginStop, Stop: fleet.Stop{ID: w.ID, Partition: p.ID, Nodes: nodesOf(w), At: now, Rollout: r.Name}}, true
		}
	}
	return Action{}, false
}

// wouldVisit is a rollout that may visit a node of a workload at once if the work on it stopped; nil: there is none.
func (l *look) wouldVisit(p *fleet.Partition, w *fleet.Workload) *fleet.Rollout {
	for _, r := range l.m.Rollouts {
		for _, node := range nodesOf(w) {
			if x, ok := l.pendingOn(r, p, node); ok && x.b.NotBefore <= l.now && l.wouldServe(r, x, w) {
				return r
			}
		}
	}
	return nil
}

// lacksBase says whether a gang that must run as a whole has lost a part of it.
func lacksBase(w *fleet.Workload) bool {
	for i, pool := range w.Pools {
		if stays := w.Stays(i); pool.Rank == w.BaseRank() && !pool.Elastic && 0 < stays && stays < pool.Min {
			return true
		}
	}
	return false
}

// wouldServe says whether a node could be visited if a workload on it stopped: work stops only for a visit that may then be made.
func (l *look) wouldServe(r *fleet.Rollout, x pending, w *fleet.Workload) bool {
	if _, ok := l.proven(x); !ok || waveFull(r, l.counted(r)) {
		return false
	}
	why, ok := l.allowed(r, x)
	if !ok && why.Code == WouldBreakPromise {
		ok = promise.PartIfStopped(l.s, x.p, x.at, w, l.now).Holds
	}
	return ok && !x.n.State.InRepair() && disturbs(x.n, x.b)
}

// urgent says whether flex work on a node need not have run its minimum: a deadline leaves no time, or
// work has stopped for the node.
func (l *look) urgent(_ *fleet.Rollout, x *pending) bool {
	if l.stopped(x.p, x.at) {
		return true
	}
	return x.b.Deadline != 0 && x.b.Deadline.Add(-2*(x.b.Lasts+l.policy().Validation)) <= l.now
}

// stopped says whether work has stopped for a node.
func (l *look) stopped(p *fleet.Partition, node int) bool {
	return slices.ContainsFunc(l.m.Stops, func(st fleet.Stop) bool { return st.Partition == p.ID && slices.Contains(st.Nodes, node) })
}

// nodesOf lists the nodes on which a workload stands, in order.
func nodesOf(w *fleet.Workload) []int {
	var nodes []int
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			nodes = append(nodes, r.Node)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// Concerns says whether a visit is planned on a node where a workload stands: of a rollout, or one that
// was announced.
func Concerns(s *fleet.State, w *fleet.Workload) bool {
	p := w.At()
	if p == nil {
		return false
	}
	for _, node := range nodesOf(w) {
		n := p.Nodes[node]
		if slices.ContainsFunc(s.Kept().Notices, func(o *fleet.Notice) bool { return o.Impact.Disturbs() && o.Waits(n.Name) }) {
			return true
		}
		for _, r := range s.Kept().Rollouts {
			if !r.Open() || !r.Covers(p, n) || r.FailedOn(n.Name) {
				continue
			}
			if b := BundleFor(s.Kept(), r.Updates, p.GPU); len(b.Brings) > 0 && !n.Runs.Has(b.Brings) {
				return true
			}
		}
	}
	return false
}
