package promise

import (
	"container/heap"
	"sort"
)

// shareTheRest gives what gangs left to the loose parts of the grants: all of each if that
// suffices, else by highest averages (Sainte-Laguë: size divided by 2·got + 1, ties by quota
// path). By this rule a node that comes back never costs a quota one.
func (al *aligner) shareTheRest() {
	left := al.cap.Promisable - al.total
	claims, wanted := &claims{}, 0
	for k := range al.rows {
		r := &al.rows[k]
		loose, got := r.loose()
		kept := min(al.kept(r), left, loose-got)
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
		return
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
