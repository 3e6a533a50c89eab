package placement

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TwinsAgree asks the fast paths of this room and their slow twins the same about a
// waiting unit: who of all that it may evict, and of a part of them, need not leave,
// and who is no borrower. It says how many victims were asked for, and what differs.
func (pl *Planner) TwinsAgree(it fleet.Waiting, part func() bool) (asked int, differs string) {
	for _, c := range pl.claimsOf(it) {
		list := pl.everyoneInTheWay(c)
		some := slices.DeleteFunc(slices.Clone(list), func(*candidateVictim) bool { return !part() })
		for _, chosen := range [][]*candidateVictim{list, some} {
			spots, ok := pl.fits(c, chosen)
			if !ok || len(chosen) == 0 {
				continue
			}
			asked += len(chosen)
			if fast, slow := pl.giveBackAt(c, spots, chosen), pl.giveBackAtSlowly(c, spots, chosen); !slices.Equal(fast, slow) {
				return asked, fmt.Sprintf("thin keeps %d victims, its twin %d of %d", len(fast), len(slow), len(chosen))
			}
			if fast, slow := pl.giveBack(c, chosen), pl.giveBackSlowly(c, chosen); !slices.Equal(fast, slow) {
				return asked, fmt.Sprintf("spare keeps %d victims, its twin %d of %d", len(fast), len(slow), len(chosen))
			}
			if again, ok := pl.fits(c, chosen); !ok || !slices.EqualFunc(spots, again, func(x, y fleet.Spot) bool { return slices.Equal(x.Nodes, y.Nodes) }) {
				return asked, "the questions left a trace"
			}
			none := pl.noBorrowersAmong(c, chosen)
			for _, v := range chosen {
				if c.account != nil && none(v) != pl.isNoBorrower(c, v, chosen) {
					return asked, fmt.Sprintf("a victim of class %v is no borrower: %v, its twin says otherwise", v.class, none(v))
				}
			}
		}
	}
	return asked, ""
}

// claimsOf are the claims that a waiting unit makes, with their limits.
func (pl *Planner) claimsOf(it fleet.Waiting) []*claim {
	a := pl.p.Account(it.Workload.Target)
	if a == nil {
		return []*claim{pl.claimOf(it, nil, fleet.HoldsFlex)}
	}
	c := pl.claimOf(it, a, fleet.HoldsGuaranteed)
	pl.limitByTree(c)
	c.sparesHolds = mustSpareHolds(c)
	pl.limitByEarlier(c)
	return []*claim{c}
}

func (pl *Planner) everyoneInTheWay(c *claim) []*candidateVictim {
	if c.account == nil {
		return pl.evictableOnFlex(c)
	}
	own, _ := pl.evictableInQuota(c)
	var list []*candidateVictim
	for _, v := range own {
		list = append(list, pl.candidate(*v.unit, v.class))
	}
	return byCost(append(list, pl.evictableFlex(c)...))
}

// giveBackAtSlowly is thin, each victim asked for with everything looked at again.
func (pl *Planner) giveBackAtSlowly(c *claim, spots []fleet.Spot, chosen []*candidateVictim) []*candidateVictim {
	leaving := slices.Clone(pl.leavers(chosen))
	freed := 0
	for _, v := range leaving {
		pl.evict(v.all)
		freed += v.freed(c)
	}
	kept := make([]*candidateVictim, 0, len(leaving))
	for i := len(leaving) - 1; i >= 0; i-- {
		v := leaving[i]
		pl.restore(v.all)
		if pl.holdsIn(c, spots, slices.Concat(leaving[:i], kept), freed-v.freed(c)) {
			freed -= v.freed(c)
			continue
		}
		pl.evict(v.all)
		kept = append(kept, v)
	}
	for _, v := range kept {
		pl.restore(v.all)
	}
	slices.Reverse(kept)
	if len(kept) == len(leaving) {
		return chosen
	}
	return kept
}

// giveBackSlowly is spare, the claim placed anew for each victim.
func (pl *Planner) giveBackSlowly(c *claim, chosen []*candidateVictim) []*candidateVictim {
	for spared := true; spared; {
		spared = false
		for i := len(chosen) - 1; i >= 0; i-- {
			rest := slices.Delete(slices.Clone(chosen), i, i+1)
			if _, ok := pl.fits(c, rest); ok {
				chosen, spared = rest, true
			}
		}
	}
	return chosen
}

// WalkTree lists whom a walk along a tree meets.
func WalkTree(tree *fleet.Tree) (met []*fleet.Waiting) {
	walk := walkTree(tree)
	for it := walk.next(); it != nil; it = walk.next() {
		met = append(met, it)
	}
	return met
}
