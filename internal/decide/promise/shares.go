package promise

import (
	"container/heap"
	"sort"
)

// shareTheRest gives what gangs left to the loose parts of the grants. Unless promisable falls or a grant
// changes, no tree gets less than its running work is covered by, own or lent (rule 4 comes before rule 5).
func (al *aligner) shareTheRest() {
	for k := range al.rows {
		al.rows[k].lends = 0
	}
	for again := len(al.trees); al.shareLoose() && !al.anew && again > 0 && al.keepsLent(); again-- {
	}
}

// shareLoose shares once: all of each loose part if there is enough, else by highest averages (Sainte-Laguë: size
// divided by 2·got + 1, ties by quota path). By this rule a node that comes back never costs a quota one. It says
// whether some part did not get all.
func (al *aligner) shareLoose() bool {
	left := al.cap.Promisable - al.total
	claims, wanted := &claims{}, 0
	for k := range al.rows {
		r := &al.rows[k]
		loose, got := r.loose()
		kept := min(al.kept(r)+r.lends, left, loose-got)
		r.target = r.blocks + kept
		got, left = got+kept, left-kept
		if loose > got {
			claims.list = append(claims.list, claim{k, loose, got})
			wanted += loose - got
		}
	}
	if wanted <= left {
		for _, c := range claims.list {
			al.rows[c.account].target += c.size - c.got
		}
		return false
	}
	if left > len(claims.list) {
		left -= al.leap(claims, left)
	}
	heap.Init(claims)
	for ; left > 0 && claims.Len() > 0; left-- {
		c := &claims.list[0]
		c.got++
		al.rows[c.account].target++
		if c.got == c.size {
			heap.Pop(claims)
		} else {
			heap.Fix(claims, 0)
		}
	}
	return true
}

// keepsLent lets quotas keep what they lend, in trees that would get less than covers their running work. It says
// whether some quota keeps more than before.
func (al *aligner) keepsLent() bool {
	for t := range al.trees {
		al.trees[t].lacks = 0
	}
	for i := range al.islands {
		for _, is := range al.islands[i].trees {
			al.trees[is.tree].lacks += is.floor
		}
	}
	for k := range al.rows {
		al.trees[al.rows[k].tree].lacks -= al.rows[k].target
	}
	more := false
	for k := range al.rows {
		r := &al.rows[k]
		if n := min(al.trees[r.tree].lacks, r.stood()-r.target); n > 0 {
			r.lends = r.target - r.blocks - al.kept(r) + n
			al.trees[r.tree].lacks -= n
			more = true
		}
	}
	return more
}

// stood is how many nodes back an account at present.
func (r *row) stood() (nodes int) {
	for x := range r.stands {
		nodes += r.stands[x].present
	}
	return nodes
}

// loose is the size of an account's loose part, and how much of that its
// undeclared running gangs took already. Only a backed declared gang leaves the loose part.
func (r *row) loose() (size, got int) {
	size, got = r.grant, r.blocks
	if r.backed {
		size, got = size-r.declare, got-r.declare
	}
	return size, max(0, got)
}

// kept is what backs the account's covered work besides gangs. Unless promisable
// falls or a grant changes it counts as got too. For an account may have more than its part
// because gangs took it. When these end, or borrow because of a more important newcomer,
// nothing else that it covers may lose its cover (rule 4 comes before rule 5).
func (al *aligner) kept(r *row) int {
	kept := 0
	if !al.anew {
		for x := range r.stands {
			s := &r.stands[x]
			kept += max(0, min(s.under, s.covered)-s.block)
		}
	}
	return kept
}

// claim is a loose part that still wants nodes.
type claim struct{ account, size, got int }

// upTo is how many nodes a claim has once it got every one whose average,
// size / (2·got + 1), is at least m/1024.
func (c claim) upTo(m int) int { return max(c.got, min(c.size, (1024*c.size/m+1)/2)) }

// leap gives at once the nodes of all averages down to m/1024, for the lowest m
// for which they do not exceed what is left; what remains goes one by one. It
// says how many it gave.
func (al *aligner) leap(cs *claims, left int) int {
	given := func(m int) int {
		t := 0
		for _, c := range cs.list {
			t += c.upTo(m) - c.got
		}
		return t
	}
	highest := 0
	for _, c := range cs.list {
		highest = max(highest, 1024*c.size)
	}
	m := 1 + sort.Search(highest, func(i int) bool { return given(1+i) <= left })
	gave := given(m)
	open := cs.list[:0]
	for _, c := range cs.list {
		al.rows[c.account].target += c.upTo(m) - c.got
		if c.got = c.upTo(m); c.got < c.size {
			open = append(open, c)
		}
	}
	cs.list = open
	return gave
}

type claims struct{ list []claim }

func (c *claims) Len() int { return len(c.list) }
func (c *claims) Less(i, j int) bool {
	a, b := c.list[i], c.list[j]
	x, y := a.size*(2*b.got+1), b.size*(2*a.got+1)
	if x != y {
		return x > y
	}
	return a.account < b.account
}
func (c *claims) Swap(i, j int) { c.list[i], c.list[j] = c.list[j], c.list[i] }
func (c *claims) Push(x any)    { c.list = append(c.list, x.(claim)) }
func (c *claims) Pop() any {
	last := c.list[len(c.list)-1]
	c.list = c.list[:len(c.list)-1]
	return last
}
