package api

import (
	"context"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says which changes by people took what a waiting workload lacks (semantics §7): grants that
// were lowered or moved, policies by which backing fell, and holds. Haircuts stand in the blocker's text.

// lacking is what a blocker says that a workload lacks.
type lacking struct {
	quotas []standing
	holds  []uint64
}

// standing is what a quota has in a partition now, in GPUs.
type standing struct {
	account
	grant, backed int
}

// lackings are what the blockers of a workload say, in their order.
func lackings(s *fleet.State, w *fleet.Workload, list []explain.Blocker) []lacking {
	out := make([]lacking, len(list))
	for i, b := range list {
		p := s.Partition(b.Partition)
		if p == nil {
			continue
		}
		for _, a := range p.Accounts {
			if concerns(b.Code, a, w) {
				out[i].quotas = append(out[i].quotas, standing{account{a.Quota, p.ID}, a.Grant, a.BackedGPUs()})
			}
			if b.Code == reason.Held && a.Quota == w.Target {
				out[i].holds = heldFrom(a, w)
			}
		}
	}
	return out
}

// concerns says whether a reason is about what a quota has: the workload's own, or those of its tree.
func concerns(code reason.Code, a *fleet.Account, w *fleet.Workload) bool {
	switch code {
	case reason.NoSuchPartition, reason.QuotaUnbacked, reason.QuotaFull: // no grant makes a gang too large for its islands
		return a.Quota == w.Target
	case reason.TreeFull:
		return a.Tree() == w.Tree()
	default:
		return false
	}
}

// heldFrom lists the holds inside a quota that keep GPUs from a workload.
func heldFrom(a *fleet.Account, w *fleet.Workload) (list []uint64) {
	unused := a.Standing()
	for _, h := range a.InsideHolds() {
		if !h.For(w) && unused.LeftOf(h) > 0 {
			list = append(list, h.ID)
		}
	}
	return list
}

// mostChanges is how many changes a blocker names.
const mostChanges = 3

// blame adds to each blocker which changes by people took what the workload lacks.
func (s *service) blame(ctx context.Context, out *musterv1.WhyResponse, q subject) {
	if !slices.ContainsFunc(q.lacks, func(l lacking) bool { return len(l.quotas)+len(l.holds) > 0 }) {
		return
	}
	if _, err := s.history.briefly(ctx, s.engine); err != nil {
		return // the log cannot be read now: the blockers stand without it
	}
	ctx, end := context.WithTimeout(ctx, retracing)
	defer end()
	s.history.mu.Lock()
	defer s.history.mu.Unlock()
	for i, l := range q.lacks {
		list := s.history.placedOf(l.holds)
		for _, of := range l.quotas {
			list = append(list, s.history.lowered(of, q.at)...)
			if !q.large {
				list = append(list, s.history.unbacked(ctx, s.engine, of, q.at)...)
			}
		}
		slices.SortStableFunc(list, func(a, b *musterv1.QuotaChange) int { return b.GetAt().AsTime().Compare(a.GetAt().AsTime()) })
		out.Blockers[i].Changes = list[:min(len(list), mostChanges)]
	}
}

// placedOf are the lines of history that placed holds.
func (h *history) placedOf(ids []uint64) (list []*musterv1.QuotaChange) {
	for _, id := range ids {
		if c := h.placed[id]; c != nil {
			list = append(list, c)
		}
	}
	return list
}

// lowered lists the changes of a grant that lowered it and were not taken back since, the newest first.
func (h *history) lowered(of standing, until fleet.Instant) (list []*musterv1.QuotaChange) {
	level := of.grant // it had more than that before a change
	for _, d := range slices.Backward(h.changes) {
		c := d.change
		if d.at > until || c.GetQuota() != of.quota || c.GetPartition() != of.partition || !changesGrant(c) {
			continue
		}
		if c.GetGpus() < c.GetWas() && int(c.GetWas()) > level && !d.haircut {
			list = append(list, c)
		}
		level = max(level, int(c.GetWas()))
	}
	return list
}

func changesGrant(c *musterv1.QuotaChange) bool {
	switch c.GetKind() {
	case "grant.set", "grant.transferred", "grant.ended":
		return true
	}
	return false
}

// mostPolicies is how many of the last changes of policies are looked at.
const mostPolicies = 16

// unbacked lists the last change of a policy by which what backs a quota fell, where it backs less than
// is granted and less than before that change.
func (h *history) unbacked(ctx context.Context, e Engine, of standing, until fleet.Instant) []*musterv1.QuotaChange {
	if of.backed >= of.grant {
		return nil
	}
	for _, o := range slices.Backward(h.policed[max(0, len(h.policed)-mostPolicies):]) {
		if o.record.At > until {
			continue
		}
		o.compare(ctx, e)
		if t, ok := o.backed[of.account]; ok && t.now < t.was && of.backed < t.was {
			return []*musterv1.QuotaChange{o.changeOf(of.account)}
		}
	}
	return nil
}
