package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file answers whether work that came to a node, or went, may let a rollout do something. Thousands of submissions
// touch nodes that a rollout still has to visit, and hardly any of them frees one for its visit.

// stirs says whether a rollout is to be looked at because work on a node changed. It is not, where the node itself gives the
// answer: it is not to be visited, or the work on it, a zone or a full island keeps its visit back.
func (l *look) stirs(r *fleet.Rollout, p *fleet.Partition, node int, watch fleet.Watch) bool {
	n := p.Nodes[node]
	if !slices.Contains(watch.Near[p.ID], n.Island) {
		return false
	}
	if watch.Starts <= l.now || short(watch, p) || l.otherRooms(r, p, watch, n.Island) || l.spared(p, watch, n.Island) {
		return true // work may have to stop, or fewer nodes hold others up, or more may be out
	}
	if _, lacks := slices.BinarySearch(watch.Lacks[p.ID], node); !lacks {
		return false
	}
	b := BundleFor(l.m, r.Updates, p.GPU)
	return l.inLine(r, pending{p: p, at: node, n: n, b: &b}, watch)
}

// short says whether room was lacking for nodes of a partition that need not be waited for, beside one that was to leave.
func short(watch fleet.Watch, p *fleet.Partition) bool {
	return slices.ContainsFunc(watch.Shorts, func(s fleet.Short) bool { return s.Partition == p.ID && s.Need > 1 })
}

// inLine says whether neither work nor a zone nor a full island keeps back the visit of a node. What ends by itself is
// remembered, so that the rollout is looked at then.
func (l *look) inLine(r *fleet.Rollout, x pending, watch fleet.Watch) bool {
	if _, why, ok := l.rated(x.n, !disturbs(x.n, x.b), l.urgent(r, &x)); !ok {
		if !why.declared {
			l.until(r, why.Until)
		}
		return false
	}
	if why, ok := l.led(r, x); !ok {
		l.until(r, why.Until)
		return false
	}
	if hit, ok := l.zoned(x.p, x.n, x.b.Impact, x.b.Lasts+l.policy().Validation); ok {
		l.until(r, hit.span.To)
		return false
	}
	if !l.full(r.Limits, x) {
		return true
	}
	return l.traffic(x.p).all >= mostOut(r.Limits, x.p) && !watch.Held
}

// sooner is what to watch for a rollout that is not looked at: what it was, and what work that came to its nodes keeps back
// for a time.
func (l *look) sooner(r *fleet.Rollout) fleet.Watch {
	w, known := l.longer[r.Name]
	if !known {
		w = l.s.WatchOf(r.Name)
	}
	if at, ends := l.soon[r.Name]; ends {
		w.At = min(w.At, at)
	}
	return w
}

// onlyLonger says whether nothing follows for a rollout from visits that take another time than they were measured to, but
// another moment from which on work may be asked to stop for it.
func (l *look) onlyLonger(r *fleet.Rollout, watch fleet.Watch) bool {
	if r.State != fleet.RolloutRunning || r.Joined != "" {
		return true
	}
	if len(l.m.Zones) > 0 || len(l.m.Stops) > 0 || len(l.m.Agreed) > 0 || r.Hunt != nil {
		return false
	}
	for _, p := range l.s.Partitions {
		if len(watch.Lacks[p.ID]) == 0 {
			continue
		}
		b := BundleFor(l.m, r.Updates, p.GPU)
		if b.Deadline == 0 {
			continue
		}
		l.rest[r] = watch.Rounds
		from := l.soonest(r, &b).Add(-l.policy().Horizon)
		urgent := b.Deadline.Add(-2 * (b.Lasts + l.policy().Validation))
		delete(l.rest, r)
		if from <= l.now || urgent <= l.now || watch.Rounds == 0 {
			return false
		}
		watch.Starts, watch.At = min(watch.Starts, from), min(watch.At, from, urgent)
	}
	l.longer[r.Name] = watch
	return true
}
