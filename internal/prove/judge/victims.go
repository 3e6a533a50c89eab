package judge

import "github.com/muster-fleet/muster/internal/state/fleet"

// Class is why work may be evicted, the cheapest class first (semantics §5).
type Class int

// The classes of victims.
const (
	Flex Class = iota
	Unprotected
	Borrowing
	Importance
	forbidden
)

// Evictable lists the units that a claim may evict at all; each replica of an
// elastic pool that has surplus as such.
func (j *Judge) Evictable(c Claim) []Unit {
	var list []Unit
	for _, u := range j.units {
		if u.Work != c.Work && j.classOf(c, u, true) != forbidden {
			list = append(list, u)
		}
	}
	if j.ByTurn {
		return list
	}
	return anyReplica(list)
}

// classOf is the cheapest class in which a claim may evict a unit. Whether one
// that borrows is a borrower depends on the other victims (see isBorrower).
func (j *Judge) classOf(c Claim, u Unit, borrower bool) Class {
	switch {
	case c.Account == nil:
		return j.classOnFlex(c, u)
	case u.Work.Flexes():
		return Flex
	case c.Growth:
		return forbidden // growth never takes in-quota work's
	case u.Account == c.Account && earlier(u.Key, c.Key):
		return forbidden // the law counts it
	}
	return j.classInQuota(c, u, borrower)
}

// classInQuota is classOf for a claim of a quota and in-quota work.
func (j *Judge) classInQuota(c Claim, u Unit, borrower bool) Class {
	guaranteed := c.Holds == fleet.HoldsGuaranteed
	own := u.Account == c.Account
	lessImportant := moreImportant(c.Key, u.Key)
	borrowsNow := u.Holds == fleet.HoldsBorrowing && u.Work.Tree() == c.Account.Tree()
	gives := own && (u.givesBack(c) || lessImportant && (guaranteed || u.passedIt(c)))
	madeToBorrow := own && guaranteed && u.Holds == fleet.HoldsGuaranteed && (lessImportant || u.givesBack(c))
	borrows := borrower && (borrowsNow || madeToBorrow)
	switch {
	case guaranteed && u.Holds == fleet.HoldsUnprotected:
		return Unprotected
	case borrows && (guaranteed || lessImportant):
		return Borrowing
	case gives:
		return Importance
	}
	return forbidden
}

// givesBack says whether a unit is surplus that waiting work of its quota may take back.
func (u Unit) givesBack(c Claim) bool { return u.Key.Surplus && !moreImportant(u.Key, c.Key) }

// passedIt says whether a unit started before a claim because that could evict it.
func (u Unit) passedIt(c Claim) bool { return u.Passes || u.Work.Passed == c.Work.ID }

// isBorrower judges a unit that borrows, or is of the newcomer's own quota and comes
// after it, with the newcomer admitted and all other victims gone: if it would then be
// guaranteed, it is no borrower. One that is guaranteed now borrows then only by count
// (if only the nodes were too many, it could start guaranteed elsewhere), and only
// where siblings leave as much unused.
func (j *Judge) isBorrower(c Claim, place []Stand, v Unit, set []Unit) bool {
	a := v.Account
	var others, before []Unit
	for _, u := range set {
		if u.id() != v.id() {
			others = append(others, u)
		}
	}
	for _, u := range j.units {
		comes := earlier(u.Key, v.Key) || u.Key == v.Key && (u.Pool < v.Pool || u.Pool == v.Pool && u.nth < v.nth)
		if u.Account == a && comes && !goes(u, others) {
			before = append(before, u)
		}
	}
	if c.Account == a && c.Holds == fleet.HoldsGuaranteed && earlier(c.Key, v.Key) {
		before = append(before, Unit{Work: c.Work, Account: a, Pool: fleet.Base, Key: c.Key, Stands: place})
		inOrder(before)
	}
	used, touched := j.covered(a, before)
	used, touched = used+v.GPUs()+v.misses(), nodesOf(touched, j.beside(place, v.Stands))
	if over := used - a.BackedGPUs(); v.Holds == fleet.HoldsGuaranteed && min(over, v.GPUs()) > j.lendable(a) {
		return false // what it would have to borrow, no sibling leaves
	}
	byCount := c.Holds == fleet.HoldsBorrowing || v.Holds == fleet.HoldsGuaranteed
	if used <= a.BackedGPUs() && (byCount || j.inside(touched, func(i int) int { return a.Backing[i] }, v.Stands)) {
		return false
	}
	return !j.hasSuccessor(c, v, set)
}

// beside is where a victim would stand with the newcomer admitted: where a node does
// not take both, on a node more of its island, which is written as the node's index
// beyond all nodes.
func (j *Judge) beside(place, stands []Stand) []Stand {
	need := map[int]int{}
	for _, st := range place {
		need[st.Node] += st.GPUs
	}
	var list []Stand
	for _, st := range stands {
		if n := j.p.Nodes[st.Node]; need[st.Node] > 0 && need[st.Node]+st.GPUs > n.GPUs-n.Dead {
			st.Node += len(j.p.Nodes)
		}
		list = append(list, st)
	}
	return list
}

// covered counts units of an account, first in their order first: all of them in
// GPUs, but only those use up nodes of its backing that it covers there, with what it
// covered before (decision record 0006).
func (j *Judge) covered(a *fleet.Account, units []Unit) (gpus int, touched map[int]bool) {
	touched = map[int]bool{}
	for _, u := range units {
		gpus += u.GPUs()
		with := nodesOf(nil, u.Stands)
		for node := range touched {
			with[node] = true
		}
		if gpus <= a.BackedGPUs() && j.inside(with, func(i int) int { return a.Backing[i] }, u.Stands) {
			touched = with
		}
	}
	return gpus, touched
}

// lendable is the backing of an account's siblings that these do not use as guaranteed.
func (j *Judge) lendable(a *fleet.Account) int {
	t := 0
	for _, sibling := range j.p.Accounts {
		if sibling == a || sibling.Tree() != a.Tree() {
			continue
		}
		left := sibling.BackedGPUs()
		for _, u := range j.units {
			if u.Account == sibling && u.Holds == fleet.HoldsGuaranteed {
				left -= u.GPUs()
			}
		}
		t += max(0, left)
	}
	return t
}

// goes says whether a unit leaves with a set of victims.
func goes(u Unit, set []Unit) bool {
	for _, v := range set {
		if u.id() == v.id() || u.follows(v) {
			return true
		}
	}
	return false
}

// nodesOf adds the nodes that replicas touch to others.
func nodesOf(touched map[int]bool, stands []Stand) map[int]bool {
	if touched == nil {
		touched = map[int]bool{}
	}
	for _, st := range stands {
		touched[st.Node] = true
	}
	return touched
}

// inside says whether the nodes touched never outnumber a backing in the islands
// in which replicas stand.
func (j *Judge) inside(touched map[int]bool, backing func(island int) int, stands []Stand) bool {
	n := make([]int, len(j.p.Islands))
	for node := range touched {
		n[j.p.Nodes[node%len(j.p.Nodes)].Island]++
	}
	for _, st := range stands {
		if i := j.p.Nodes[st.Node].Island; n[i] > backing(i) {
			return false
		}
	}
	return true
}
