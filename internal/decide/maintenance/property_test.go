package maintenance_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// fleets is how many fleets are drawn; MUSTER_FLEETS says another number.
func fleets(t *testing.T) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("MUSTER_FLEETS")); err == nil {
		return n
	}
	return 60
}

// yard is a drawn fleet under drawn rollouts, zones, failures and work.
type yard struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand
	s    *fleet.State
	now  fleet.Instant
	work int
}

var ops = core.Actor{Name: "operator:ops", User: "ops", Operator: true}

// do carries out a command, and asks what must hold after it. A refusal is fine: it changes nothing.
func (y *yard) do(c core.Command) {
	y.t.Helper()
	was := backing(y.s)
	out, refusal := core.Step(y.s, core.Request{Command: c, Actor: ops, Reason: "drawn"}, y.now)
	if refusal != nil {
		return
	}
	for _, b := range invariant.Check(y.s) {
		y.t.Fatalf("seed %d, after %T: %v", y.seed, c, b)
	}
	if !core.Idle(y.s, y.now) {
		again, _ := core.Step(y.s.Clone(), core.Request{Command: core.Tick{}, Actor: ops}, y.now)
		y.t.Fatalf("seed %d: after %T deciding again changes something: %+v", y.seed, c, again.Record.Events)
	}
	if _, fails := c.(core.SetNodes); !fails && takes(out.Record) {
		y.keeps(was, out.Record)
	}
}

// takes says whether a record takes a node out for a rollout.
func takes(r event.Record) bool {
	for _, e := range r.Events {
		if n, ok := e.(event.NodeChanged); ok && n.Planned && n.To == fleet.Maintenance {
			return true
		}
	}
	return false
}

// keeps asks that no promise was broken by a visit: no quota is backed by less than before.
func (y *yard) keeps(was map[string]int, r event.Record) {
	y.t.Helper()
	for quota, nodes := range backing(y.s) {
		if nodes < was[quota] {
			y.t.Fatalf("seed %d: %s was backed by %d nodes, and is by %d after a visit began: %+v", y.seed, quota, was[quota], nodes, r.Events)
		}
	}
}

func backing(s *fleet.State) map[string]int {
	m := map[string]int{}
	for _, p := range s.Partitions {
		for _, a := range p.Accounts {
			for _, n := range a.Backing {
				m[p.ID+" "+a.Quota] += n
			}
		}
	}
	return m
}

func draw(t *testing.T, seed uint64) *yard {
	t.Helper()
	y := &yard{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), s: fleet.NewState(), now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = fleet.Permille(50 * y.rng.IntN(7))
	policy.Maintenance = fleet.MaintenancePolicy{Horizon: 6 * time.Hour, Lead: time.Hour, KeepRoom: time.Hour, Validation: time.Duration(y.rng.IntN(2)) * 10 * time.Minute}
	y.do(core.SetPolicy{Policy: policy})
	y.do(core.AddCluster{Name: "t"})
	y.do(core.AddPartition{Cluster: "t", GPU: "g"})
	nodes := 0
	for i := range 1 + y.rng.IntN(3) {
		n := 2 + y.rng.IntN(6)
		nodes += n
		y.do(core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: string(rune('a' + i)), Nodes: n}}})
	}
	for i := range 1 + y.rng.IntN(3) {
		gpus := 8 * (1 + y.rng.IntN(max(1, nodes/3)))
		gang := 0
		if y.rng.IntN(2) == 0 {
			gang = gpus
		}
		y.do(core.CreateQuota{Path: fmt.Sprintf("q%d", i)})
		y.do(core.SetGrant{Quota: fmt.Sprintf("q%d", i), Partition: "t/g", GPUs: gpus, Gang: gang})
	}
	return y
}

// plan adds updates, rollouts and a zone.
func (y *yard) plan() {
	for i := range 1 + y.rng.IntN(3) {
		impact := fleet.Impacts()[y.rng.IntN(4)]
		u := fleet.NodeUpdate{Name: fmt.Sprintf("u%d", i), Component: fleet.Component{Name: fmt.Sprintf("c%d", i), Version: "1"}, Impact: impact, Lasts: 30 * time.Minute}
		if y.rng.IntN(3) == 0 {
			u.Deadline = y.now.Add(time.Duration(12+y.rng.IntN(24)) * time.Hour)
		}
		y.do(core.AddUpdate{Update: u})
	}
	var names []string
	for _, u := range y.s.Kept().Updates {
		names = append(names, u.Name)
	}
	y.do(core.StartRollout{Name: "r", Plan: fleet.RolloutPlan{
		Scope: "t", Updates: names, Bisect: true, Canary: fleet.CanaryRule{Nodes: 1 + y.rng.IntN(2), Soak: time.Hour},
		Waves: []fleet.Permille{300, 1000}, Limits: fleet.VisitLimit{PerIsland: 1 + y.rng.IntN(3), PerPartition: 1 + y.rng.IntN(4), Failures: -1},
	}})
	if y.rng.IntN(2) == 0 {
		from := y.now.Add(time.Duration(y.rng.IntN(20)) * time.Hour)
		y.do(core.AddZone{Zone: fleet.Zone{
			Name: "z", Scope: "t", Spans: []fleet.Span{{From: from, To: from.Add(5 * time.Hour)}},
			ZoneRecord: fleet.ZoneRecord{Reason: "r", Owner: "o", Link: "l"},
		}})
	}
}

