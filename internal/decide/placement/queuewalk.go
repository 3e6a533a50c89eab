package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// queueWalk is one walk along a quota's queue: it meets the first of each kind.
type queueWalk struct {
	account *fleet.Account
	ahead   []*fleet.Waiting
}

func walkQueue(a *fleet.Account) *queueWalk { return &queueWalk{a, a.Firsts()} }

// next is the next unit to look at, or nil.
func (w *queueWalk) next() *fleet.Waiting {
	if len(w.ahead) == 0 {
		return nil
	}
	it := w.ahead[0]
	w.ahead = w.ahead[1:]
	return it
}

// skipped says that a unit was not asked, or not taken, for a reason of its own.
// Where somebody holds part of the quota, the next one like it is met in its stead.
func (w *queueWalk) skipped(it *fleet.Waiting) {
	if len(w.account.InsideHolds()) == 0 {
		return
	}
	if like := w.account.Following(it); like != nil {
		at, _ := slices.BinarySearchFunc(w.ahead, like, func(x, y *fleet.Waiting) int { return threeWay(x.Before(y), y.Before(x)) })
		w.ahead = slices.Insert(slices.Clone(w.ahead), at, like)
	}
}

// sharesNow is Shares, computed once for as long as nothing changes.
func (pl *Planner) sharesNow() map[string]int {
	if stamp := pl.p.FlexStamp(); pl.shares == nil || pl.sharesAt != stamp {
		pl.shares, pl.sharesAt = Shares(pl.p), stamp
	}
	return pl.shares
}

// flexUnitsOf lists the units of a namespace's flex work. The list is kept until
// that changes: read it, do not change it.
func (pl *Planner) flexUnitsOf(namespace string) []*unit {
	kept := pl.flexOf[namespace]
	if kept == nil {
		kept = &standing{}
		pl.flexOf[namespace] = kept
	}
	if at := pl.p.FlexVersionOf(namespace) + 1; kept.at != at {
		kept.units = kept.units[:0]
		for _, w := range pl.p.FlexWorkOf(namespace) {
			kept.add(pl.units(w))
		}
		kept.at = at
	}
	return kept.units
}

// accountUnits lists all units of an account in the quota's order. The list is
// kept until the account changes: read it, do not change it.
func (pl *Planner) accountUnits(a *fleet.Account) []*unit {
	kept := pl.accounts[a]
	if kept == nil {
		kept = &standing{}
		pl.accounts[a] = kept
	}
	if at := a.Version() + 1; kept.at != at {
		kept.units = kept.units[:0]
		for _, w := range a.Work() {
			kept.add(pl.units(w))
		}
		if inOrder := func(x, y *unit) int { return x.key.Compare(y.key) }; !slices.IsSortedFunc(kept.units, inOrder) {
			slices.SortStableFunc(kept.units, inOrder)
		}
		kept.sum()
		kept.aside = setAside(a, kept.units, kept.aside)
		kept.at = at
	}
	return kept.units
}

func (s *standing) sum() {
	s.sums = s.sums[:0]
	gpus := 0
	for _, u := range s.units {
		gpus += u.gpus
		s.sums = append(s.sums, gpus)
	}
}

func (s *standing) add(units []unit) {
	for i := range units {
		s.units = append(s.units, &units[i])
	}
}

// threeWay turns two answers of a comparison into one number.
func threeWay(before, after bool) int {
	switch {
	case before:
		return -1
	case after:
		return 1
	}
	return 0
}
