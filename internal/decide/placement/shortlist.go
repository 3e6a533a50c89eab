package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file lists, of all that a flex claim may evict, only what may make room where the claim could stand. In a
// crowded partition most claims could stand in one island of dozens, if in any, and find no room there either: what
// is kept of each namespace says so before its candidates are listed.

// flexVictims finds the fair set of victims that lets a flex claim start: fairSet, of all candidates.
func (pl *Planner) flexVictims(c *claim) ([]fleet.Spot, []*candidateVictim, bool) {
	if !boundedByIsland(c) {
		return pl.fairSetOfAll(c)
	}
	givers, room := pl.giversTo(c)
	passers := pl.passersOf(c, false)
	most := pl.mostOf(c, givers, passers)
	if !most.some(c) {
		return nil, nil, false
	}
	short := pl.newShortlist(c, givers, passers, most)
	switch {
	case room+short.room < c.gpus:
		return nil, nil, false
	case short.all <= fewCandidates:
		return pl.fairSetOfAll(c)
	case !pl.tighten(c, short.list, most):
		return nil, nil, false
	}
	return pl.fairSetIn(c, byCost(short.list), byCost(short.down), most)
}

// fairSetOfAll is fairSet of all that a flex claim may evict.
func (pl *Planner) fairSetOfAll(c *claim) ([]fleet.Spot, []*candidateVictim, bool) {
	list := pl.evictableOnFlex(c)
	if len(list) == 0 {
		return nil, nil, false
	}
	return pl.fairSet(c, list)
}

// mostOf is mostIn of all that a flex claim may evict, by what is kept of each namespace.
func (pl *Planner) mostOf(c *claim, givers []giver, passers []*candidateVictim) mostGPUs {
	passing, byNamespace := pl.leavable(), make(map[string]*leavable, len(givers))
	for _, v := range passers {
		pl.countLeavable(passing, v)
	}
	for _, g := range givers {
		if g.namespace == c.w.Namespace {
			byNamespace[g.namespace] = pl.leavableOwn(c)
		} else {
			byNamespace[g.namespace] = pl.leavableOf(g.namespace)
		}
	}
	return pl.mostWith(c, passing, byNamespace)
}

// leavableOwn bounds what work of its own namespace could leave free for a flex claim.
func (pl *Planner) leavableOwn(c *claim) *leavable {
	own := pl.leavable()
	for _, v := range pl.keptOf(c.w.Namespace).units {
		if pl.mayEvictOnFlex(c, &v.unit, false) {
			pl.countLeavable(own, v)
		}
	}
	return own
}

// shortlist are the candidates of a flex claim that may make room where it could stand.
type shortlist struct {
	list []*candidateVictim
	down []*candidateVictim // those of them that downToShare keeps

	all  int // how many candidates there are anywhere
	room int // bounds what all of them that are not of the claim's namespace give

	pl    *Planner
	c     *claim
	of    []*candidateVictim // of the namespace that is added
	where []bool             // by island: the claim could have room there
	pools map[Part]bool
}

func (pl *Planner) newShortlist(c *claim, givers []giver, passers []*candidateVictim, most mostGPUs) *shortlist {
	s := &shortlist{pl: pl, c: c, where: make([]bool, len(pl.p.Islands)), pools: map[Part]bool{}}
	for i := range s.where {
		s.where[i] = most.mayTake(c, i)
	}
	for _, g := range givers {
		s.addOf(g)
	}
	for _, v := range passers {
		s.add(v, true)
		s.room += v.all.gpus // what joined it leaves along
	}
	return s
}

// addOf adds what a namespace may give; of another one than the claim's, downToShare keeps what is taken while it is above
// its share.
func (s *shortlist) addOf(g giver) {
	share, other := s.pl.sharesNow()[g.namespace], g.namespace != s.c.w.Namespace
	s.of = s.pl.evictableAmong(s.of[:0], s.c, g.namespace, other)
	if other {
		s.room += mostGivable(s.of, g.has-share)
	}
	left := g.has
	for _, v := range s.of {
		down := !other || left > share
		if down {
			left -= v.onFlex.freed
		}
		s.add(v, down)
	}
}

// add counts a candidate, and lists it if it may make room where the claim could stand.
func (s *shortlist) add(v *candidateVictim, down bool) {
	if s.all++; !s.concerns(v) {
		return
	}
	if s.list = append(s.list, v); down {
		s.down = append(s.down, v)
	}
}

// concerns says whether a candidate stands where the claim could have room, or its pool does whose surplus it is: each
// replica of the pool may be the surplus.
func (s *shortlist) concerns(v *candidateVictim) bool {
	for _, spot := range v.spots {
		for _, node := range spot.Nodes {
			if s.where[s.pl.p.Nodes[node].Island] {
				return true
			}
		}
	}
	return v.key.Surplus && s.poolConcerns(v)
}

func (s *shortlist) poolConcerns(v *candidateVictim) bool {
	part := v.part()
	concerns, known := s.pools[part]
	if !known {
		for _, r := range v.w.Replicas[v.pool] {
			concerns = concerns || s.where[s.pl.p.Nodes[r.Node].Island]
		}
		s.pools[part] = concerns
	}
	return concerns
}
