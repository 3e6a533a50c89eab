package past

import (
	"cmp"
	"slices"
)

// BrokenIn lists what broke promises in a scope and a window, the last record
// first. A scope that is an island asks for its own share alone.
func (b *Book) BrokenIn(scope string, w Window) (list []Break) {
	for _, br := range b.Breaks {
		where := br.Partition
		if br.Island != "" {
			where += "/" + br.Island
		}
		if br.At >= w.From && br.At < w.To && under(where, scope) {
			list = append(list, br)
		}
	}
	slices.SortStableFunc(list, func(x, y Break) int { return cmp.Compare(y.Seq, x.Seq) })
	return list
}

// OutAt is the nodes of a partition, or of one of its islands, that were out already
// when a break came: the longest first.
func (b *Book) OutAt(br Break) (list []Loss) {
	add := func(e Episode, cause string) {
		if e.Partition != br.Partition || br.Island != "" && e.Island != br.Island || e.From >= br.At {
			return
		}
		list = append(list, Loss{Node: e.Node, Island: e.Island, Cause: cause, Since: e.From})
	}
	for _, n := range b.Nodes { // they are sorted below: the order does not matter
		if n.Open != nil {
			add(*n.Open, n.cause())
		}
	}
	for _, e := range b.Episodes {
		if e.To > br.At {
			add(e, e.Cause)
		}
	}
	slices.SortFunc(list, func(x, y Loss) int { return cmp.Or(cmp.Compare(x.Since, y.Since), cmp.Compare(x.Node, y.Node)) })
	return list
}
