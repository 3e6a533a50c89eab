package chaos_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of pools, and of room that is reserved before anything runs in it.

// elasticPoolsKeepTheirMin: while it runs, an elastic pool never has fewer
// replicas than min unless nodes were lost, where they ran or where their room was
// reserved; a pool of higher rank may go as a whole. And where nothing of a pool
// runs, its min is reserved whole or not at all.
func elasticPoolsKeepTheirMin(w *world, before *fleet.State, out core.Outcome) *failure {
	lost := lostNodes(w.s, before, out.Record)
	for _, v := range w.active() {
		old := before.Workloads[v.ID]
		if v.State != fleet.RunningW {
			continue
		}
		for i, pool := range v.Pools {
			if n := v.Stays(i); pool.Elastic && v.InPhase(i, fleet.Running) == 0 && n > 0 && n < pool.Min {
				return &failure{rule: "an elastic pool starts at its min", detail: fmt.Sprintf("%s/%s: pool %s has room for %d of at least %d%s",
					v.Namespace, v.Name, pool.Name, n, pool.Min, eventsText(out.Record))}
			}
			if lost[v.ID] || old == nil || old.State != fleet.RunningW {
				continue
			}
			gone := v.Stays(i) == 0 && pool.Rank != v.BaseRank()
			if pool.Elastic && old.Stays(i) >= pool.Min && v.Stays(i) < pool.Min && !gone {
				return &failure{rule: "an elastic pool keeps its min", detail: fmt.Sprintf("%s/%s: pool %s went from %d to %d of at least %d%s",
					v.Namespace, v.Name, pool.Name, old.Stays(i), v.Stays(i), pool.Min, eventsText(out.Record))}
			}
		}
	}
	return nil
}

// joiningPoolsAreCovered: nothing starts as unprotected. Where a partition acts, no
// pool waits to join in room that no backing covers, in its min.
func joiningPoolsAreCovered(w *world, _ *fleet.State, out core.Outcome) *failure {
	bare := func(r fleet.Replica) bool { return r.Phase == fleet.Reserved && r.HeldAs == fleet.HoldsUnprotected }
	for _, p := range acting(w.s) {
		for _, v := range p.Reserving() {
			for i, pool := range v.Pools {
				joins := pool.Rank != v.BaseRank() && v.InPhase(i, fleet.Running) == 0
				if joins && slices.ContainsFunc(v.Replicas[i][:min(pool.Min, len(v.Replicas[i]))], bare) {
					return &failure{rule: "nothing starts as unprotected", detail: fmt.Sprintf("%s/%s: pool %s%s", v.Namespace, v.Name, pool.Name, eventsText(out.Record))}
				}
			}
		}
	}
	return nil
}

// lostNodes says which workloads lost a node in a record: one they ran on, or one
// with reserved room that takes nothing new any more.
func lostNodes(s, before *fleet.State, r event.Record) map[uint64]bool {
	lost := map[uint64]bool{}
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.ReplicasLost:
			lost[e.ID] = true
		case event.ReplicasUnfit: // its node does not take it
			lost[e.ID] = true
		case event.ReservationEnded:
			old := before.Workloads[e.ID]
			if old == nil || old.At() == nil {
				continue // room that it had before, so where it stood
			}
			nodes := s.Partition(old.At().ID).Nodes
			for _, spot := range e.Spots {
				for _, n := range spot.Nodes {
					lost[e.ID] = lost[e.ID] || n < len(nodes) && !nodes[n].State.Usable()
				}
			}
		}
	}
	return lost
}

// lawsOnceBroken are seeds of TestRandomFleetsKeepTheLaws that broke one: a pool on flex that gave
// more replicas as surplus than it had above its min (86).
var lawsOnceBroken = []int64{86}

func TestFleetsThatBrokeALawOnce(t *testing.T) {
	t.Parallel()
	for _, seed := range lawsOnceBroken {
		if w, f := playRandom(seed, seed%2 == 0, sampling{before: 1}, lawsOfPlacement...); f != nil {
			tellOf(t, seed, w, f, lawsOfPlacement...)
		}
	}
}
