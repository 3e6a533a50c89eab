package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/fleet"
)

// pass is one walk along a queue: it meets each shape once.
type pass struct {
	met  map[int]bool
	left int // shapes not met yet
}

func newPass(kinds int) *pass { return &pass{map[int]bool{}, kinds} }

// passOf is a walk along a quota's queue. Where somebody holds part of the quota,
// units that look alike may differ in whose they are: every one is met.
func passOf(a *fleet.Account) *pass {
	if len(a.Holds()) == 0 {
		return newPass(a.Kinds())
	}
	return &pass{nil, len(a.Queue())}
}

// meets says whether a unit has a shape that the walk has not met before.
func (w *pass) meets(it *fleet.Waiting) bool {
	shape := it.Shape()
	if w.met == nil {
		w.left--
		return true
	}
	if shape != 0 && w.met[shape] {
		return false
	}
	w.met[shape] = true
	w.left--
	return true
}

// over says that no new shape is to come.
func (w *pass) over() bool { return w.left <= 0 }

// sharesNow is Shares, computed once for as long as nothing changes.
func (pl *Planner) sharesNow() map[string]int {
	if stamp := pl.p.FlexStamp(); pl.shares == nil || pl.sharesAt != stamp {
		pl.shares, pl.sharesAt = Shares(pl.p), stamp
	}
	return pl.shares
}

// flexUnitsOf lists the units of a namespace's flex work. The list is kept until
// that changes: read it, do not change it.
func (pl *Planner) flexUnitsOf(namespace string) []unit {
	kept := pl.flexOf[namespace]
	if kept == nil {
		kept = &standing{}
		pl.flexOf[namespace] = kept
	}
	if at := pl.p.FlexVersionOf(namespace) + 1; kept.at != at {
		kept.units = kept.units[:0]
		for _, w := range pl.p.FlexWorkOf(namespace) {
			kept.units = append(kept.units, pl.units(w)...)
		}
		kept.at = at
	}
	return kept.units
}

// accountUnits lists all units of an account in the quota's order. The list is
// kept until the account changes: read it, do not change it.
func (pl *Planner) accountUnits(a *fleet.Account) []unit {
	kept := pl.accounts[a]
	if kept == nil {
		kept = &standing{}
		pl.accounts[a] = kept
	}
	if at := a.Version() + 1; kept.at != at {
		kept.units = kept.units[:0]
		for _, w := range a.Work() {
			kept.units = append(kept.units, pl.units(w)...)
		}
		slices.SortStableFunc(kept.units, func(x, y unit) int { return order(x.key.Before(y.key), y.key.Before(x.key)) })
		setAside(a, kept.units)
		kept.at = at
	}
	return kept.units
}

// order turns two answers of a comparison into one number.
func order(before, after bool) int {
	switch {
	case before:
		return -1
	case after:
		return 1
	}
	return 0
}
