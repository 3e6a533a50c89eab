package api

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// shortBy says, after a change of grants, of a buffer or of nodes, which grants in the same partitions are not backed now, whole or
// in one piece. The person who changes one quota does not see what that leaves to the others.
func (s *service) shortBy(r event.Record) []string {
	if changed := slices.Concat(grantedIn(r.Events), bufferedIn(r.Events), takenIn(r.Events)); len(changed) > 0 {
		return s.shortIn(changed, r.Events)
	}
	return nil
}

// shortIn is shortBy of the partitions in which grants may be short now.
func (s *service) shortIn(changed []string, by []event.Event) (notes []string) {
	s.engine.Read(func(state *fleet.State) {
		for _, p := range state.Partitions {
			if slices.Contains(changed, p.ID) {
				notes = append(notes, shortGrants(p)...)
			}
		}
		notes = append(notes, fractionsOf(state, by)...)
	})
	return notes
}

// takenIn lists the partitions in which people take nodes from what can be promised, so that backing moves.
func takenIn(events []event.Event) (partitions []string) {
	for _, e := range events {
		n, is := e.(event.NodeChanged)
		if is && takesFromOthers(n) && n.To != fleet.Healthy && changesBacking(n.Partition, events) {
			partitions = append(partitions, n.Partition)
		}
	}
	return partitions
}

// grantedIn lists the partitions in which events change grants.
func grantedIn(events []event.Event) (partitions []string) {
	for _, e := range events {
		switch e := e.(type) {
		case event.GrantSet:
			partitions = append(partitions, e.Partition)
		case event.GrantTransferred:
			partitions = append(partitions, e.Partition)
		}
	}
	return partitions
}

// bufferedIn lists the partitions in which events change a buffer policy, and backing by it.
func bufferedIn(events []event.Event) (partitions []string) {
	changed := false
	for _, e := range events {
		switch e := e.(type) {
		case event.PolicySet, event.BufferSet, event.BufferCleared:
			changed = true
		case event.BackingAligned:
			if changed {
				partitions = append(partitions, e.Partition)
			}
		}
	}
	return partitions
}

// fractionsOf says what of the grants that events set fills no whole node: nothing can ever back it.
func fractionsOf(s *fleet.State, events []event.Event) (notes []string) {
	for _, p := range s.Partitions {
		if list := fractionsIn(p, events); len(list) > 0 {
			notes = append(notes, fmt.Sprintf("A node of %s has %s, and what fills no whole node is never backed: %s.", p.ID, text.Count(p.GPUsPerNode, "GPU"), text.Few(list, mostConcerned)))
		}
	}
	return notes
}

// fractionsIn names the quotas whose grants in a partition events set so, with the part of each grant.
func fractionsIn(p *fleet.Partition, events []event.Event) (list []string) {
	for _, e := range events {
		if e, is := e.(event.GrantSet); is && e.Partition == p.ID && e.GPUs != p.InWholeNodes(e.GPUs) {
			list = append(list, fmt.Sprintf("%s (%d of %s)", e.Quota, e.GPUs-p.InWholeNodes(e.GPUs), text.Count(e.GPUs, "GPU")))
		}
	}
	return list
}

// shortGrants says which grants of a partition are not backed, and which declared gangs stand in pieces.
func shortGrants(p *fleet.Partition) (notes []string) {
	var unbacked []string
	for _, a := range p.Accounts {
		if lacks := a.GrantNodes() - a.BackedNodes(); lacks > 0 {
			unbacked = append(unbacked, fmt.Sprintf("%s (%d of %s)", a.Quota, lacks*p.GPUsPerNode, text.Count(a.Grant, "GPU")))
		}
		if a.GangMissing > 0 {
			where := p.IslandName(a.GangIsland) + " lacks " + text.Count(a.GangMissing, "GPU") + " for it"
			if len(p.Islands) == 0 {
				where = "it has none yet"
			}
			notes = append(notes, fmt.Sprintf("The gang of %s that %s was promised does not fit into one island of %s now: %s.", text.Count(a.Gang, "GPU"), a.Quota, p.ID, where))
		}
	}
	if len(unbacked) > 0 {
		notes = append(notes, fmt.Sprintf("Not backed in %s now: %s.", p.ID, text.Few(unbacked, mostConcerned)))
	}
	return notes
}
