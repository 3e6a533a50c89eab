package placement

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// byIsland lists candidates by the islands in which they stand, so that a search island by island
// looks at each candidate once and not once for every island.
type byIsland struct {
	pl       *Planner
	list     []*candidateVictim
	here     inLists // by island: positions in the list of those that stand there
	anywhere []int   // of those whose GPUs count for the claim wherever they stand
	pools    []*surplusPool
}

// surplusPool is an elastic pool on flex some of whose surplus is among candidates. Each of its
// replicas may be the surplus.
type surplusPool struct {
	at     []int // positions of its candidates in the list
	spares []int // positions of its other replicas, among all of the pool
}

func (pl *Planner) byIsland(c *claim, list []*candidateVictim) *byIsland {
	b := &byIsland{pl: pl, list: list}
	here, room := make([]inIsland, 0, len(list)+len(list)/2), make([]int, 0, len(pl.p.Islands))
	pools, last, of := map[Part]*surplusPool{}, Part{}, (*surplusPool)(nil)
	for at, v := range list {
		if v.frees(c) {
			b.anywhere = append(b.anywhere, at)
			continue
		}
		for _, island := range pl.standsIn(v, room) {
			here = append(here, inIsland{island, at})
		}
		if !v.key.Surplus || !v.w.Flexes() {
			continue
		}
		if part := v.part(); of == nil || part != last { // those of a pool come one after the other
			last = part
			if of = pools[part]; of == nil {
				of = &surplusPool{}
				pools[part], b.pools = of, append(b.pools, of)
			}
		}
		of.at = append(of.at, at)
	}
	for _, p := range b.pools {
		p.setSpares(list)
	}
	b.here = listed(here, len(pl.p.Islands))
	return b
}

// inIsland is an island in which a candidate stands, by its position.
type inIsland struct{ island, at int }

// standsIn lists the islands in which a candidate stands, in the room of another list where they are not kept of it.
func (pl *Planner) standsIn(v *candidateVictim, room []int) []int {
	if v.islands != nil && !v.key.Surplus {
		return v.islands
	}
	return pl.addIslandsUnder(room[:0], &v.unit)
}

// inLists are lists of positions by island, one behind the other.
type inLists struct{ starts, positions []int }

// listed puts candidates, in order of their positions, into lists by island.
func listed(here []inIsland, islands int) inLists {
	l := inLists{make([]int, islands+2), make([]int, len(here))}
	for _, x := range here {
		l.starts[x.island+2]++
	}
	for i := range islands {
		l.starts[i+2] += l.starts[i+1]
	}
	for _, x := range here { // the start of the next list moves to its place
		l.positions[l.starts[x.island+1]] = x.at
		l.starts[x.island+1]++
	}
	return l
}

// in is the list of an island.
func (l *inLists) in(island int) []int { return l.positions[l.starts[island]:l.starts[island+1]] }

// setSpares lists the replicas of a pool that are no candidates and do not leave anyway.
func (p *surplusPool) setSpares(list []*candidateVictim) {
	like := list[p.at[0]]
	replicas := like.w.Replicas[like.pool]
	taken := make([]bool, len(replicas))
	for _, at := range p.at {
		taken[list[at].index] = true
	}
	for at, r := range replicas {
		if !taken[at] && r.Phase != fleet.Leaving {
			p.spares = append(p.spares, at)
		}
	}
}

// touching keeps the candidates that stand in an island, and those of the
// claim's own tree, whose GPUs count for it wherever they stand; and of flex pools
// that surplus which stands there.
func (b *byIsland) touching(island int) []*candidateVictim {
	here := b.here.in(island)
	there := make([]touching, 0, len(here)+len(b.anywhere))
	for _, list := range [...][]int{here, b.anywhere} {
		for _, at := range list {
			there = append(there, touching{at, b.list[at]})
		}
	}
	for _, p := range b.pools {
		there = b.insteadOf(p, island, there)
	}
	slices.SortFunc(there, func(x, y touching) int { return cmp.Compare(x.at, y.at) })
	out := make([]*candidateVictim, len(there))
	for i, t := range there {
		out[i] = t.v
	}
	return out
}

// touching is a candidate that touches an island, and its place in the order of cost.
type touching struct {
	at int
	v  *candidateVictim
}

// insteadOf adds replicas of a pool in an island as its surplus, each instead of one that stands elsewhere.
func (b *byIsland) insteadOf(p *surplusPool, island int, there []touching) []touching {
	elsewhere := p.at
	for _, spare := range p.spares {
		like := b.list[p.at[0]]
		if b.islandOf(like.w.Replicas[like.pool][spare].Node) != island {
			continue
		}
		for len(elsewhere) > 0 && b.islandOf(b.list[elsewhere[0]].spots[0].Nodes[0]) == island {
			elsewhere = elsewhere[1:]
		}
		if len(elsewhere) == 0 {
			break
		}
		v := b.pl.asSurplus(b.list[elsewhere[0]], spare)
		v.instead = true
		there = append(there, touching{elsewhere[0], v})
		elsewhere = elsewhere[1:]
	}
	return there
}

func (b *byIsland) islandOf(node int) int { return b.pl.p.Nodes[node].Island }
