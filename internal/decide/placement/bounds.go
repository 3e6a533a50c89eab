package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// mayFit says whether a claim might find room with all flex work and the given
// in-quota units gone. It counts more generously than find, so what it refuses
// needs no look at victims; most claims that wait are refused here.
func (pl *Planner) mayFit(c *claim, gone []evictable) bool {
	pl.mark++
	for _, v := range gone {
		allWith(*v.unit).eachNode(func(node, _ int) { pl.marks[node] = pl.mark })
	}
	pl.ignoreFlex = true
	fits := true
	for _, nd := range c.needs {
		fits = fits && pl.mayTake(c, nd)
	}
	pl.ignoreFlex = false
	return fits
}

// mayTake says whether an island (for reach any, all together) has slots for a need.
func (pl *Planner) mayTake(c *claim, nd need) bool {
	if nd.beside >= 0 {
		return pl.slotsAtMost(c, nd, pl.p.Nodes[nd.beside].Island) >= nd.replicas
	}
	all := 0
	for i := range pl.p.Islands {
		if !c.mayUseVacated(i) {
			continue
		}
		n := pl.slotsAtMost(c, nd, i)
		if all += n; n >= nd.replicas || nd.reach == fleet.ReachAny && all >= nd.replicas {
			return true
		}
	}
	return false
}

// slotsAtMost bounds the replicas that an island takes from above.
func (pl *Planner) slotsAtMost(c *claim, nd need, island int) int {
	if own := c.own[island]; c.counts() && own < unlimited && nd.reach != fleet.ReachAny && c.account.Touched(island)+max(0, own) < pl.nodesFor(nd) {
		return 0 // whatever leaves
	}
	slots, opens, cleared := 0, 0, 0
	for _, node := range pl.p.Islands[island].Nodes() {
		n, owner := pl.p.Nodes[node], pl.p.Nodes[node].Owner()
		goes := pl.marks[node] == pl.mark
		if goes && owner != nil && owner.Root() == c.account.Root() {
			cleared++
		}
		kind := pl.kindOf(c, node)
		switch {
		case goes && n.CountsWhole() && owner != c.account:
			opens++
		case goes:
			slots += n.Counted() / nd.gpus
		case kind == nodeOpen:
			opens += min(1, max(0, pl.room(node))/nd.gpus)
		case kind != nodeClosed:
			slots += max(0, pl.room(node)) / nd.gpus
		}
	}
	if !c.uncovered {
		if c.own[island] < 0 || c.tree[island]+cleared < 0 {
			return 0
		}
		opens = min(opens, c.own[island], c.tree[island]+cleared)
	}
	return slots + max(0, opens)*(pl.p.GPUsPerNode/nd.gpus)
}

// slotBound is how many replicas of each need each island has room for at most, with
// many victims out of the picture. Where one of them given back leaves too few,
// the claim cannot do without it, and need not be placed anew to know. Without a
// bound (nil) no victim is known to be needed.
type slotBound struct {
	pl      *Planner
	c       *claim
	victims []*candidateVictim
	freed   int
	slots   [][]int // by need and island
	nodes   []int
}

func (pl *Planner) slotBoundOf(c *claim, victims []*candidateVictim) *slotBound {
	if len(victims) <= fewCandidates || len(pl.leavers(victims)) < len(victims) {
		return nil
	}
	b := &slotBound{pl: pl, c: c, victims: victims, slots: make([][]int, len(c.needs))}
	for _, v := range victims {
		pl.evict(v.all)
		b.freed += v.freed(c)
	}
	for k := range c.needs {
		b.slots[k] = make([]int, len(pl.p.Islands))
	}
	for i := range pl.p.Islands {
		if c.reaches(i) || len(c.needs) > 1 {
			b.countIsland(i)
		}
	}
	return b
}

// countIsland counts the room of an island. Where it is as it stands, flex work may have all slots that the state counts.
func (b *slotBound) countIsland(island int) {
	if b.c.account == nil && b.pl.untouched(island) {
		for k, nd := range b.c.needs {
			b.slots[k][island] = b.pl.p.Islands[island].Slots(nd.gpus)
		}
		return
	}
	for _, node := range b.pl.p.Islands[island].Nodes() {
		b.count(node, 1)
	}
}

func (b *slotBound) end() {
	if b == nil {
		return
	}
	for _, v := range b.victims {
		b.pl.restore(v.all)
	}
}

// resume goes on after an end, where the victims are the same.
func (b *slotBound) resume() {
	if b == nil {
		return
	}
	for _, v := range b.victims {
		b.pl.evict(v.all)
	}
}

// count counts the room of a node into what the islands have, or out of it.
func (b *slotBound) count(node, sign int) {
	room := b.pl.room(node)
	if room <= 0 || b.pl.kindOf(b.c, node) == nodeClosed {
		return
	}
	for k, nd := range b.c.needs {
		b.slots[k][b.pl.p.Nodes[node].Island] += sign * (room / nd.gpus)
	}
}

// needs says whether the claim cannot fit without a victim.
func (b *slotBound) needs(v *candidateVictim) bool {
	if b == nil {
		return false
	}
	if !b.pl.countsWithout(b.c, b.freed-v.freed(b.c)) {
		return true
	}
	b.nodes = b.pl.nodesOf(&v.all, b.nodes[:0])
	b.shift(v, -1)
	needed := false
	for k, nd := range b.c.needs {
		needed = needed || b.most(nd, b.slots[k]) < nd.replicas
	}
	b.shift(v, 1)
	return needed
}

func (b *slotBound) shift(v *candidateVictim, sign int) {
	for _, node := range b.nodes {
		b.count(node, -1)
	}
	b.pl.shift(v.all, sign)
	for _, node := range b.nodes {
		b.count(node, 1)
	}
}

// most is how many replicas of a need there is room for where it may stand.
func (b *slotBound) most(nd need, slots []int) (most int) {
	if nd.beside >= 0 {
		return slots[b.pl.p.Nodes[nd.beside].Island]
	}
	all := 0
	for i, n := range slots {
		if b.c.reaches(i) {
			all, most = all+n, max(most, n)
		}
	}
	if nd.reach == fleet.ReachAny {
		return all
	}
	return most
}
