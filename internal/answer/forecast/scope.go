package forecast

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// scope knows the places of the workloads of one fleet. Those that wait for the same
// target alike are asked about once: thousands may.
type scope struct {
	s       *fleet.State
	waiting map[manner][]*fleet.Partition
}

// manner is what of a waiting workload decides where it may start.
type manner struct{ target, partition, home string }

func (sc *scope) places(w *fleet.Workload) []*fleet.Partition {
	if w.State.Ended() || w.At() != nil && w.State == fleet.RunningW {
		return places(sc.s, w)
	}
	m := manner{w.Target, w.Partition, w.Home()}
	list, known := sc.waiting[m]
	if !known {
		list = places(sc.s, w)
		sc.waiting[m] = list
	}
	return list
}

// around is the part of a fleet that can bear on some workloads: the partitions where they
// may stand, and those that share waiting work with them. With a most, a part of more
// nodes and workloads is not copied; then it is nil.
func around(s *fleet.State, list []*fleet.Workload, most int) *fleet.State {
	in, sc := map[*fleet.Partition]bool{}, &scope{s, map[manner][]*fleet.Partition{}}
	for _, w := range list {
		for _, p := range places(s, w) {
			in[p] = true
		}
	}
	for _, other := range s.Workloads {
		sc.places(other)
	}
	for grown := true; grown; {
		grown = false
		for _, list := range sc.waiting {
			grown = bind(in, list) || grown
		}
	}
	part := sc.part(func(p *fleet.Partition) bool { return in[p] })
	if most > 0 && part.Size() > most {
		return nil
	}
	return part.Clone()
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
		if w.MayStandIn(p) {
			list = append(list, p)
		}
	}
	return list
}

// excerpt copies the chosen partitions and what lives or waits there. The
// original is only read.
func excerpt(s *fleet.State, chosen func(*fleet.Partition) bool) *fleet.State {
	sc := &scope{s, map[manner][]*fleet.Partition{}}
	return sc.part(chosen).Clone()
}

// part is the chosen partitions and what lives or waits there, itself and not a copy.
func (sc *scope) part(chosen func(*fleet.Partition) bool) *fleet.State {
	s := sc.s
	part := &fleet.State{
		Seq: s.Seq, Time: s.Time, Policy: s.Policy, Buffers: s.Buffers, Clusters: s.Clusters, Quotas: s.Quotas,
		NextHold: s.NextHold, NextID: s.NextID, Workloads: map[uint64]*fleet.Workload{}, Maintained: plannedOf(s, chosen),
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
		if sc.matters(w, chosen) {
			part.Workloads[id] = w
		}
	}
	return part
}

// matters says whether a workload stands in a chosen partition, or may start there.
func (sc *scope) matters(w *fleet.Workload, chosen func(*fleet.Partition) bool) bool {
	if p := w.At(); p != nil {
		return chosen(p)
	}
	return slices.ContainsFunc(sc.places(w), chosen)
}
