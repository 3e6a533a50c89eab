package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// leaves makes the nodes leaving whose in-quota work stops for a rollout within the horizon. The promise is
// asked now, so that it holds when their visits begin.
func (l *look) leaves() (Action, bool) {
	for _, r := range l.m.Rollouts {
		if !visiting(r) || !l.due(r) {
			continue
		}
		stay := map[holder]bool{} // nodes of one quota in one island are alike
		for _, x := range l.counted(r).pending {
			who := holder{spot{x.p, x.n.Island}, x.n.Owner()}
			if who.owner == nil || stay[who] || !x.n.Whole() || !disturbs(x.n, x.b) {
				continue
			}
			at := l.begins(r, x)
			if at.Add(-l.policy().Horizon) > l.now {
				continue
			}
			if l.mayLeave(r, x) {
				return Action{Kind: Leave, Partition: x.p, Node: x.at, Leaving: true, Goes: at}, true
			}
			stay[who] = true
		}
	}
	return Action{}, false
}

// holder is a quota's part of an island.
type holder struct {
	spot
	owner *fleet.Account
}

// visiting says whether a rollout has passed its canaries and goes on.
func visiting(r *fleet.Rollout) bool {
	return r.State == fleet.RolloutRunning && r.Joined == "" && r.Stage > 0
}

// mayLeave says whether the promise holds without the node, also while the rollout visits those nodes that it
// need not wait for: a node that leaves ahead of its visit never holds up another's.
func (l *look) mayLeave(r *fleet.Rollout, x pending) bool {
	free := 0
	for _, o := range l.counted(r).pending {
		if o.p != x.p || o.n.Leaving {
			continue
		}
		if _, _, ok := l.rated(o.n, false, true); ok {
			free++
		}
	}
	most := mostOut(r.Limits, x.p)
	in, need := spot{x.p, x.n.Island}, 1+min(free, most)
	if l.spareIn(in) < need {
		l.isShort(r, in, need)
		return false
	}
	_, ok := l.promised(x.p, x.at)
	return ok
}

// stillLeaves says whether a node that is leaving stays so: a rollout's visit is near, or the work on it has
// stopped for that visit. A moment that a deadline gives moves a little whenever a visit is over, so it counts for
// another horizon.
func (l *look) stillLeaves(p *fleet.Partition, node int) bool {
	if n := p.Nodes[node]; n.State == fleet.Maintenance || n.State == fleet.Retired {
		return false
	}
	for _, r := range l.m.Rollouts {
		x, ok := l.pendingOn(r, p, node)
		if !ok {
			continue
		}
		within := l.policy().Horizon
		if !l.agreedOn(x) {
			within *= 2
		}
		if l.stopped(p, node) || l.begins(r, x).Add(-within) <= l.now {
			return true
		}
	}
	return false
}

// short says whether healthy nodes that leave ahead of their visits are to back quotas again: nodes failed since they were
// asked, so a grant is not backed and the reserve for failures is used up. They do not leave again before that reserve is there.
func (l *look) short(p *fleet.Partition) bool {
	lacks := func(a *fleet.Account) bool { return a.BackedNodes() < a.GrantNodes() }
	return slices.ContainsFunc(p.Accounts, lacks) && promise.SpareOf(l.s, p, l.now) < 0
}

// agreedOn says whether an owner of work on the node agreed to a moment.
func (l *look) agreedOn(x pending) bool {
	return slices.ContainsFunc(x.n.Residents(), func(s fleet.Resident) bool {
		_, ok := agreedOf(l.m, s.Workload)
		return ok
	})
}

// wakeLeaving minds the moments at which work stops for a rollout, and those at which its nodes leave.
func (l *look) wakeLeaving(w *waker, r *fleet.Rollout, list []pending) {
	for _, x := range list {
		for _, s := range x.n.Residents() {
			if s.Workload.Flexes() {
				continue
			}
			if at := l.moment(r, x.b, s.Workload); at != fleet.Never {
				w.mind(at)
				w.mind(at.Add(-l.policy().Horizon))
			}
		}
		if at := l.begins(r, x); at != fleet.Never {
			w.mind(at.Add(-l.policy().Horizon))
		}
		if x.b.Deadline != 0 {
			w.mind(x.b.Deadline.Add(-2 * (x.b.Lasts + l.policy().Validation)))
		}
	}
}
