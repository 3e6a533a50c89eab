package explain

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// counts is what decides in number how a waiting workload could hold its GPUs: figures in GPUs of
// one partition, which the reasons name.
type counts struct {
	gpus int // what the workload needs

	// Its own quota:
	backed  int  // the backing
	earlier int  // work that comes before it in the quota's order
	inWay   int  // what it may not evict: earlier work, and younger work of its priority that started first
	held    int  // what others hold of the backing and do not use
	barred  bool // without holds it would be guaranteed, by count

	// The quota's tree:
	treeBacked int  // the backing of all its quotas
	treeGrant  int  // their grants
	treeKept   int  // work that it may not evict as a borrower
	others     bool // a sibling has a grant here, so there may be something to borrow
	kept       bool // all that it could borrow is held for others
}

// guaranteed says whether it would be, by count.
func (n counts) guaranteed() bool { return n.earlier+n.gpus <= n.backed && !n.barred }

// passed says that what came later has taken its place, and it may not evict that, nor borrow.
func (n counts) passed() bool { return n.inWay+n.gpus > n.backed && !(n.others && n.borrowable()) }

// idle says that no use is in its way, in its quota or where it could borrow.
func (n counts) idle() bool { return n.earlier == 0 && (!n.others || n.treeKept == 0) }

// borrowable says whether its tree has enough left, by count.
func (n counts) borrowable() bool { return n.treeKept+n.gpus <= n.treeBacked && !n.kept }

// keepsOut says whether holds inside its quota keep it from being guaranteed or
// from borrowing, by count.
func (n counts) keepsOut() bool {
	return n.held > 0 && (n.barred || n.others && n.kept && n.treeKept+n.gpus <= n.treeBacked)
}

// crowded says that what runs leaves no room for it in its quota, or to borrow,
// holds or no holds.
func (n counts) crowded() bool {
	return n.earlier+n.gpus > n.backed && (!n.others || n.treeKept+n.gpus > n.treeBacked)
}

// count counts the work of a waiting workload's quota, and of its tree, with borrowers gone where it could evict them.
func (q *question) count(a *fleet.Account) counts {
	n := counts{gpus: q.gpus, backed: a.BackedGPUs()}
	if n.held, n.barred = q.pl.HeldFrom(q.it); n.held > 0 {
		n.kept = a.Stays()+n.gpus+n.held > a.BackedGPUs()+a.Lendable((*fleet.Account).Stays)
	}
	key := q.key(q.w, q.w.BaseRank(), false)
	for _, x := range q.p.Accounts {
		if x.Tree() != a.Tree() {
			continue
		}
		n.treeBacked += x.BackedGPUs()
		n.treeGrant += x.Grant
		n.others = n.others || (x != a && x.Grant > 0)
		var stays weight
		for _, w := range x.Work() {
			q.addStaying(w, key, x == a, &stays)
		}
		if x == a {
			n.earlier, n.inWay = stays.earlier, stays.inWay
		}
		// With borrowers gone, what then fits the backing is guaranteed and so was no
		// borrower; in its own quota that is beside the newcomer.
		in := 0
		if x == a {
			in = q.gpus
		}
		n.treeKept += max(stays.kept, min(x.Stays()+in, x.BackedGPUs())-in)
	}
	if n.barred && a.Stays()+n.gpus > n.backed {
		n.earlier = a.Stays() // what holders use counts, though it came later
	}
	n.inWay = max(n.inWay, n.earlier)
	return n
}

// weight is the GPUs of work that stays. earlier comes before the newcomer in its quota's
// order. inWay is what of its quota it may not evict: earlier work, and work as important
// that passed it. kept is what it may not evict as a borrower; work of its own quota may
// become one beside it.
type weight struct{ earlier, inWay, kept int }

// addStaying adds what stays of a workload.
func (q *question) addStaying(w *fleet.Workload, newcomer fleet.Key, own bool, sum *weight) {
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
				sum.inWay += pool.GPUs
			}
			borrows := r.Holds == fleet.HoldsBorrowing || own && r.Holds == fleet.HoldsGuaranteed
			if !borrows || !above {
				sum.kept += pool.GPUs
			}
		}
	}
}

// key is a unit's place in the order; past its declared maximum it has lost its age.
func (q *question) key(w *fleet.Workload, rank int, surplus bool) fleet.Key {
	key := fleet.KeyOf(w, rank, surplus)
	if w.Overran(q.now) {
		key.Since = fleet.Never
	}
	return key
}
