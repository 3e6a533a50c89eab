package promise

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file remembers what an alignment asks of the running work of an account. Of
// hundreds of accounts one or two have changed since the last decision.

// accountWork is what was found out about the running work of an account. It is never
// changed once asked: read it only.
type accountWork struct {
	at      uint64      // the account's version when it was found out
	gangs   []block     // see runningGangs; their account is not said
	units   []standing  // see standingUnits
	covered []coveredIn // see countCovered
	asked   askedOfWork // what of this was asked
}

// askedOfWork says what of an account's work was asked.
type askedOfWork struct{ gangs, units, covered bool }

// coveredIn is how many nodes of an island covered work of an account touches.
type coveredIn struct{ island, nodes int }

// workOf is what is known of an account's work, begun anew where that has changed.
func (al *aligner) workOf(a *fleet.Account) *accountWork {
	m := memoryOf(al.p)
	if m.work == nil || len(m.work) > 2*len(al.p.Accounts) {
		m.work = make(map[*fleet.Account]*accountWork, len(al.p.Accounts))
	}
	k := m.work[a]
	if k == nil {
		k = &accountWork{}
		m.work[a] = k
	}
	if at := a.Version() + 1; k.at != at {
		*k = accountWork{at: at}
	}
	return k
}

// unitsOfAccount lists what of an account's work stays, in the quota's order.
func (al *aligner) unitsOfAccount(a *fleet.Account) []standing {
	k := al.workOf(a)
	if !k.asked.units {
		k.units, k.asked.units = standingUnits(a), true
	}
	return k.units
}

// gangsOfAccount lists the gangs that an account runs inside islands.
func (al *aligner) gangsOfAccount(a *fleet.Account) []block {
	k := al.workOf(a)
	if !k.asked.gangs {
		k.gangs, k.asked.gangs = al.runningGangs(a), true
	}
	return k.gangs
}

// coveredOfAccount counts the nodes that covered work of an account touches, by island.
func (al *aligner) coveredOfAccount(a *fleet.Account) []coveredIn {
	k := al.workOf(a)
	if !k.asked.covered {
		k.covered, k.asked.covered = al.coveredNodes(a), true
	}
	return k.covered
}
