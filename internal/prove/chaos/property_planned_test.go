package chaos_test

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestRandomFleetsUnderMaintenance plays random fleets over which updates roll, zones come
// and go, and providers announce; with failures, crashes of the process, people who change
// their minds and executors that lie. Besides all that must hold of any fleet, no visit of a
// rollout takes part of a gang.
func TestRandomFleetsUnderMaintenance(t *testing.T) {
	t.Parallel()
	total, visits := counts{}, 0
	laws := []law{gangsAreNotTakenInPart}
	playSeeds(t, func(seed int64) bool {
		w, f := playBy(seed, func(a *author) { a.planned = true }, sampling{recount: 2, idle: 3, hash: 3, before: 1}, laws...)
		total.add(w)
		visits += w.kinds["visit.moved"]
		if f != nil {
			t.Errorf("%s", smallest(seed, w.script, f, laws...))
		}
		return f == nil
	})
	t.Logf("%+v, visits moved %d times", total, visits)
	if visits == 0 {
		t.Error("no node was visited")
	}
}

// gangsAreNotTakenInPart: where a visit begins, what stood on its node leaves as a whole, or
// is what an elastic pool has above its min. A node that is out of service when its visit begins
// has lost its work already, and one that fails in the same record loses it by that.
func gangsAreNotTakenInPart(w *world, before *fleet.State, out core.Outcome) *failure {
	for _, e := range out.Record.Events {
		v, ok := e.(event.VisitMoved)
		if !ok || v.Visit.Rollout == "" || v.Visit.Quiet() || v.Visit.Out || v.Visit.Began != out.Record.At || v.Visit.State.Ended() {
			continue
		}
		p := before.Partition(v.Partition)
		node, _ := p.Node(v.Node)
		for _, x := range p.Nodes[node].Residents() {
			now := w.s.Workloads[x.Workload.ID]
			if now == nil || now.State != fleet.RunningW || slices.Contains(nodesLost(out.Record, x.Workload.ID), v.Node) {
				continue
			}
			for i, pool := range now.Pools {
				if stays := now.Stays(i); stays > 0 && stays < pool.Min {
					return &failure{rule: "a visit never takes part of a gang", detail: v.Node + ": " + now.Namespace + "/" + now.Name}
				}
			}
		}
	}
	return nil
}

// nodesLost lists the nodes on which a workload loses what it has by failures that a record tells of.
func nodesLost(r event.Record, id uint64) (nodes []string) {
	for _, e := range r.Events {
		if lost, ok := e.(event.ReplicasLost); ok && lost.ID == id {
			nodes = append(nodes, lost.Node)
		}
	}
	return nodes
}
