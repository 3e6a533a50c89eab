package placement

import "slices"

// This file keeps what all namespaces above their shares leave on each node, and notes in which islands that, or the room there, has
// changed.

// leftByShares is what all namespaces above their shares leave, by node, and when it last changed in each island.
type leftByShares struct {
	seen    uint64 // the flexStamp for which this is so
	turn    uint64 // and the planner: what policies and time do shows in the next turn
	at      uint64 // grows with each look
	all     *othersLeavable
	of      map[string]*leavable // what is counted in gpus
	gpus    []int                // by node
	islands []islandSeen
}

// islandSeen is what was last seen of an island, and when that last changed.
type islandSeen struct {
	changed, at  uint64
	gpus, shared int
}

// leftNow brings up to date what namespaces above their shares leave.
func (pl *Planner) leftNow() *leftByShares {
	l, stamp := &pl.leftByShares, pl.flexStamp()
	if l.gpus == nil {
		l.of, l.gpus, l.islands = map[string]*leavable{}, make([]int, len(pl.p.Nodes)), make([]islandSeen, len(pl.p.Islands))
	} else if l.seen == stamp && l.turn == pl.turns {
		return l
	}
	l.seen, l.turn, l.all = stamp, pl.turns, pl.leavableAbove()
	l.at++
	l.recount()
	for i, island := range pl.p.Islands {
		l.see(i, island.Changed())
	}
	return l
}

// recount takes out what namespaces leave no more, and counts what they leave now.
func (l *leftByShares) recount() {
	for ns, was := range l.of {
		if !slices.ContainsFunc(l.all.of, func(o otherLeavable) bool { return o.namespace == ns && o.leavable == was }) {
			l.count(was, -1)
			delete(l.of, ns)
		}
	}
	for _, o := range l.all.of {
		if l.of[o.namespace] == nil {
			l.count(o.leavable, 1)
			l.of[o.namespace] = o.leavable
		}
	}
}

// count counts what a namespace leaves, or takes it back.
func (l *leftByShares) count(of *leavable, sign int) {
	for _, x := range of.nodes {
		l.gpus[x.node] += sign * int(x.gpus)
	}
	for i, gpus := range of.gpus {
		if gpus > 0 {
			l.islands[i].at = l.at
		}
	}
}

// see notes whether an island has changed.
func (l *leftByShares) see(island int, changed uint64) {
	is := &l.islands[island]
	now := islandSeen{changed: changed, at: is.at}
	if l.all.gpus != nil {
		now.gpus, now.shared = l.all.gpus[island], l.all.shared[island]
	}
	if now != *is || now.at == 0 {
		now.at = l.at
	}
	*is = now
}
