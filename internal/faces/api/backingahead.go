package api

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// footing is what quotas have in one partition: GPUs granted, and nodes that back them by island.
type footing struct {
	grants map[string]int
	nodes  map[string]map[string]int
}

// backingAhead says which grants a dry run would leave unbacked, and which lose backing that they
// have, in GPUs: the steps of a dry run tell backing by nodes and islands.
func backingAhead(s *fleet.State, events []event.Event) (notes []string) {
	for _, p := range s.Partitions {
		if changesBacking(p.ID, events) {
			before, after := footingOf(p), footingOf(p)
			after.follow(p.ID, events)
			notes = append(notes, before.lostTo(after, p)...)
		}
	}
	return notes
}

// changesBacking says whether events give a partition another backing, or grants that want one.
func changesBacking(partition string, events []event.Event) bool {
	return slices.Contains(grantedIn(events), partition) || slices.ContainsFunc(events, func(e event.Event) bool {
		aligned, is := e.(event.BackingAligned)
		return is && aligned.Partition == partition
	})
}

func footingOf(p *fleet.Partition) footing {
	f := footing{grants: map[string]int{}, nodes: map[string]map[string]int{}}
	for _, a := range p.Accounts {
		f.grants[a.Quota] = a.Grant
		for i, nodes := range a.Backing {
			f.back(a.Quota, p.Islands[i].Name, nodes)
		}
	}
	return f
}

func (f footing) back(quota, island string, nodes int) {
	if f.nodes[quota] == nil {
		f.nodes[quota] = map[string]int{}
	}
	f.nodes[quota][island] = nodes
}

// backed is how many nodes back a quota.
func (f footing) backed(quota string) (nodes int) {
	for _, n := range f.nodes[quota] {
		nodes += n
	}
	return nodes
}

// follow makes of the footing what events make of it.
func (f footing) follow(partition string, events []event.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case event.BackingAligned:
			for _, b := range e.Backing {
				if e.Partition == partition {
					f.back(b.Quota, b.Island, b.Nodes)
				}
			}
		default:
			f.grant(partition, e)
		}
	}
}

// grant notes a grant that changes in a partition.
func (f footing) grant(partition string, e event.Event) {
	switch e := e.(type) {
	case event.GrantSet:
		if e.Partition == partition {
			f.grants[e.Quota] = e.GPUs
		}
	case event.GrantEnded:
		if e.Partition == partition {
			f.grants[e.Quota] = e.GPUs
		}
	case event.GrantTransferred:
		if e.Partition == partition {
			f.grants[e.From] -= e.GPUs
			f.grants[e.To] += e.GPUs
		}
	}
}

// lostTo says whose backing goes on the way to another footing, and which grants it does not cover.
func (f footing) lostTo(after footing, p *fleet.Partition) (notes []string) {
	var losers, unbacked []string
	lost := 0
	for _, quota := range slices.Sorted(maps.Keys(after.grants)) {
		grant, back := after.grants[quota], after.backed(quota)
		lacks := max(0, grant/p.GPUsPerNode-back)
		more := lacks - max(0, f.grants[quota]/p.GPUsPerNode-f.backed(quota))
		if goes := min(f.backed(quota)-back, more); goes > 0 {
			lost += goes * p.GPUsPerNode
			losers = append(losers, fmt.Sprintf("%s (%d of %s)", quota, goes*p.GPUsPerNode, text.Count(grant, "GPU")))
			more -= goes
		}
		if more > 0 {
			unbacked = append(unbacked, fmt.Sprintf("%s (%d of %s)", quota, lacks*p.GPUsPerNode, text.Count(grant, "GPU")))
		}
	}
	if len(losers) > 0 {
		notes = append(notes, fmt.Sprintf("%s in %s would lose the backing of %s: %s.", text.Count(len(losers), "grant"), p.ID, text.Count(lost, "GPU"), text.Few(losers, mostConcerned)))
	}
	if len(unbacked) > 0 {
		notes = append(notes, fmt.Sprintf("Not backed in %s then: %s.", p.ID, text.Few(unbacked, mostConcerned)))
	}
	return notes
}
