package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file refuses flex claims that no island takes with all gone that may go, and remembers it by island. Most claims that
// wait in a crowded partition are refused here. A start changes a few islands: only these are asked again, for each kind of claim.

// shape is what a refusal of a namespace's claim hangs on, its own work and the islands aside.
type shape struct {
	fleet.Importance
	gpus, replicas int
}

// refusal is when no island took a claim, and its namespace's share then.
type refusal struct {
	at    uint64 // see leftByShares
	share int
}

// nowhere says whether no island takes a claim with all gone that may go, and those who passed it: false if that is not known.
func (pl *Planner) nowhere(c *claim, passers []*candidateVictim) bool {
	if !boundedByIsland(c) || slices.ContainsFunc(pl.moved, func(n int) bool { return n != 0 }) {
		return false
	}
	left := pl.leftNow()
	if len(passers) > 0 || !pl.alike(c) {
		return !pl.someSince(c, passers, 0)
	}
	kept := pl.keptOf(c.w.Namespace)
	of, share := shape{c.key.Importance(), c.needs[0].gpus, c.needs[0].replicas}, pl.sharesNow()[c.w.Namespace]
	last := kept.nowhere[of]
	if last.share != share {
		last.at = 0
	}
	if pl.someSince(c, nil, last.at) {
		return false
	}
	if kept.nowhere == nil {
		kept.nowhere = map[shape]refusal{}
	}
	kept.nowhere[of] = refusal{left.at, share}
	return true
}

// someSince says whether an island may take a claim that has changed since no island took it.
func (pl *Planner) someSince(c *claim, passers []*candidateVictim, since uint64) bool {
	q := pl.askOf(c, passers)
	for i, island := range pl.leftByShares.islands {
		if island.at > since && q.mayTake(i) {
			return true
		}
	}
	return false
}

// islandAsk asks whether islands may take a flex claim with all gone that may go.
type islandAsk struct {
	pl     *Planner
	c      *claim
	own    *leavable      // what the claim's namespace leaves to it
	passed *leavable      // what those leave who passed it; nil: nothing
	counts *leavable      // what of the namespace counts among what those above their shares leave; nil: nothing
	among  *otherLeavable // the same, by island; nil: nothing
	above  int            // that the namespace would be above its share by, with the claim
}

func (pl *Planner) askOf(c *claim, passers []*candidateVictim) *islandAsk {
	q := &islandAsk{pl: pl, c: c, own: pl.ownGives(c).most, counts: pl.leftByShares.of[c.w.Namespace]}
	q.above = pl.p.FlexOf(c.w.Namespace).Staying + c.gpus - pl.sharesNow()[c.w.Namespace]
	if all := pl.leftByShares.all; q.counts != nil {
		q.among = &all.of[slices.IndexFunc(all.of, func(o otherLeavable) bool { return o.namespace == c.w.Namespace })]
	}
	if len(passers) > 0 {
		q.passed = pl.leavable()
		for _, v := range passers {
			pl.countLeavable(q.passed, v)
		}
	}
	return q
}

// mayTake bounds an island as mostWith does, and then node by node, as takesWithout does.
func (q *islandAsk) mayTake(island int) bool {
	others := q.above <= 0 || q.above <= q.own.used[island]
	gpus := q.pl.p.Islands[island].Room() + q.own.gpus[island]
	if q.passed != nil {
		gpus += q.passed.gpus[island]
	}
	if others {
		gpus += q.shared(island)
	}
	return gpus >= q.c.gpus && q.takes(island, others)
}

// shared is what others leave in an island by shares.
func (q *islandAsk) shared(island int) int {
	gpus := q.pl.leftByShares.islands[island].shared
	if q.among != nil {
		gpus -= q.among.in(island)
	}
	return gpus
}

// takes says whether an island's nodes take the claim beside what its own namespace, and perhaps others, leave there.
func (q *islandAsk) takes(island int, others bool) bool {
	pl, nd := q.pl, q.c.needs[0]
	q.count(others, 1)
	defer q.count(others, -1)
	left := nd.replicas
	for _, node := range pl.p.Islands[island].Nodes() {
		if !pl.p.Nodes[node].CountsUsable() {
			continue
		}
		room := pl.room(node) + pl.leaves[node]
		if others {
			room += pl.leftByShares.gpus[node]
		}
		if left -= room / nd.gpus; left <= 0 {
			return true
		}
	}
	return false
}

// count counts what of the claim's namespace leaves and who passed it, and takes out what of the namespace others would leave.
func (q *islandAsk) count(others bool, sign int) {
	q.pl.countLeft(q.own, sign)
	q.pl.countLeft(q.passed, sign)
	if others {
		q.pl.countLeft(q.counts, -sign)
	}
}

// countLeft counts what leaves nodes, or takes that back.
func (pl *Planner) countLeft(l *leavable, sign int) {
	if l == nil {
		return
	}
	for _, x := range l.nodes {
		pl.leaves[x.node] += sign * int(x.gpus)
	}
}
