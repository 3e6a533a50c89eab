package fleet

import (
	"sort"
	"time"
)

// peaks answers how many nodes were down at once at most since some moment,
// without asking which. Of all counts in time it keeps those that no later one
// reaches, so the first one that is recent enough is the answer.
type peaks struct {
	steps  []step // in order of time, and of falling counts
	at     Instant
	fell   []step // that the last moment's count has outdone
	counts bool   // something has been counted at the last moment
	down   int    // now
}

// step is a count of nodes that held until a moment.
type step struct {
	until Instant
	nodes int
}

// change counts nodes that went down at a moment, or came back; moments come in
// order, and what a moment ends with is all that counts of it.
func (k *peaks) change(nodes int, at Instant) {
	if k.counts && k.at == at {
		k.steps = append(k.steps[:len(k.steps)-1], k.fell...)
	}
	k.at, k.counts, k.fell = at, true, k.fell[:0]
	k.down += nodes
	kept := len(k.steps)
	if kept > 0 {
		k.steps[kept-1].until = at
	}
	for kept > 0 && k.steps[kept-1].nodes <= k.down {
		kept--
	}
	k.fell = append(k.fell, k.steps[kept:]...)
	k.steps = append(k.steps[:kept], step{Never, k.down})
}

// most is the largest count that held after a moment.
func (k *peaks) most(since Instant) int {
	i := sort.Search(len(k.steps), func(i int) bool { return k.steps[i].until > since })
	if i == len(k.steps) {
		return 0
	}
	return k.steps[i].nodes
}

// MostDown is the largest number of nodes of an island (of all islands, if it is
// negative) that were down at one moment after since, up to now. Nodes that planned work has, or takes soon, are
// not among them: they count apart, for all of that time (Island.Planned).
func (p *Partition) MostDown(island int, since, now Instant) int {
	k := &p.downs
	if island >= 0 {
		k = &p.Islands[island].downs
	}
	if now < k.at {
		return WalkMostDown(p, island, since, now)
	}
	return k.most(since)
}

// countDown counts a node that went down (1) or came back (−1), if it counts.
func (p *Partition) countDown(node, sign int, counts bool, at Instant) {
	if !counts {
		return
	}
	p.downs.change(sign, at)
	p.Islands[p.Nodes[node].Island].downs.change(sign, at)
}

// recountDowns counts all stretches anew: one of them is forgotten, or the state was loaded.
func (p *Partition) recountDowns() {
	p.downs = peaks{}
	for _, i := range p.Islands {
		i.downs = peaks{}
	}
	for _, e := range p.edgesOf(-1, -1, Never-1) {
		p.countDown(e.node, e.sign, true, e.at)
	}
}

// edge is a moment at which a stretch begins or ends.
type edge struct {
	at         Instant
	node, sign int
}

// inOrder sorts edges by time. A node that comes back at the moment another goes
// is not down with it.
func inOrder(edges []edge) []edge {
	sort.Slice(edges, func(i, j int) bool {
		if edges[i].at != edges[j].at {
			return edges[i].at < edges[j].at
		}
		return edges[i].sign < edges[j].sign
	})
	return edges
}

// edgesOf lists the beginnings of the stretches of an island (of all, if it is
// negative) that did not end until since, and the ends up to now. Those of nodes that planned work has are left out.
func (p *Partition) edgesOf(island int, since, now Instant) []edge {
	var edges []edge
	for _, d := range p.Downs {
		if d.To <= since || island >= 0 && p.Nodes[d.Node].Island != island || p.Nodes[d.Node].outByPlan() {
			continue
		}
		edges = append(edges, edge{d.From, d.Node, 1})
		if d.To <= now {
			edges = append(edges, edge{d.To, d.Node, -1})
		}
	}
	return inOrder(edges)
}

// WalkMostDown is MostDown by a walk along all stretches: for a moment that has
// passed, and to judge the counts by.
func WalkMostDown(p *Partition, island int, since, now Instant) int {
	most, down := 0, 0
	edges := p.edgesOf(island, since, now)
	for i, e := range edges {
		down += e.sign
		if e.at >= since || i+1 == len(edges) || edges[i+1].at > since {
			most = max(most, down)
		}
	}
	return most
}

// Stretches of downtime that are not asked for any more are let go. The dwell needs
// those that ended within it; forecasts learn from four weeks of them how long repairs
// take. What buffer policies learn from is kept apart (Island.Past).

// What ended is remembered for four weeks, counted from the beginning of the present
// one: so stretches go once a week, and which do follows from the moment alone, whatever
// an older snapshot still holds.
const (
	remembered = 28 * 24 * time.Hour
	week       = Instant(7 * 24 * time.Hour)
)

// mostDowns is how many stretches a partition keeps for forecasts, besides two of
// each node: with more, only those stay that the dwell needs.
const mostDowns = 4096

// forgetDowns lets go of what is not needed at a moment. It rests on the state alone,
// so that a replay of the log forgets the same.
func (p *Partition) forgetDowns(at Instant) {
	dwell := p.state.Policy.Dwell
	before := (at / week * week).Add(-max(dwell, remembered))
	if len(p.Downs) > mostDowns+2*len(p.Nodes) {
		before = at.Add(-dwell)
	}
	if p.oldestEnd() >= before {
		return
	}
	p.Downs = remove(p.Downs, func(d Down) bool { return d.To < before })
	p.recountDowns()
}

// oldestEnd is when the first of the stretches ended; Never: none has.
func (p *Partition) oldestEnd() Instant {
	oldest := Never
	for _, d := range p.Downs {
		oldest = min(oldest, d.To)
	}
	return oldest
}
