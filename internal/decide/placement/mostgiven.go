package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file refuses a unit that would borrow by count, before a claim of it is made or a victim is looked at. All that might
// leave for a unit of its importance would leave too little of its tree's backing. Most units that wait to borrow are refused here.

// mostGiven bounds what work of a tree leaves to units that would borrow. It is kept until the tree changes.
type mostGiven struct {
	at       uint64
	borrowed []givenBy              // by work that borrows, by its importance
	own      map[*fleet.Account]int // by an account's work that may give way to more of the same account; see ownGiven
}

// givenBy is the GPUs that units of one importance would leave.
type givenBy struct {
	fleet.Importance
	gpus int
}

// lacksCount says whether a unit that would borrow finds too little of its tree's backing whatever leaves for it.
func (pl *Planner) lacksCount(a *fleet.Account, it *fleet.Waiting, gpus, backed int) bool {
	tree := a.Root()
	lacks := tree.Stays() + gpus - backed
	if lacks <= 0 || pl.spares(*it) {
		return false
	}
	m := pl.mostGivenOf(tree)
	for _, g := range m.borrowed {
		if it.Key.Importance().Above(g.Importance) {
			lacks -= g.gpus
		}
	}
	return lacks > 0 && lacks > pl.ownGiven(m, a)
}

// mostGivenOf is the bound of a tree.
func (pl *Planner) mostGivenOf(tree *fleet.Tree) *mostGiven {
	m := pl.mostGiven[tree]
	if m == nil {
		m = &mostGiven{own: map[*fleet.Account]int{}}
		pl.mostGiven[tree] = m
	}
	if at := tree.Version(pl.p); m.at != at {
		m.at, m.borrowed = at, m.borrowed[:0]
		clear(m.own)
		for _, a := range tree.Accounts() {
			pl.addBorrowed(m, a)
		}
	}
	return m
}

// addBorrowed adds what work of an account would leave that borrows.
func (pl *Planner) addBorrowed(m *mostGiven, a *fleet.Account) {
	if a.Loose() == 0 {
		return
	}
	for _, u := range pl.accountUnits(a) {
		if u.holds == fleet.HoldsBorrowing {
			m.add(u.key.Importance(), u.leaves())
		}
	}
}

func (m *mostGiven) add(i fleet.Importance, gpus int) {
	for k := range m.borrowed {
		if m.borrowed[k].Importance == i {
			m.borrowed[k].gpus += gpus
			return
		}
	}
	m.borrowed = append(m.borrowed, givenBy{i, gpus})
}

// ownGiven bounds what an account's work leaves to a unit of the same account as givesWay says, however it holds its GPUs.
func (pl *Planner) ownGiven(m *mostGiven, a *fleet.Account) (gpus int) {
	if kept, known := m.own[a]; known {
		return kept
	}
	for _, u := range pl.accountUnits(a) {
		if u.key.Surplus || u.w.Passed != 0 {
			gpus += u.leaves()
		}
	}
	m.own[a] = gpus
	return gpus
}

// leaves is the GPUs of all that leaves with a unit.
func (u *unit) leaves() (gpus int) {
	u.eachLeaving(func(pool int, _ fleet.Replica) { gpus += u.w.Pools[pool].GPUs })
	return gpus
}
