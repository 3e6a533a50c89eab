package explain

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// counts says by number alone, without looking at nodes, how a waiting workload could hold
// its GPUs in one partition. Figures are GPUs; the reasons quote them.
type counts struct {
	gpus int // what the workload needs at once

	// Its own quota:
	backed      int  // the quota's backing
	earlier     int  // work that comes before it in the quota's order
	unevictable int  // work that it may not evict: earlier work, and as important work that started first
	heldUnused  int  // backing that others hold and do not use
	barred      bool // it would be guaranteed were it not for holds

	// The quota's tree:
	treeBacked      int  // the backing of all its quotas
	treeGranted     int  // the grants of all its quotas
	treeUnevictable int  // work that it may not evict as a borrower
	treeUsage       int  // what all work of the tree holds or has reserved
	hasSiblings     bool // another quota of the tree has a grant here, so there may be something to borrow
	loansHeld       bool // unused holds of its quota need all that it could borrow
}

// guaranteed says whether it would fit its quota's backing.
func (n counts) guaranteed() bool { return n.earlier+n.gpus <= n.backed && !n.barred }

// overtaken says whether later work has taken its place, which it may not evict, and it
// cannot borrow instead.
func (n counts) overtaken() bool {
	return n.unevictable+n.gpus > n.backed && !(n.hasSiblings && n.canBorrow())
}

// nothingInUse says whether no work is in its way, in its quota or where it could borrow.
func (n counts) nothingInUse() bool {
	return n.earlier == 0 && (!n.hasSiblings || n.treeUnevictable == 0)
}

// fitsTree says whether it would fit its tree's backing, were there no holds.
func (n counts) fitsTree() bool { return n.treeUnevictable+n.gpus <= n.treeBacked }

// canBorrow says whether its tree has enough left for it.
func (n counts) canBorrow() bool { return n.fitsTree() && !n.loansHeld }

// heldBack says whether unused holds inside its quota keep it from being guaranteed or
// from borrowing.
func (n counts) heldBack() bool {
	return n.heldUnused > 0 && (n.barred || n.hasSiblings && n.loansHeld && n.fitsTree())
}

// heldOfGrant says whether unused holds inside its quota keep it out even once all of the grant is backed, of which less
// is now.
func (n counts) heldOfGrant(grant int) bool {
	beside := n.unevictable + n.gpus
	return n.heldUnused > 0 && n.backed < grant && n.backed < beside && beside <= grant && grant < beside+n.heldUnused && !(n.hasSiblings && n.canBorrow())
}

// fullWithoutHolds says whether work leaves no room for it in its quota, nor to borrow, even
// if there were no holds.
func (n counts) fullWithoutHolds() bool {
	return n.earlier+n.gpus > n.backed && (!n.hasSiblings || !n.fitsTree())
}

// count judges a waiting workload by number in its quota and its tree. Borrowers that it
// could evict count as gone.
func (q *question) count(a *fleet.Account) counts {
	n := counts{gpus: q.gpus, backed: a.BackedGPUs()}
	if n.heldUnused, n.barred = q.pl.HeldFrom(q.it); n.heldUnused > 0 {
		n.loansHeld = a.Stays()+n.gpus+n.heldUnused > a.BackedGPUs()+a.Lendable((*fleet.Account).Stays)
	}
	newcomer := q.key(q.w, q.w.BaseRank(), false)
	for _, x := range q.p.Accounts {
		if x.Tree() == a.Tree() {
			q.countAccount(&n, x, newcomer, x == a)
		}
	}
	if n.barred && a.Stays()+n.gpus > n.backed {
		n.earlier = a.Stays() // what holders use counts, though it came later
	}
	n.unevictable = max(n.unevictable, n.earlier)
	return n
}

// countAccount adds one quota of the tree: its backing, its grant and its work. own says
// that it is the newcomer's quota.
func (q *question) countAccount(n *counts, x *fleet.Account, newcomer fleet.Key, own bool) {
	n.treeBacked += x.BackedGPUs()
	n.treeGranted += x.Grant
	n.treeUsage += x.Usage()
	n.hasSiblings = n.hasSiblings || !own && x.Grant > 0
	var stays staying
	for _, w := range x.Work() {
		q.addStaying(w, newcomer, own, &stays)
	}
	beside := 0 // what stands beside this work in the backing: in its own quota the newcomer
	if own {
		n.earlier, n.unevictable = stays.earlier, stays.unevictable
		beside = q.gpus
	}
	// With the borrowers gone, work that then fits the backing is guaranteed, so it was no
	// borrower and stays.
	n.treeUnevictable += max(stays.unevictableInTree, min(x.Stays()+beside, x.BackedGPUs())-beside)
}

// staying is the GPUs of work that would stay beside the newcomer.
type staying struct {
	earlier     int // work that comes before it in the quota's order
	unevictable int // work of its quota that it may not evict: earlier work, and as important work that passed it
	// unevictableInTree is work that it may not evict as a borrower: all of its tree, except for less important borrowers
	// and surplus of its own quota (decision record 0023).
	unevictableInTree int
}

// addStaying adds the part of a workload that stays.
func (q *question) addStaying(w *fleet.Workload, newcomer fleet.Key, own bool, sum *staying) {
	for i, pool := range w.Pools {
		at := 0
		for _, r := range w.Replicas[i] {
			if r.Phase == fleet.Leaving {
				continue
			}
			at++
			key := q.key(w, pool.Rank, at > pool.Min)
			before, above := key.Before(newcomer), newcomer.Importance().Above(key.Importance())
			if before {
				sum.earlier += pool.GPUs
			}
			if before || !key.Surplus && !above {
				sum.unevictable += pool.GPUs
			}
			surplus := own && key.Surplus && !key.Importance().Above(newcomer.Importance())
			if !surplus && !(above && r.HeldAs == fleet.HoldsBorrowing) {
				sum.unevictableInTree += pool.GPUs
			}
		}
	}
}
