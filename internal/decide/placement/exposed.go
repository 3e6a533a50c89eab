package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Growth takes no in-quota work's room (semantics §5). Surplus comes before less important work of its quota, so growth that
// borrows may turn guaranteed work into borrowing. Work that waits might then evict that work at once, as a borrower: it
// would lose to growth what its quota's backing takes. This file keeps growth from it.

// sparing is the GPUs by which a pool may grow beyond its quota's backing, out of so many, so that no guaranteed work of the
// quota is pushed into borrowing which work that waits might then evict.
func (pl *Planner) sparing(grows fleet.Waiting, room int) int {
	a, gpus := grows.Workload.Account(), 0
	for _, u := range pl.accountUnits(a) {
		if !u.over {
			gpus += u.counts()
		}
		left := a.BackedGPUs() - gpus
		if left < room && pushes(grows, a, u) && pl.exposed(grows, u) {
			room = left
		}
	}
	return room
}

// pushes says whether growth may turn a unit of an account from guaranteed into borrowing.
func pushes(grows fleet.Waiting, a *fleet.Account, u *unit) bool {
	return a == grows.Workload.Account() && u.holds == fleet.HoldsGuaranteed && grows.Key.Before(u.key)
}

// exposed says whether a unit, if it borrowed, might be evicted for more important work that waits in its tree.
func (pl *Planner) exposed(grows fleet.Waiting, u *unit) bool {
	return slices.ContainsFunc(grows.Workload.Account().Root().Waits(), func(a *fleet.Account) bool {
		return slices.ContainsFunc(a.Firsts(), func(it *fleet.Waiting) bool {
			return outranks(it, u) && !pl.rests(*it) && !pl.spares(*it) && pl.fitsBeside(a, *it, true) && pl.mightBorrow(grows, it)
		})
	})
}

func outranks(it *fleet.Waiting, u *unit) bool { return it.Key.Importance().Above(u.key.Importance()) }

// mightBorrow says whether a waiting unit would find room by count in its tree once a pool has grown by one replica, with
// all gone that it might evict then as borrowers.
func (pl *Planner) mightBorrow(grows fleet.Waiting, it *fleet.Waiting) bool {
	tree := grows.Workload.Account().Root()
	gpus := tree.Stays() + grows.Workload.Pools[grows.Pool].GPUs + gpusFor(*it)
	for _, a := range tree.Accounts() {
		for _, u := range pl.accountUnits(a) {
			if outranks(it, u) && (u.holds == fleet.HoldsBorrowing || pushes(grows, a, u)) {
				gpus -= u.gpus
			}
		}
	}
	return gpus <= pl.backedGPUs(tree)
}
