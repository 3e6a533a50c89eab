package judge

import "github.com/muster-fleet/muster/internal/state/fleet"

// scene is the partition as a claim finds it with a set of victims gone.
type scene struct {
	j    *Judge
	room []int  // GPUs free for the claim, by node; none on nodes that are closed to it
	fits bool   // the counts of quota and tree have room
	own  bounds // of a guaranteed claim: its quota's backing
	tree bounds // of an in-quota claim: its tree's backing

	stays []Stand // beside the claim
}

// bounds are nodes that may be touched in each island, and those that are.
type bounds struct {
	in      bool // there are bounds
	touched map[int]bool
	left    []int // nodes that may still be opened, by island; negative: outnumbered already
}

func (j *Judge) sceneOf(c Claim, set []Unit) *scene {
	sc := &scene{j: j, room: make([]int, len(j.p.Nodes)), fits: true}
	for node, n := range j.p.Nodes {
		if n.State == fleet.Healthy || c.Account == nil && n.State.Usable() {
			sc.room[node] = n.Good()
		}
	}
	for _, u := range j.units {
		if goes(u, set) {
			continue
		}
		sc.stays = append(sc.stays, u.Stands...)
		for _, st := range u.Stands {
			sc.room[st.Node] -= st.GPUs
			// A node carries in-quota work of one quota only.
			if c.Account != nil && !u.Work.Flexes() && u.Account != c.Account {
				sc.room[st.Node] = -1 << 20
			}
		}
	}
	if c.Account != nil {
		sc.limit(c, set)
	}
	return sc
}

// limit applies the law of private clusters: to the quota of a guaranteed claim,
// of whose work only what comes before it counts, and to the tree.
func (sc *scene) limit(c Claim, set []Unit) {
	tree, treeTouched := c.GPUs(), map[int]bool{}
	var mine []Unit
	for _, u := range sc.j.units {
		a := u.Account
		if a == nil || a.Tree() != c.Account.Tree() || goes(u, set) {
			continue
		}
		if a == c.Account && (u.Work == c.Work || c.Growth || earlier(u.Key, c.Key)) {
			mine = append(mine, u)
		}
		// Unprotected work stands beyond the backing: who is guaranteed does not count it.
		if c.Holds != fleet.HoldsGuaranteed || u.Holds != fleet.HoldsUnprotected {
			tree += u.GPUs()
			treeTouched = nodesOf(treeTouched, u.Stands)
		}
	}
	backed := 0
	for _, a := range sc.j.p.Accounts {
		if a.Tree() == c.Account.Tree() {
			backed += a.BackedGPUs()
		}
	}
	lent := backed > c.Account.BackedGPUs() || sc.j.bare(c.Work) // else no sibling has anything to lend
	sc.fits = tree <= backed && (c.Holds == fleet.HoldsGuaranteed || lent)
	sc.tree = sc.j.boundsOf(treeTouched, func(i int) int { return sc.j.treeBacking(c.Account.Tree(), i) })
	if c.Holds == fleet.HoldsGuaranteed {
		own, ownTouched := sc.j.covered(c.Account, mine)
		sc.fits = sc.fits && own+c.GPUs() <= c.Account.BackedGPUs()
		sc.own = sc.j.boundsOf(ownTouched, func(i int) int { return c.Account.Backing[i] })
	}
}

// bare says whether something stands of a workload that is not guaranteed: what joins
// it, and would leave with it, is not guaranteed either, and borrows of its own quota's
// backing too (decision record 0006).
func (j *Judge) bare(w *fleet.Workload) bool {
	for _, u := range j.units {
		if u.Work == w && !u.Key.Surplus && u.Holds != fleet.HoldsGuaranteed {
			return true
		}
	}
	return false
}

func (j *Judge) treeBacking(tree string, island int) int {
	t := 0
	for _, a := range j.p.Accounts {
		if a.Tree() == tree {
			t += a.Backing[island]
		}
	}
	return t
}

func (j *Judge) boundsOf(touched map[int]bool, backing func(island int) int) bounds {
	b := bounds{in: true, touched: touched, left: make([]int, len(j.p.Islands))}
	for i := range b.left {
		b.left[i] = backing(i)
	}
	for node := range touched {
		b.left[j.p.Nodes[node].Island]--
	}
	return b
}
