package core

import (
	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file ends a dip: a node that comes back from suspect straight to healthy leaves no trace (semantics §2).

// restore makes a backing what it was before a dip, and gives each work back how it held its GPUs
// then. What came since is classified beside it.
func (t *turn) restore(p *fleet.Partition, a promise.Alignment) {
	dip := p.Dip
	e, _ := difference(p, a)
	t.emit(e)
	for _, h := range dip.Held {
		if w := t.s.Workloads[h.Workload]; w != nil && w.Where == p.ID && w.Started == h.Started && h.Pool < len(w.Pools) {
			t.giveBack(w, h.Pool, dip.HeldBefore(w, h.Pool))
		}
	}
}

// giveBack lets a pool's replicas that stay hold their GPUs as they did.
func (t *turn) giveBack(w *fleet.Workload, pool int, held []fleet.HeldAs) {
	for i, r := range w.Replicas[pool] {
		if r.Phase != fleet.Leaving && r.HeldAs != held[i] {
			t.emit(event.HoldsChanged{ID: w.ID, Pool: pool, From: i, To: i + 1, Holds: held[i]})
		}
	}
}
