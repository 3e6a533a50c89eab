package judge

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// search looks for places for a claim: every node for every replica, except for
// orders that come to the same.
type search struct {
	sc    *scene
	c     Claim
	given []int // GPUs of the claim, by node
	count []int // replicas of the claim, by node
	place []Stand
	found func(place []Stand) bool // says whether to stop
}

// places calls found with one place after another until it says stop; it says
// whether it did.
func (j *Judge) places(c Claim, sc *scene, found func(place []Stand) bool) bool {
	if !sc.fits {
		return false
	}
	return slices.ContainsFunc(j.orders(c), func(c Claim) bool {
		s := &search{sc: sc, c: c, given: make([]int, len(sc.room)), count: make([]int, len(sc.room)), found: found}
		return s.need(0)
	})
}

// need finds room for the claim's needs from the k-th on.
func (s *search) need(k int) bool {
	if k == len(s.c.Needs) {
		return s.found(s.place)
	}
	for _, nodes := range s.domains(s.c.Needs[k]) {
		if s.spread(k, nodes, s.c.Needs[k].Replicas) {
			return true
		}
	}
	return false
}

// domains lists the sets of nodes in which a need may stand: an island, a rack,
// or all, and only those beside which the rest of its gang stands.
func (s *search) domains(n Need) [][]int {
	p := s.sc.j.p
	type domain struct{ island, rack int }
	of := func(node int) domain {
		switch at := p.Nodes[node]; n.Reach {
		case fleet.ReachAny:
			return domain{}
		case fleet.ReachIsland:
			return domain{at.Island, 0}
		default:
			return domain{at.Island, at.Rack}
		}
	}
	var list [][]int
	seen := map[domain]int{}
	for node := range p.Nodes {
		d := of(node)
		at, known := seen[d]
		if !known {
			at = len(list)
			seen[d] = at
			list = append(list, nil)
		}
		list[at] = append(list[at], node)
	}
	if s.c.Work.Pools[n.Pool].Elastic || n.Reach == fleet.ReachAny {
		return list
	}
	for _, r := range s.c.Work.Replicas[n.Pool] {
		if r.Phase != fleet.Leaving {
			return [][]int{list[seen[of(r.Node)]]}
		}
	}
	return list
}

// spread puts replicas of the k-th need on nodes, as many on the first as it
// takes, then one fewer, and so on.
func (s *search) spread(k int, nodes []int, left int) bool {
	if left <= 0 {
		return s.need(k + 1)
	}
	if len(nodes) == 0 {
		return false
	}
	node, gpus := nodes[0], s.c.Needs[k].GPUs
	most := min(left, (s.sc.room[node]-s.given[node])/gpus, s.sc.takes(s.footprint(k), node)-s.count[node])
	if most > 0 && !s.open(node, 1) {
		s.open(node, -1)
		most = 0
	} else if most > 0 {
		s.open(node, -1)
	}
	for n := max(0, most); n >= 0; n-- {
		if n == 0 && most > 0 && s.same(nodes) {
			// The next node is like this one: work that finds no room with replicas
			// here finds none with them there.
			nodes = s.skipSame(nodes)
			return s.spread(k, nodes, left)
		}
		if s.try(k, nodes, n, left) {
			return true
		}
	}
	return false
}

func (s *search) try(k int, nodes []int, n, left int) bool {
	node, gpus := nodes[0], s.c.Needs[k].GPUs
	if n > 0 && s.given[node] == 0 {
		s.open(node, 1)
		defer s.open(node, -1)
	}
	s.given[node] += n * gpus
	s.count[node] += n
	for range n {
		s.place = append(s.place, Stand{node, gpus, false, s.footprint(k)})
	}
	stop := s.spread(k, nodes[1:], left-n)
	s.place = s.place[:len(s.place)-n]
	s.given[node] -= n * gpus
	s.count[node] -= n
	return stop
}

// footprint is what a replica of the k-th need asks of its node beside GPUs.
func (s *search) footprint(k int) string { return s.c.Work.Pools[s.c.Needs[k].Pool].Footprint }

// open counts a node that the claim touches (sign 1), or takes that back; it says
// whether the backing still has as many.
func (s *search) open(node, sign int) bool {
	if s.given[node] > 0 {
		return true
	}
	inside := true
	for _, b := range []*bounds{&s.sc.own, &s.sc.tree} {
		if !b.in {
			continue
		}
		island := s.sc.j.p.Nodes[node].Island
		if !b.touched[node] {
			b.left[island] -= sign
		}
		inside = inside && b.left[island] >= 0
	}
	return inside
}

// same says whether the first of the nodes and the next are alike: in the same
// rack, with the same room, touched alike, and untouched by this claim.
func (s *search) same(nodes []int) bool {
	return !s.sc.j.apart && len(nodes) > 1 && s.alike(nodes[0], nodes[1])
}

func (s *search) skipSame(nodes []int) []int {
	for s.same(nodes) {
		nodes = nodes[1:]
	}
	return nodes[1:]
}

func (s *search) alike(a, b int) bool {
	x, y := s.sc.j.p.Nodes[a], s.sc.j.p.Nodes[b]
	return x.Island == y.Island && x.Rack == y.Rack && s.sc.room[a] == s.sc.room[b] &&
		s.given[a] == 0 && s.given[b] == 0 &&
		s.sc.own.touched[a] == s.sc.own.touched[b] && s.sc.tree.touched[a] == s.sc.tree.touched[b] && !s.leftHere(a, b) && s.sc.tightAlike(s.c, a, b)
}

// leftHere says whether places on two nodes could still be told apart: by who
// among the victims stands there. Only the law of borrowers looks at that.
func (s *search) leftHere(a, b int) bool {
	for _, u := range s.sc.j.units {
		if u.Account == nil || u.Holds != fleet.HoldsBorrowing {
			continue
		}
		for _, st := range u.Stands {
			if st.Node == a || st.Node == b {
				return true
			}
		}
	}
	return false
}
