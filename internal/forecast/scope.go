package forecast

import (
	"slices"

	"github.com/muster-fleet/muster/internal/fleet"
)

// around copies the part of a fleet that can bear on a workload, without what has
// ended: the partitions where it may stand, and those that share waiting work
// with them.
func around(s *fleet.State, w *fleet.Workload) *fleet.State {
	in := map[*fleet.Partition]bool{}
	for _, p := range places(s, w) {
		in[p] = true
	}
	for grown := true; grown; {
		grown = false
		for _, other := range s.Workloads {
			grown = bind(in, places(s, other)) || grown
		}
	}
	return excerpt(s, func(p *fleet.Partition) bool { return in[p] })
}

// bind adds all places of a workload of which one is in.
func bind(in map[*fleet.Partition]bool, places []*fleet.Partition) (grown bool) {
	if len(places) < 2 || !slices.ContainsFunc(places, func(p *fleet.Partition) bool { return in[p] }) {
		return false
	}
	for _, p := range places {
		grown = grown || !in[p]
		in[p] = true
	}
	return grown
}

// places lists the partitions where a workload stands, or where it may start.
func places(s *fleet.State, w *fleet.Workload) []*fleet.Partition {
	switch {
	case w.At() != nil && w.State == fleet.RunningW:
		return []*fleet.Partition{w.At()}
	case w.State.Ended():
		return nil
	}
	var list []*fleet.Partition
	for _, p := range s.Partitions {
		if w.May(p) && (w.Flexes() || p.Account(w.Target) != nil) {
			list = append(list, p)
		}
	}
	return list
}

// excerpt copies the chosen partitions and what lives or waits there. The
// original is only read.
func excerpt(s *fleet.State, chosen func(*fleet.Partition) bool) *fleet.State {
	part := &fleet.State{
		Seq: s.Seq, Time: s.Time, Policy: s.Policy, Buffers: s.Buffers, Clusters: s.Clusters, Quotas: s.Quotas,
		NextHold: s.NextHold, NextID: s.NextID, Workloads: map[uint64]*fleet.Workload{},
	}
	for _, p := range s.Partitions {
		if chosen(p) && p.Halted() == "" {
			part.Partitions = append(part.Partitions, p)
		}
	}
	for _, h := range s.Holds {
		if p := s.Partition(h.Partition); p != nil && chosen(p) {
			part.Holds = append(part.Holds, h)
		}
	}
	for id, w := range s.Workloads {
		if matters(s, w, chosen) {
			part.Workloads[id] = w
		}
	}
	return part.Clone()
}

// matters says whether a workload stands in a chosen partition, or may start there.
func matters(s *fleet.State, w *fleet.Workload, chosen func(*fleet.Partition) bool) bool {
	if p := w.At(); p != nil {
		return chosen(p)
	}
	return slices.ContainsFunc(places(s, w), chosen)
}
