package judge_test

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/judge"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostTogether is how many workloads of one submission are judged as sets.
const mostTogether = 4

// submitted judges workloads that were submitted together: those that start at
// once, with no eviction, are a set that could run.
func (c *court) submitted(before *fleet.State, r event.Record, now fleet.Instant) *broken {
	s, places := before.Clone(), map[uint64]int{}
	var waiting []fleet.Waiting
	started := 0
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.WorkloadSubmitted:
			core.ApplyRecord(s, event.Record{Seq: s.Seq, At: r.At, Events: []event.Event{e}})
			w := s.Workloads[e.ID]
			places[e.ID] = len(waiting)
			waiting = append(waiting, fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)})
		case event.ReplicasEvicted, event.ReservationEnded:
			return nil // not on free room alone
		case event.BackingAligned:
			if started != 0 {
				return nil // idle backing moved once one had started, and the judge knows only what stood
			}
		case event.ReplicasPlaced:
			if at, fresh := places[e.ID]; fresh {
				started |= 1 << at
			}
		}
	}
	if len(waiting) < 2 || len(waiting) > mostTogether {
		return nil
	}
	c.together++
	if could := judge.New(s, s.Partition(here), now).Together(waiting); !could[started] {
		return &broken{rule: "what starts together could run", detail: fmt.Sprintf("of the workloads submitted together %04b start", started)}
	}
	return nil
}

// passes judges a start of a unit behind one that holds a reservation: it must
// be one that the head could evict.
func (c *court) passes(s, after *fleet.State, owner event.ReplicasPlaced, now fleet.Instant) *broken {
	w := s.Workloads[owner.ID]
	a := s.Partition(here).Account(w.Target)
	if w.State != fleet.Pending || a == nil {
		return nil
	}
	j := judge.New(s, s.Partition(here), now)
	for _, it := range queued(s.Partition(here), a) {
		if it.Workload == w || it.Pool != fleet.Base {
			return nil // a pool that joins is not judged
		}
		if it.Workload.State != fleet.Pending && j.FitsEmpty(j.Ways(it)[0]) {
			return nil // the head is on its way back to its queue
		}
		if !j.FitsEmpty(j.Ways(it)[0]) {
			continue
		}
		head := queueHead{it: it, holds: true}
		mine := fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)}
		waits := after.Workloads[it.Workload.ID].State == fleet.Pending
		if head.bars(j, mine) && waits && holdsOf(after.Workloads[w.ID]) == fleet.HoldsGuaranteed {
			return &broken{rule: "who passes a head cannot delay it", detail: fmt.Sprintf("%s passes %s, and is guaranteed", w.Name, it.Workload.Name)}
		}
		return nil
	}
	return nil
}

// holdsOf is how a workload's lowest-rank pools hold or will hold their GPUs.
func holdsOf(w *fleet.Workload) fleet.HeldAs {
	for _, u := range judge.UnitsOf(w) {
		if u.Pool == fleet.Base {
			return u.Holds
		}
	}
	return fleet.NoHolds
}
