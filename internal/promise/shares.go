package promise

import "container/heap"

// shareTheRest gives what gangs left to the loose parts of the grants: all of
// each if that suffices, else by highest averages (Sainte-Laguë: size divided by
// 2·got + 1, ties by quota path), which never costs anyone a node when one comes back.
func (al *aligner) shareTheRest() {
	left := al.cap.Promisable - al.total
	claims := &claims{}
	for a := range al.p.Accounts {
		loose, got := al.loose(a)
		al.targets[a] = total(al.blocks[a])
		if loose > got {
			claims.list = append(claims.list, claim{a, loose, got})
		}
	}
	heap.Init(claims)
	for ; left > 0 && claims.Len() > 0; left-- {
		c := &claims.list[0]
		c.got++
		al.targets[c.account]++
		if c.got == c.size {
			heap.Pop(claims)
		} else {
			heap.Fix(claims, 0)
		}
	}
}

// loose is the size of an account's loose part, and how much of that its
// undeclared running gangs took already. Only a backed declared gang leaves the loose part.
func (al *aligner) loose(a int) (size, got int) {
	size, got = al.grant(a), total(al.blocks[a])
	if al.backed[a] {
		gang := al.nodes(min(al.p.Accounts[a].Gang, al.p.Accounts[a].Grant))
		size, got = size-gang, got-gang
	}
	return size, max(0, got)
}

// claim is a loose part that still wants nodes.
type claim struct{ account, size, got int }

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
