package chaos_test

import (
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says, by itself and as simply as it can, what would fit a private
// cluster: it shares no code with placement.

// piece is what starts and stops as one: the lowest-rank pools at min, a pool of
// higher rank at min, or one replica above min.
type piece struct {
	w     *fleet.Workload
	key   fleet.Key
	gpus  int
	on    map[int]int // GPUs by node
	holds fleet.HeldAs
}

// pieces lists what of a workload stays, without order.
func pieces(w *fleet.Workload) []piece {
	base := piece{w: w, key: fleet.KeyOf(w, w.BaseRank(), false), on: map[int]int{}}
	var list []piece
	for i, pool := range w.Pools {
		core := piece{w: w, key: fleet.KeyOf(w, pool.Rank, false), on: map[int]int{}}
		n := 0
		for _, r := range w.Replicas[i] {
			if r.Phase == fleet.Leaving {
				continue
			}
			if n++; n > pool.Min {
				list = append(list, piece{w, fleet.KeyOf(w, pool.Rank, true), pool.GPUs, map[int]int{r.Node: pool.GPUs}, r.HeldAs})
				continue
			}
			to := &core
			if pool.Rank == w.BaseRank() {
				to = &base
			}
			to.gpus += pool.GPUs
			to.on[r.Node] += pool.GPUs
			to.holds = r.HeldAs
		}
		if core.gpus > 0 {
			list = append(list, core)
		}
	}
	if base.gpus > 0 {
		list = append(list, base)
	}
	return list
}

// want is so many replicas of a pool that must find room.
type want struct {
	gpus, replicas int
	reach          fleet.Reach
}

// wants is what a workload's lowest-rank pools need to start.
func wants(w *fleet.Workload) []want {
	var list []want
	for _, p := range w.Pools {
		if p.Rank == w.BaseRank() {
			list = append(list, want{p.GPUs, p.Min, p.Reach})
		}
	}
	return list
}

// private is a private cluster: in each island the room on nodes that are in
// use, and how many whole nodes are free.
type private struct {
	gpusPerNode int
	used        [][]int // room on each node in use, by island
	fresh       []int   // free nodes, by island
}

func (c private) clone() private {
	d := private{gpusPerNode: c.gpusPerNode, fresh: append([]int(nil), c.fresh...)}
	for _, u := range c.used {
		d.used = append(d.used, append([]int(nil), u...))
	}
	return d
}

// takes puts replicas into an island, on nodes in use before free ones, the
// tightest first; it says how many found room.
func (c *private) takes(island, gpus, replicas int) int {
	sort.Ints(c.used[island])
	left := replicas
	for i := range c.used[island] {
		for left > 0 && c.used[island][i] >= gpus {
			c.used[island][i] -= gpus
			left--
		}
	}
	for left > 0 && c.fresh[island] > 0 && gpus <= c.gpusPerNode {
		c.fresh[island]--
		room := c.gpusPerNode
		for left > 0 && room >= gpus {
			room -= gpus
			left--
		}
		c.used[island] = append(c.used[island], room)
	}
	return replicas - left
}

// holds says whether all wants fit: every order of pools and every choice of
// islands is tried. What it says fits does fit.
func (c private) holds(list []want) bool {
	if len(list) == 0 {
		return true
	}
	for first := range list {
		rest := append(append([]want(nil), list[:first]...), list[first+1:]...)
		if c.holdsFirst(list[first], rest) {
			return true
		}
	}
	return false
}

// holdsApart says whether all wants fit on free nodes, each on nodes of its own:
// where several pools share nodes, to find out whether they fit is no exact art.
func (c private) holdsApart(list []want) bool {
	d := c.clone()
	for i := range d.used {
		d.used[i] = nil
	}
	for i, x := range list {
		per := c.gpusPerNode / x.gpus
		if per == 0 {
			return false
		}
		list[i] = want{c.gpusPerNode, (x.replicas + per - 1) / per, x.reach}
	}
	return d.holds(list)
}

func (c private) holdsFirst(x want, rest []want) bool {
	if x.reach == fleet.ReachAny {
		d, left := c.clone(), x.replicas
		for i := range d.fresh {
			left -= d.takes(i, x.gpus, left)
		}
		return left == 0 && d.holds(rest)
	}
	for i := range c.fresh {
		d := c.clone()
		if d.takes(i, x.gpus, x.replicas) == x.replicas && d.holds(rest) {
			return true
		}
	}
	return false
}

// privateOf is a quota's private cluster of backed nodes, with some of its work in it.
func privateOf(p *fleet.Partition, backing func(island int) int, work []piece) (c private, gpus int) {
	c = private{gpusPerNode: p.GPUsPerNode, used: make([][]int, len(p.Islands)), fresh: make([]int, len(p.Islands))}
	on := map[int]int{}
	for _, u := range work {
		gpus -= u.gpus
		for node, g := range u.on {
			on[node] += g
		}
	}
	for i := range c.fresh {
		c.fresh[i] = backing(i)
		gpus += backing(i) * p.GPUsPerNode
	}
	for node, n := range p.Nodes {
		g, touched := on[node]
		if !touched {
			continue
		}
		c.fresh[n.Island]--
		if n.State == fleet.Healthy {
			c.used[n.Island] = append(c.used[n.Island], n.GPUs-g)
		}
	}
	for i := range c.fresh {
		c.keepBacked(i)
	}
	return c, gpus
}

// keepBacked leaves out of an island what its work touches beyond the backing
// there, the roomiest nodes first: their room is not the private cluster's.
func (c *private) keepBacked(island int) {
	sort.Ints(c.used[island])
	for ; c.fresh[island] < 0 && len(c.used[island]) > 0; c.fresh[island]++ {
		c.used[island] = c.used[island][:len(c.used[island])-1]
	}
	c.fresh[island] = max(0, c.fresh[island])
}

func gpusWanted(list []want) int {
	t := 0
	for _, x := range list {
		t += x.gpus * x.replicas
	}
	return t
}
