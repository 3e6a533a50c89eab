package whatif

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// concerned lists the partitions that commands concern, those where the workload may
// stand among them, and the trees whose waiting work they concern; nil: all of it,
// where nodes change.
func (x *search) concerned(commands []core.Command) (list []*fleet.Partition, trees map[string]bool) {
	in, trees, all := map[*fleet.Partition]bool{}, map[string]bool{x.w.Tree(): true}, false
	add := func(more ...*fleet.Partition) {
		for _, p := range more {
			in[p] = true
		}
	}
	add(x.placesOf(x.w.Target, x.w.Partition)...)
	for _, c := range commands {
		switch c := c.(type) {
		case core.Retarget:
			trees[fleet.TreeOf(c.Target)] = true
			add(x.placesOf(c.Target, c.Partition)...)
		case core.Submit:
			add(x.placesOf(c.Spec.Target, c.Spec.Partition)...)
		case core.SetGrant:
			trees[fleet.TreeOf(c.Quota)] = true
			add(x.s.Partition(c.Partition))
			add(x.placesOf(c.Quota, "")...) // whose work may come here now
		case core.Transfer:
			trees[fleet.TreeOf(c.From)], trees[fleet.TreeOf(c.To)] = true, true
			add(x.s.Partition(c.Partition))
			add(x.placesOf(c.To, "")...)
		case core.Cancel:
			if w := x.s.Workload(c.Namespace, c.Name); w != nil {
				trees[w.Tree()] = true
				add(x.standsIn(w)...)
			}
		case core.Prioritise, core.Resize:
		default:
			metal, known := x.nodesOf(c)
			if !known { // a command that is not known here
				return x.s.Partitions, nil
			}
			all = true
			add(metal...)
		}
	}
	if all {
		trees = nil
	}
	for _, p := range x.s.Partitions {
		if in[p] {
			list = append(list, p)
		}
	}
	return list, trees
}

// standsIn lists where a workload stands, or waits.
func (x *search) standsIn(w *fleet.Workload) []*fleet.Partition {
	list := slices.Clone(x.placesOf(w.Target, w.Partition))
	if p := w.At(); p != nil {
		list = append(list, p)
	}
	return list
}

// partitionsWith lists the partitions that have some nodes.
func (x *search) partitionsWith(nodes []string) []*fleet.Partition {
	return slices.DeleteFunc(slices.Clone(x.s.Partitions), func(p *fleet.Partition) bool {
		return !slices.ContainsFunc(nodes, func(name string) bool {
			_, has := p.Node(name)
			return has
		})
	})
}

func (x *search) partitionsOf(cluster string) []*fleet.Partition {
	return slices.DeleteFunc(slices.Clone(x.s.Partitions), func(p *fleet.Partition) bool { return p.Cluster != cluster })
}

// nodesOf lists the partitions whose nodes a command changes. known is false for a
// command that is none of those.
func (x *search) nodesOf(c core.Command) (list []*fleet.Partition, known bool) {
	switch c := c.(type) {
	case core.RecordValidation:
		return x.partitionsWith([]string{c.Node}), true
	case core.SetNodes:
		return x.partitionsWith(c.Names), true
	case core.ResumeReports:
		return x.partitionsOf(c.Cluster), true
	case core.SetMode:
		return x.partitionsOf(c.Cluster), true
	}
	return nil, false
}
