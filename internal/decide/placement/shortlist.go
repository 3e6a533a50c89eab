package placement

import (
	"math/bits"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file lists, of all that a flex claim may evict, only what may make room where the claim could stand. In a
// crowded partition most claims could stand in one island of dozens, if in any, and find no room there either: what
// is kept of each namespace says so before its candidates are listed.

// flexVictims finds the fair set of victims that lets a flex claim start: fairSet, of all candidates.
func (pl *Planner) flexVictims(c *claim) ([]fleet.Spot, []*candidateVictim, bool) {
	if !boundedByIsland(c) {
		return pl.fairSetOfAll(c)
	}
	passers := pl.passersOf(c, false)
	if pl.nowhere(c, passers) {
		return nil, nil, false
	}
	givers, room := pl.giversTo(c)
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
	list := byCost(short.list)
	return pl.fairSetIn(c, list, thoseDown(list), most)
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
	passing, own, others := pl.leavable(), (*leavable)(nil), &othersLeavable{}
	for _, v := range passers {
		pl.countLeavable(passing, v)
	}
	for _, g := range givers {
		if g.namespace == c.w.Namespace {
			own = pl.ownGives(c).most
		} else if others.of == nil {
			others = pl.leavableBut(c.w.Namespace)
		}
	}
	return pl.mostWith(c, passing, own, others)
}

// thoseDown keeps the candidates of a shortlist that downToShare keeps.
func thoseDown(list []*candidateVictim) []*candidateVictim {
	down := make([]*candidateVictim, 0, len(list))
	for _, v := range list {
		if v.down {
			down = append(down, v)
		}
	}
	return down
}

// shortlist are the candidates of a flex claim that may make room where it could stand.
type shortlist struct {
	list []*candidateVictim

	all  int // how many candidates there are anywhere
	room int // bounds what all of them that are not of the claim's namespace give

	pl    *Planner
	c     *claim
	of    []*candidateVictim // of the namespace that is added
	marks positions          // of those of a namespace that concern the claim
	where []bool             // by island: the claim could have room there
}

func (pl *Planner) newShortlist(c *claim, givers []giver, passers []*candidateVictim, most mostGPUs) *shortlist {
	s := &shortlist{pl: pl, c: c, where: make([]bool, len(pl.p.Islands))}
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
	switch {
	case g.namespace == s.c.w.Namespace:
		s.addGiven(s.pl.ownGivingOf(s.c))
	case s.pl.passedFrom(s.c, g.namespace):
		s.addBesidePassers(g)
	default:
		given := s.pl.givingOf(s.c, g.namespace)
		s.room += given.most
		s.addGiven(given)
	}
}

// addBesidePassers adds what another namespace may give, some of whose work has passed the claim's.
func (s *shortlist) addBesidePassers(g giver) {
	share, left := s.pl.sharesNow()[g.namespace], g.has
	s.of = s.pl.evictableAmong(s.of[:0], s.c, g.namespace, true)
	s.room += mostGivable(s.of, g.has-share)
	for _, v := range s.of {
		down := left > share
		if down {
			left -= v.onFlex.freed
		}
		s.add(v, down)
	}
}

// addGiven adds what a namespace gives.
func (s *shortlist) addGiven(g *giving) {
	s.all += len(g.list)
	s.marks.begin(len(g.list))
	for i, where := range s.where {
		if where {
			s.marks.add(g.here[i])
		}
	}
	s.marks.each(func(at int) { s.take(g.list[at], at < g.down) })
}

// positions are positions on a list, each once: a bit for each of the list.
type positions []uint64

// begin makes room for the positions on a list of n, of which there is none yet.
func (p *positions) begin(n int) {
	*p = append((*p)[:0], make([]uint64, (n+63)/64)...)
}

func (p positions) add(list []int) {
	for _, at := range list {
		p[at/64] |= 1 << (at % 64)
	}
}

// each calls fn for the positions, in order.
func (p positions) each(fn func(at int)) {
	for i, word := range p {
		for ; word != 0; word &= word - 1 {
			fn(i*64 + bits.TrailingZeros64(word))
		}
	}
}

// add counts a candidate, and lists it if it may make room where the claim could stand.
func (s *shortlist) add(v *candidateVictim, down bool) {
	if s.all++; s.concerns(v) {
		s.take(v, down)
	}
}

func (s *shortlist) take(v *candidateVictim, down bool) {
	v.down = down
	s.list = append(s.list, v)
}

// concerns says whether a candidate may make room where the claim could have it.
func (s *shortlist) concerns(v *candidateVictim) bool {
	return slices.ContainsFunc(s.pl.islandsOf(v), func(island int) bool { return s.where[island] })
}
