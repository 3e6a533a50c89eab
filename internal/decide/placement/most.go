package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file bounds what each island could give a flex claim, so that a search island by
// island leaves out those that could not take it with all candidates gone, or with as many
// as may go together by shares. In a crowded partition most could not.

// mostGPUs bounds, by island, the GPUs that a claim could have there; without a bound (no islands) every island may take it.
type mostGPUs struct {
	gpus []int // with all candidates gone
	fair []int // with a fair set of them gone
	room []int // with no candidate gone
	// spans lists other islands in which candidates stand that stand there, too: they may make room in those.
	spans map[int][]span
}

// leavable bounds what some candidates could leave free in each island. Surplus of an elastic pool may
// be any of its replicas: each counts.
type leavable struct {
	gpus    []int
	used    []int // of their namespace's use, by island that they touch
	largest int   // of their namespace's use, what leaves with one of them
	surplus parts // pools whose replicas count already
	spans   []span
	nodes   []leftOn
}

// leftOn is GPUs that leave a node; a node may be there several times.
type leftOn struct{ node, gpus int32 }

// span is two islands in which some units stand, and the GPUs of those units.
type span struct{ from, to, gpus int }

// mostIn bounds what candidates could leave free in each island.
func (pl *Planner) mostIn(c *claim, list []*candidateVictim) mostGPUs {
	if !boundedByIsland(c) {
		return mostGPUs{}
	}
	passers, byNamespace := pl.leavable(), map[string]*leavable{}
	for _, v := range list {
		l := passers
		if !passed(c, &v.unit) {
			if l = byNamespace[v.w.Namespace]; l == nil {
				l = pl.leavable()
				byNamespace[v.w.Namespace] = l
			}
		}
		pl.countLeavable(l, v)
	}
	others := &othersLeavable{}
	for ns, l := range byNamespace {
		if ns != c.w.Namespace {
			pl.addOther(others, ns, l)
		}
	}
	return pl.mostWith(c, passers, byNamespace[c.w.Namespace], others)
}

// boundedByIsland says whether a claim stands in one island, so that what each has bounds it.
func boundedByIsland(c *claim) bool { return len(c.needs) == 1 && c.needs[0].reach != fleet.ReachAny }

// mostWith bounds what each island could have for a claim with some of this work gone: that which passed the
// claim's, that of its own namespace (nil: none), and that of others.
func (pl *Planner) mostWith(c *claim, passers, own *leavable, others *othersLeavable) mostGPUs {
	m := mostGPUs{gpus: make([]int, len(pl.p.Islands)), room: make([]int, len(pl.p.Islands)), fair: make([]int, len(pl.p.Islands))}
	for i, island := range pl.p.Islands {
		m.room[i] = island.Room()
		m.gpus[i] = m.room[i] + passers.gpus[i]
		if own != nil {
			m.gpus[i] += own.gpus[i]
		}
		m.fair[i] = m.gpus[i]
	}
	if pl.addOthers(c, own, others, &m); !m.some(c) {
		return m // so what stands in several islands makes room in none
	}
	m.addSpans(c, passers)
	if own != nil {
		m.addSpans(c, own)
	}
	for _, o := range others.of {
		m.addSpans(c, o.leavable)
	}
	return m
}

// addOthers adds what other namespaces leave (see fair). They give nothing where the claim's own namespace would be above its
// share even without all of its candidates there.
func (pl *Planner) addOthers(c *claim, own *leavable, others *othersLeavable, m *mostGPUs) {
	mine := pl.p.FlexOf(c.w.Namespace).Staying + c.gpus - pl.sharesNow()[c.w.Namespace]
	for i, gpus := range others.gpus {
		if m.gpus[i] += gpus; mine <= 0 || own != nil && mine <= own.used[i] {
			m.fair[i] += others.shared[i]
		}
	}
}

// addSpans notes what may make room from another island where the claim could stand.
func (m *mostGPUs) addSpans(c *claim, l *leavable) {
	for _, s := range l.spans {
		if m.fair[s.to] < c.gpus {
			continue
		}
		if m.spans == nil {
			m.spans = map[int][]span{}
		}
		m.spans[s.from] = addSpan(m.spans[s.from], s)
	}
}

// addSpan counts a span among those that there are.
func addSpan(spans []span, s span) []span {
	at := slices.IndexFunc(spans, func(x span) bool { return x.from == s.from && x.to == s.to })
	if at < 0 {
		return append(spans, s)
	}
	spans[at].gpus += s.gpus
	return spans
}

func (pl *Planner) leavable() *leavable {
	return &leavable{gpus: make([]int, len(pl.p.Islands)), used: make([]int, len(pl.p.Islands))}
}

