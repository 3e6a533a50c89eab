package placement

import "github.com/muster-fleet/muster/internal/fleet"

// Planner makes the plans of one partition at one moment. Its scratch arrays,
// one number per node, are kept between the plans of a moment.
type Planner struct {
	s   *fleet.State
	p   *fleet.Partition
	now fleet.Instant

	freed []int // GPUs that chosen victims give back, by node
	gone  []int // in-quota replicas among them, by node
	extra []int // GPUs that the newcomer has been given so far, by node
	fresh []int // nodes the newcomer has opened so far, by island
}

// New makes the planner of a partition at a moment.
func New(s *fleet.State, p *fleet.Partition, now fleet.Instant) *Planner {
	n := len(p.Nodes)
	return &Planner{
		s: s, p: p, now: now,
		freed: make([]int, n), gone: make([]int, n), extra: make([]int, n), fresh: make([]int, len(p.Islands)),
	}
}

// evict takes a unit out of the picture; restore puts it back.
func (pl *Planner) evict(u unit)   { pl.shift(u, 1) }
func (pl *Planner) restore(u unit) { pl.shift(u, -1) }

func (pl *Planner) shift(u unit, sign int) {
	inQuota := sign
	if u.w.Flexes() {
		inQuota = 0
	}
	u.eachNode(func(node, gpus int) {
		pl.freed[node] += sign * gpus
		pl.gone[node] += inQuota
	})
}

// room is what a node has for a newcomer: usable GPUs that nobody means to keep.
func (pl *Planner) room(node int) int {
	n := pl.p.Nodes[node]
	return n.UsableGPUs() - n.Staying() + pl.freed[node] - pl.extra[node]
}

// owner is the account whose in-quota work would stay on a node, or nil.
func (pl *Planner) owner(node int) *fleet.Account {
	n := pl.p.Nodes[node]
	if n.Owner() == nil || pl.gone[node] == 0 {
		return n.Owner()
	}
	staying := 0
	for _, r := range n.Residents() {
		if r.Workload.Account() != nil && r.Phase != fleet.Leaving {
			staying++
		}
	}
	if staying == pl.gone[node] {
		return nil
	}
	return n.Owner()
}

func (pl *Planner) give(node, gpus int)     { pl.extra[node] += gpus }
func (pl *Planner) takeBack(node, gpus int) { pl.extra[node] -= gpus }
