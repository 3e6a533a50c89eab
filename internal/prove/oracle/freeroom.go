package oracle

import (
	"slices"
)

// finds says whether pieces of a workload find room on nodes beside what stays. True is certain.
func (p *Part) finds(j *Job, want []Piece, stay []Unit) bool {
	if j.Flexes() {
		return p.open(stay, nil).Fits(want)
	}
	q := p.Quota(j.Target)
	if q == nil || q.Held {
		return false
	}
	own := func(u Unit) bool { return u.Job.Target == j.Target }
	tree := func(u Unit) bool { return u.Job.Tree == j.Tree && !u.Job.Flexes() }
	r := p.open(stay, own)
	r.limit(p, filter(stay, own), q.Backing)
	_, backing := p.trees()
	r.limit(p, filter(stay, tree), backing[q.Tree])
	return r.Fits(want)
}

// open is the free room on real nodes. In-quota work (own is not nil) stands on
// whole nodes, and on none with in-quota work of another quota.
func (p *Part) open(stay []Unit, own func(Unit) bool) Room {
	r := Room{Fresh: len(p.Nodes), GPUs: len(p.Nodes) * p.PerNode, Tight: p.Tight}
	for i, n := range p.Nodes {
		free, touched, barred := n.Usable(), false, n.Usable() == 0 || own != nil && !n.Whole()
		for _, u := range stay {
			if u.Node != i {
				continue
			}
			free -= u.GPUs()
			if own != nil && own(u) {
				touched = true
			} else if own != nil && !u.Job.Flexes() {
				barred = true
			}
		}
		if free > 0 && !barred {
			r.Slots = append(r.Slots, Slot{n.Island, n.Rack, free, !touched, i})
		}
	}
	return r
}

// limit leaves only as many fresh nodes in each island, and GPUs, as the backing of
// some quotas has beside what stays of them.
func (r *Room) limit(p *Part, stay []Unit, backing []int) {
	per := p.touched(stay).perIsland(p)
	nodes := 0
	var slots []Slot
	used := make([]int, len(p.Islands))
	for _, s := range r.Slots {
		if s.Fresh {
			if used[s.Island]++; used[s.Island] > max(0, backing[s.Island]-per[s.Island]) {
				continue
			}
		}
		slots = append(slots, s)
	}
	gpus := 0
	for _, u := range stay {
		gpus += u.GPUs()
	}
	for i, n := range backing {
		nodes += n
		if per[i] > n {
			slots = slices.DeleteFunc(slots, func(s Slot) bool { return s.Island == i })
		}
	}
	r.Slots, r.GPUs = slots, min(r.GPUs, nodes*p.PerNode-gpus)
}
