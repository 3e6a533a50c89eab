package promise

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file remembers what an alignment asks of the running work of an account. Of
// hundreds of accounts one or two have changed since the last decision.

// accountWork is what was found out about the running work of an account.
type accountWork struct {
	at      uint64               // the account's version when it was found out
	gangs   foundOnce[block]     // see runningGangs; their account is not said
	units   foundOnce[standing]  // see standingUnits
	covered foundOnce[coveredIn] // see coveredNodes
	first   firstWork            // see findFirst
}

// foundOnce is a list that is found when it is first asked for, and never changed then: read it only.
type foundOnce[T any] struct {
	list  []T
	known bool
}

func (f *foundOnce[T]) get(find func() []T) []T {
	if !f.known {
		f.list, f.known = find(), true
	}
	return f.list
}

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
	return al.workOf(a).units.get(func() []standing { return standingUnits(a) })
}

// gangsOfAccount lists the gangs that an account runs inside islands.
func (al *aligner) gangsOfAccount(a *fleet.Account) []block {
	return al.workOf(a).gangs.get(func() []block { return al.runningGangs(a) })
}

// coveredOfAccount counts the nodes that covered work of an account touches, by island.
func (al *aligner) coveredOfAccount(a *fleet.Account) []coveredIn {
	return al.workOf(a).covered.get(func() []coveredIn { return al.coveredNodes(a) })
}