// happen is one drawn thing: work comes or goes, a node fails or returns, people announce, an owner agrees.
func (y *yard) happen() {
	p := y.s.Partitions[0]
	node := p.Nodes[y.rng.IntN(len(p.Nodes))]
	switch y.rng.IntN(9) {
	case 0, 1:
		y.submit(fmt.Sprintf("q%d", y.rng.IntN(3)))
	case 2:
		y.submit(fleet.Flex)
	case 3, 4:
		y.do(core.Cancel{Namespace: "n", Name: fmt.Sprintf("w%d", y.rng.IntN(y.work+1))})
	case 5:
		states := []fleet.NodeState{fleet.Quarantined, fleet.Suspect, fleet.Repairing}
		if node.State == fleet.Healthy && y.rng.IntN(3) == 0 {
			y.do(core.SetNodes{Names: []string{node.Name}, State: states[y.rng.IntN(3)], Signal: "drawn"})
		}
	case 6:
		if node.State != fleet.Healthy && node.State != fleet.Maintenance && node.State != fleet.Probation {
			y.do(core.SetNodes{Names: []string{node.Name}, State: fleet.Healthy, Signal: "drawn"})
		}
	case 7:
		y.do(core.AgreeToStop{Namespace: "n", Name: fmt.Sprintf("w%d", y.rng.IntN(y.work+1)), At: y.now.Add(time.Hour)})
	case 8:
		y.do(core.AddNotice{
			Name: fmt.Sprintf("m%d", y.rng.IntN(1000)), Nodes: []string{node.Name}, Starts: y.now.Add(3 * time.Hour), Lasts: time.Hour, Impact: fleet.ImpactRestart,
		})
	}
}

func (y *yard) submit(target string) {
	y.work++
	n := 1 + y.rng.IntN(3)
	pool := fleet.Pool{Name: "p", GPUs: 8, Min: n, Max: n, Reach: fleet.ReachIsland}
	if y.rng.IntN(3) == 0 {
		pool.Max, pool.Elastic, pool.Reach = n+2, true, fleet.ReachAny
	}
	y.do(core.Submit{Spec: fleet.Spec{Name: fmt.Sprintf("w%d", y.work), Namespace: "n", Target: target, Priority: fleet.Mid, Grace: time.Minute, Pools: []fleet.Pool{pool}}})
}

// pass lets time pass in quarters of an hour: orders to leave are carried out, visits come to their ends.
func (y *yard) pass(d time.Duration, failing int) {
	for end := y.now.Add(d); y.now < end; {
		y.now = y.now.Add(15 * time.Minute)
		y.do(core.Tick{})
		for _, id := range slices.Sorted(maps.Keys(y.s.Workloads)) { // so that a seed is one story
			w := y.s.Workloads[id]
			if w == nil {
				continue
			}
			if spots := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving }); len(spots) > 0 {
				y.do(core.ReportStopped{ID: w.ID, Spots: spots})
			}
		}
		for _, ref := range append([]fleet.NodeRef(nil), y.s.Kept().Open...) {
			y.report(y.s.Partition(ref.Partition).Nodes[ref.Node].Visit, failing)
		}
	}
}

func (y *yard) report(v *fleet.Visit, failing int) {
	switch {
	case v.State == fleet.VisitWorking && v.Since.Add(v.Lasts) <= y.now:
		outcome := core.Worked
		if failing > 0 && y.rng.IntN(failing) == 0 {
			outcome = core.Failed
		}
		y.do(core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: outcome})
	case v.State == fleet.VisitChecking:
		y.do(core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: core.Passed})
	}
}

// Seeds on which deciding again once changed something. 422: a verdict that time alone changed. 962: a stop that a zone
// ended, which came too near for its visit. 1953: a node that no longer left, for such a zone. 5535: an alarm that was taken
// to change no room. 7408: nodes that were reserved, so that fewer had to be spare for another one to leave. 8232: a gang that
// lost its reserved nodes to three visits in one record, and was then taken for outranked. 461129501, 461143275: work reserved or
// took a node that other work had left for a visit. 461160488: what stopped could start elsewhere once other work had started.
// 461129518, 461132843: a node that was broken already was announced, and counted as gone for all of the dwell.
func TestSeedsThatWentWrong(t *testing.T) {
	for _, seed := range []string{"422", "962", "1953", "5535", "7408", "8232", "461129501", "461129518", "461132843", "461143275", "461160488"} {
		t.Setenv("MUSTER_SEED", seed)
		t.Setenv("MUSTER_FLEETS", "1")
		TestVisitsKeepEveryPromiseOnDrawnFleets(t)
	}
}

// No promise is broken by our own visits, nothing untested spreads, no part of a gang is taken,
// deciding again changes nothing, and every visit ends.
func TestVisitsKeepEveryPromiseOnDrawnFleets(t *testing.T) {
	visits, stops := 0, 0
	first, _ := strconv.ParseUint(os.Getenv("MUSTER_SEED"), 10, 64)
	for seed := first; seed < first+uint64(fleets(t)); seed++ {
		y := draw(t, seed)
		for range 3 {
			y.submit(fmt.Sprintf("q%d", y.rng.IntN(3)))
		}
		y.plan()
		for range 24 {
			y.happen()
			y.pass(time.Hour, 12)
		}
		y.pass(6*time.Hour, 0)
		for _, ref := range y.s.Kept().Open {
			v := y.s.Partition(ref.Partition).Nodes[ref.Node].Visit
			if v.Began.Add(5*time.Hour) < y.now {
				t.Fatalf("seed %d: the visit of %s does not end: %+v", seed, v.Node, v)
			}
		}
		for _, n := range y.s.Partitions[0].Nodes {
			if n.Visit != nil {
				visits++
			}
		}
		for _, w := range y.s.Workloads {
			stops += int(w.Stops)
		}
	}
	if first == 0 && (visits == 0 || stops == 0) {
		t.Errorf("%d visits and %d stops: nothing was asked", visits, stops)
	}
	t.Logf("%d fleets: %d nodes visited, work stopped %d times", fleets(t), visits, stops)
}
