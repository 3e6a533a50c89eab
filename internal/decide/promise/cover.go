package promise

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file holds what rule 4 protects: the backing under running work. A
// quota's own covered work needs the quota's backing where it stands; what a
// tree covers in an island, borrowing work included, needs the tree's backing
// there, whichever quota lends it.

// coverNow takes for cover what the backing so far covers.
func (al *aligner) coverNow() {
	al.eachStand(func(s *stand) { s.under = min(s.touched, s.backing) })
	for i := range al.islands {
		for x := range al.islands[i].trees {
			t := &al.islands[i].trees[x]
			t.floor = min(t.touched, t.backing)
		}
	}
}

// coverStill leaves of the cover what the backing so far covers still: where
// promisable fell or a grant changed, some of it had to go. It says whether that
// is less than quotas need for their own work.
func (al *aligner) coverStill() bool {
	less := false
	al.eachStand(func(s *stand) {
		less = less || s.backing < min(s.under, s.covered)
		s.under = min(s.under, s.backing)
	})
	for i := range al.islands {
		for x := range al.islands[i].trees {
			t := &al.islands[i].trees[x]
			t.floor = min(t.floor, t.backing)
		}
	}
	return less
}

func (al *aligner) eachStand(do func(*stand)) {
	for k := range al.rows {
		for x := range al.rows[k].stands {
			do(&al.rows[k].stands[x])
		}
	}
}

// lacks is how many nodes are missing to keep all cover with what gangs take and accounts get.
func (al *aligner) lacks() int {
	lack := 0
	for t := range al.trees {
		al.trees[t].keeps, al.trees[t].target, al.trees[t].lacks = 0, 0, 0
	}
	for k := range al.rows {
		r := &al.rows[k]
		keeps := 0
		for x := range r.stands {
			keeps += r.stands[x].keeps()
		}
		al.trees[r.tree].lacks += max(0, keeps-r.target)
		al.trees[r.tree].target += r.target
	}
	for i := range al.islands {
		is := &al.islands[i]
		for x := range is.trees {
			al.trees[is.trees[x].tree].keeps += is.trees[x].needs()
		}
		lack += max(0, is.keeps-is.whole)
	}
	for t := range al.trees {
		lack += max(al.trees[t].lacks, al.trees[t].keeps-al.trees[t].target)
	}
	return lack
}

// trim gives up what an account's target does not cover of its running work:
// what is not covered now, then the least important and youngest.
func (al *aligner) trim(k int) {
	r := &al.rows[k]
	keeps := 0
	for x := range r.stands {
		keeps += r.stands[x].keeps()
	}
	if keeps <= r.target {
		return
	}
	were := make(map[int]int, len(r.stands))
	for x := range r.stands {
		were[r.stands[x].island] = r.stands[x].under
		r.stands[x].under = 0
	}
	left, seen := r.target-r.blocks, al.newMark()
	for _, covered := range []bool{true, false} {
		eachReplica(r.account, func(replica fleet.Replica) {
			s := al.stand(k, al.p.Nodes[replica.Node].Island)
			beyond := s.under >= s.block // what gangs take is not in question
			if covered != (replica.HeldAs != fleet.HoldsUnprotected) || al.marks[replica.Node] >= seen ||
				s.under >= were[s.island] || beyond && left == 0 {
				return
			}
			al.marks[replica.Node] = seen
			if s.under++; beyond {
				left--
			}
		})
	}
}

// countCovered counts the nodes that covered work of an account touches.
func (al *aligner) countCovered(k int) {
	for x := range al.rows[k].stands {
		al.rows[k].stands[x].covered = 0
	}
	for _, in := range al.coveredOfAccount(al.rows[k].account) {
		al.stand(k, in.island).covered = in.nodes
	}
}

// coveredNodes counts the nodes that covered work of an account touches, by island.
func (al *aligner) coveredNodes(a *fleet.Account) (list []coveredIn) {
	seen := al.newMark()
	eachReplica(a, func(r fleet.Replica) {
		if r.HeldAs == fleet.HoldsUnprotected || al.marks[r.Node] >= seen {
			return
		}
		al.marks[r.Node] = seen
		island := al.p.Nodes[r.Node].Island
		at := slices.IndexFunc(list, func(in coveredIn) bool { return in.island == island })
		if at < 0 {
			at, list = len(list), append(list, coveredIn{island: island})
		}
		list[at].nodes++
	})
	return list
}

// eachReplica calls for every replica of an account that stays, in the quota's order.
func eachReplica(a *fleet.Account, do func(fleet.Replica)) {
	for _, w := range a.Work() {
		for _, replicas := range w.Replicas {
			for _, r := range replicas {
				if r.Phase != fleet.Leaving {
					do(r)
				}
			}
		}
	}
}