// countLeavable counts what a candidate leaves where it stands.
func (pl *Planner) countLeavable(l *leavable, v *candidateVictim) {
	last, several := -1, false
	for _, spot := range v.all.spots {
		gpus := v.w.Pools[spot.Pool].GPUs
		for _, node := range spot.Nodes {
			island := pl.p.Nodes[node].Island
			l.nodes = append(l.nodes, leftOn{int32(node), int32(gpus)})
			if l.gpus[island] += gpus; island != last {
				l.used[island] += v.onFlex.freedAll
			}
			several = several || last >= 0 && last != island
			last = island
		}
	}
	l.largest = max(l.largest, v.onFlex.freedAll)
	if several {
		pl.countSpanning(l, v.all)
	}
	if pool := v.part(); v.key.Surplus && v.w.Flexes() && !l.surplus[pool] {
		if l.surplus == nil {
			l.surplus = parts{}
		}
		l.surplus[pool] = true
		for _, r := range v.w.Replicas[v.pool] {
			l.nodes = append(l.nodes, leftOn{int32(r.Node), int32(v.w.Pools[v.pool].GPUs)})
			l.gpus[pl.p.Nodes[r.Node].Island] += v.w.Pools[v.pool].GPUs
			l.used[pl.p.Nodes[r.Node].Island] += v.w.Pools[v.pool].GPUs
		}
	}
}

// countSpanning notes of a unit that stands in several islands that it may make room in each.
func (pl *Planner) countSpanning(l *leavable, u unit) {
	islands := pl.addIslandsUnder(nil, &u)
	for _, from := range islands {
		for _, to := range islands {
			if from != to {
				l.spans = addSpan(l.spans, span{from, to, u.gpus})
			}
		}
	}
}

// mayStand says whether a claim could stand in an island with a fair set of candidates gone.
func (m mostGPUs) mayStand(c *claim, island int) bool {
	return len(m.gpus) == 0 || m.fair[island] >= c.gpus
}

// mayTake says whether a claim could stand in an island with a fair set of candidates gone that stand there, or in another
// where some of them stand, too.
func (m mostGPUs) mayTake(c *claim, island int) bool {
	return m.mayStand(c, island) || slices.ContainsFunc(m.spans[island], func(s span) bool {
		return m.fair[s.to] >= c.gpus && m.room[s.to]+s.gpus >= c.gpus
	})
}

// some says whether a claim could stand in some island with a fair set of candidates gone.
func (m mostGPUs) some(c *claim) bool {
	return slices.ContainsFunc(m.fair, func(gpus int) bool { return gpus >= c.gpus })
}

// mayTakeAll says whether a claim could stand in an island with all candidates gone.
func (m mostGPUs) mayTakeAll(c *claim, island int) bool {
	return len(m.gpus) == 0 || m.gpus[island] >= c.gpus
}

// someTakes says whether a claim fits with all candidates gone, as fits does, without looking for the best place.
func (pl *Planner) someTakes(c *claim, list []*candidateVictim, most mostGPUs) bool {
	if nd := c.needs[0]; len(most.gpus) == 0 || nd.reach == fleet.ReachRack || nd.beside >= 0 {
		_, ok := pl.fits(c, list)
		return ok
	}
	if !slices.ContainsFunc(most.gpus, func(gpus int) bool { return gpus >= c.gpus }) {
		return false
	}
	leaving := pl.leavers(list)
	for _, v := range leaving {
		pl.evict(v.all)
	}
	takes := false
	for i := 0; i < len(pl.p.Islands) && !takes; i++ {
		takes = most.mayTakeAll(c, i) && c.mayUse(i) && pl.slotsOnFlex(c, c.needs[0], i) >= c.needs[0].replicas
	}
	for _, v := range leaving {
		pl.restore(v.all)
	}
	return takes
}

// tighten bounds each island once more, node by node, with all of these candidates gone: GPUs on nodes that take no replica are
// no room. It says whether the claim could still stand in some island.
func (pl *Planner) tighten(c *claim, list []*candidateVictim, most mostGPUs) (some bool) {
	pl.countLeaves(list, 1)
	for i, gpus := range most.fair {
		if gpus < c.gpus {
			continue
		}
		if !pl.takesWithout(c.needs[0], i) {
			most.fair[i] = 0
		}
		some = some || most.fair[i] > 0
	}
	pl.countLeaves(list, -1)
	return some
}

// countLeaves counts, or takes back, what candidates leave on each node. Surplus may be any replica of its pool.
func (pl *Planner) countLeaves(list []*candidateVictim, sign int) {
	counted := parts{}
	for _, v := range list {
		v.all.eachNode(func(node, gpus int) { pl.leaves[node] += sign * gpus })
		if pool := v.part(); v.key.Surplus && !counted[pool] {
			counted[pool] = true
			for _, r := range v.w.Replicas[v.pool] {
				pl.leaves[r.Node] += sign * v.w.Pools[v.pool].GPUs
			}
		}
	}
}

// takesWithout says whether an island's nodes take all replicas of a need beside what countLeaves leaves there.
func (pl *Planner) takesWithout(nd need, island int) bool {
	left := nd.replicas
	for _, node := range pl.p.Islands[island].Nodes() {
		if pl.p.Nodes[node].CountsUsable() {
			if left -= (pl.room(node) + pl.leaves[node]) / nd.gpus; left <= 0 {
				return true
			}
		}
	}
	return false
}
