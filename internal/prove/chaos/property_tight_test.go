package chaos_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestRandomFleetsWithFewCores plays fleets whose nodes have fewer cores than all of their GPUs' pods ask for, with
// pods of others that come and go, failures, dips and restarts. What does not fit comes to an end, and nothing is started
// where it is known not to fit.
func TestRandomFleetsWithFewCores(t *testing.T) {
	t.Parallel()
	total, unfit, waited := counts{}, 0, 0
	laws := []law{everyPendingHasAReason, startsFit, doesNotFitIsTrue, allowedEvictions, elasticPoolsKeepTheirMin}
	playSeeds(t, func(seed int64) bool {
		w, f := playTight(seed, laws...)
		total.add(w)
		unfit += w.cores.unfit
		waited += w.kinds["fit.observed"]
		if f != nil {
			tellOf(t, seed, w, f, laws...)
		}
		return f == nil || *goOn
	})
	t.Logf("%+v; %d reports of tight nodes, %d replicas did not fit", total, waited, unfit)
	if unfit == 0 || waited == 0 {
		t.Error("no node was tight")
	}
}

func playTight(seed int64, laws ...law) (*world, *failure) {
	w := newWorld(sampling{recount: 2, idle: 3, hash: 3, before: 1}, laws...)
	a := &author{chooser: seeded{rand.New(rand.NewSource(seed))}, w: w, tight: true, silent: seed%3 == 0}
	a.begin()
	a.queue = append([]step{{trick: countCores, in: pick(a, 96, 128, 200)}}, a.queue...)
	for range *linesFlag {
		if f := w.play(a.next()); f != nil {
			return w, f
		}
	}
	return w, nil
}

// startsFit: no replica is given room on a node that is known to take no more of its footprint. What is told
// by the same record counts from the next one on.
func startsFit(w *world, before *fleet.State, out core.Outcome) *failure {
	for _, e := range out.Record.Events {
		placed, ok := e.(event.ReplicasPlaced)
		v := w.s.Workloads[placed.ID]
		if !ok || v == nil || v.At() == nil {
			continue
		}
		p, was := v.At(), before.Partition(placed.Partition)
		for _, spot := range placed.Spots {
			name := v.Pools[spot.Pool].Footprint
			for _, node := range spot.Nodes {
				t := p.Footprint(name).At(node)
				if t == nil || was == nil || was.Footprint(name).At(node) == nil {
					continue
				}
				if n := alike(p, node, name); n > t.Takes {
					return &failure{rule: "starts fit where they are told to", detail: fmt.Sprintf("%s/%s on %s, which takes %d of %s and has %d: %s", v.Namespace, v.Name, p.Nodes[node].Name, t.Takes, name, n, partitionText(p))}
				}
			}
		}
	}
	return nil
}

// alike counts the replicas of a footprint that a node keeps.
func alike(p *fleet.Partition, node int, footprint string) (n int) {
	for _, r := range p.Nodes[node].Residents() {
		if r.Phase != fleet.Leaving && r.Workload.Pools[r.Pool].Footprint == footprint {
			n++
		}
	}
	return n
}

// doesNotFitIsTrue: who is told that it does not fit asks for something for which some node is tight.
func doesNotFitIsTrue(w *world, _ *fleet.State, _ core.Outcome) *failure {
	for _, v := range w.open() {
		if v.State != fleet.Pending {
			continue
		}
		list := explain.Why(w.s, v, w.now)
		if len(list) == 0 || list[0].Code != reason.DoesNotFit {
			continue
		}
		p, tight := w.s.Partition(list[0].Partition), false
		for _, pool := range v.Pools {
			tight = tight || p.Footprint(pool.Footprint) != nil
		}
		if !tight || len(list[0].Culprits) == 0 {
			return &failure{rule: "who does not fit is told where and why", detail: fmt.Sprintf("%s/%s: %+v", v.Namespace, v.Name, list[0])}
		}
	}
	return nil
}
