package health_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// drawSignal draws a signal of a small fleet, seen in the last hour.
func drawSignal(t *rapid.T, nodes int, now fleet.Instant) fleet.Signal {
	s := fleet.Signal{
		Agent:  rapid.SampledFrom([]string{"dcgm", "npd"}).Draw(t, "agent"),
		Check:  rapid.SampledFrom([]string{"XIDErrors", "GPUMissing", "IBLinkFlapping", "NVLinkStatusInactive", "MoonPhase"}).Draw(t, "check"),
		Node:   name(rapid.IntRange(0, nodes-1).Draw(t, "node")),
		Fatal:  rapid.Bool().Draw(t, "fatal"),
		Well:   rapid.IntRange(0, 3).Draw(t, "well") == 0,
		At:     now.Add(-time.Duration(rapid.IntRange(0, 3600).Draw(t, "ago")) * time.Second),
		ID:     fmt.Sprint(rapid.IntRange(0, 1<<30).Draw(t, "id")),
		Action: rapid.SampledFrom([]string{"", "RESTART_BM"}).Draw(t, "action"),
	}
	if s.Check == "XIDErrors" {
		s.Codes = []string{rapid.SampledFrom([]string{"79", "31", "74", "94", "777"}).Draw(t, "code")}
	}
	if rapid.Bool().Draw(t, "part") {
		s.Entities = []fleet.Entity{{Type: fleet.EntityGPU, Value: fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "gpu"))}}
	}
	return s
}

// Whatever the order and however often signals come, in whatever batches, the
// nodes remember the same of them: what is live, since when and how often.
func TestTheOrderOfSignalsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 4
		at := start.Add(2 * time.Hour)
		var list []fleet.Signal
		for range rapid.IntRange(1, 12).Draw(t, "signals") {
			s := drawSignal(t, nodes, at)
			s.ID = fmt.Sprint(len(list))
			list = append(list, s)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		a, b := remembered(t, list, nodes, at, nil), remembered(t, list, nodes, at, rand.New(rand.NewPCG(seed, 1)))
		for key, was := range a {
			if is, ok := b[key]; ok && is != was {
				t.Fatalf("%s is remembered as %s, in another order as %s", key, was, is)
			}
			if _, ok := b[key]; !ok {
				t.Fatalf("%s is not remembered in another order", key)
			}
		}
	})
}

// remembered is what nodes remember of signals that come in order, or shuffled,
// doubled and cut into batches.
func remembered(t *rapid.T, list []fleet.Signal, nodes int, at fleet.Instant, rng *rand.Rand) map[string]string {
	w := newWorld(t, nodes)
	w.at = at
	p := fleet.DefaultHealth()
	p.Shadow = true
	w.do(core.SetHealthPolicy{Policy: p})
	var failing, passing []fleet.Signal
	for _, s := range list {
		if s.Well {
			passing = append(passing, s)
		} else {
			failing = append(failing, s)
		}
	}
	// A check that passes is news only where it failed before, so those come after.
	for _, part := range [][]fleet.Signal{failing, passing} {
		sent := append([]fleet.Signal(nil), part...)
		if rng != nil {
			sent = append(sent, part...)
			rng.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
		}
		for len(sent) > 0 {
			n := len(sent)
			if rng != nil {
				n = 1 + rng.IntN(n)
			}
			w.do(core.TakeSignals{Signals: sent[:n]})
			sent = sent[n:]
		}
	}
	all := map[string]string{}
	for _, n := range w.partition().Nodes {
		if n.Health == nil {
			continue
		}
		for _, c := range n.Health.Conditions {
			key := n.Name + " " + c.Signature() + " " + fleet.EntityKey(c.Entities)
			all[key] = fmt.Sprintf("live %t since %d last %d cleared %d seen %v", n.Health.Live(c), c.Since, c.Last, c.Cleared, c.Seen)
		}
	}
	return all
}

// Whatever signals, people and time do: automation stays within its budget, an open breaker
// acts on nothing, deciding again changes nothing, the log gives the same state, and
// every law of the fleet holds.
func TestTheLawsOfAutomation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(3, 24).Draw(t, "nodes")
		w := newWorld(t, nodes)
		w.do(core.CreateQuota{Path: "ore"})
		w.do(core.SetGrant{Quota: "ore", Partition: "tiger/h200", GPUs: nodes / 2 * 8})
		w.do(core.Submit{Spec: fleet.Spec{
			Name: "dig", Namespace: "n", Target: "ore", Priority: fleet.Mid,
			Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: max(1, nodes/2), Elastic: true, Reach: fleet.ReachAny}},
		}})
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			w.pass(w.at.Add(time.Duration(rapid.IntRange(0, 1800).Draw(t, "pause")) * time.Second))
			open := w.partition().Health.Tripped != 0
			rec := w.random(t, nodes)
			w.judge(t, rec, open)
		}
	})
}

// random lets something happen.
func (w *world) random(t *rapid.T, nodes int) event.Record {
	node := name(rapid.IntRange(0, nodes-1).Draw(t, "which"))
	switch rapid.IntRange(0, 9).Draw(t, "what") {
	case 0:
		return w.do(core.RecordValidation{Node: node, Passed: rapid.Bool().Draw(t, "passed")})
	case 1:
		return w.do(core.SetNodes{Names: []string{node}, State: rapid.SampledFrom([]fleet.NodeState{
			fleet.Healthy, fleet.Suspect, fleet.Repairing, fleet.Maintenance,
		}).Draw(t, "state")})
	case 2:
		return w.do(core.ReleaseNodes{Names: []string{node}})
	case 3:
		if w.partition().Health.Tripped != 0 {
			return w.do(core.ResetBreaker{Partition: "tiger/h200"})
		}
	}
	var list []fleet.Signal
	for range rapid.IntRange(1, 10).Draw(t, "signals") {
		list = append(list, drawSignal(t, nodes, w.at))
	}
	return w.do(core.TakeSignals{Signals: list})
}

func (w *world) judge(t *rapid.T, rec event.Record, open bool) {
	p := w.partition()
	automatic, released := 0, false
	for _, n := range p.Nodes {
		if n.StateOwner == fleet.ByAutomatic {
			automatic++
		}
	}
	for _, e := range rec.Events {
		switch e := e.(type) {
		case event.NodeOwned:
			released = released || e.Owner == fleet.ByAutomatic
		case event.BreakerReset:
			open = false
		case event.NodeChanged:
			if open && e.Owner == fleet.ByAutomatic {
				t.Fatalf("the breaker is open, and automation made %s %s", e.Node, e.To)
			}
			if e.From != fleet.Suspect && e.From != fleet.Probation && e.To == fleet.Healthy && e.Owner == fleet.ByAutomatic {
				t.Fatalf("automation took %s from %s to healthy", e.Node, e.From)
			}
		}
	}
	w.given = w.given || released
	if most := max(1, len(p.Nodes)/10); automatic > most && !w.given {
		t.Fatalf("automation keeps %d of %d nodes, and may keep %d", automatic, len(p.Nodes), most)
	}
	if !core.Idle(w.s, w.at) {
		again, _ := core.Step(w.s.Clone(), core.Request{Command: core.Tick{}, Actor: core.System}, w.at)
		t.Fatalf("deciding again changes something: %+v", again.Record.Events)
	}
	if broken := invariant.Check(w.s); len(broken) > 0 {
		t.Fatalf("broken: %v", broken)
	}
	w.replays(t)
}

// replays asks that the log alone gives the same state.
func (w *world) replays(t *rapid.T) {
	s := fleet.NewState()
	for _, r := range w.records {
		data, err := event.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := event.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		core.ApplyRecord(s, again)
	}
	if s.Hash() != w.s.Hash() {
		t.Fatal("the log gives another state")
	}
	if decoded, err := fleet.Decode(must(w.s.Encode())); err != nil || decoded.Hash() != w.s.Hash() || w.s.Clone().Hash() != w.s.Hash() {
		t.Fatal("a snapshot or a copy is another state")
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// Of 1,000 failures whose cause is planted, infrastructure is called by its name:
// a signal before or after, on any of the nodes, among noise; and neither a mistake
// of the program nor silence is called infrastructure.
func TestPlantedFailuresAreCalledRight(t *testing.T) {
	const seed = 17
	rng := rand.New(rand.NewPCG(seed, 0))
	right, total := map[fleet.Cause]int{}, map[fleet.Cause]int{}
	for round := range 100 {
		w := newWorld(t, 60)
		var causes []fleet.Cause
		for k := range 10 {
			w.do(core.Submit{Spec: fleet.Spec{
				Name: fmt.Sprint("job", k), Namespace: "n", Target: fleet.Flex, Priority: fleet.Mid,
				Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 4, Max: 4, Reach: fleet.ReachIsland}},
			}})
			causes = append(causes, []fleet.Cause{fleet.CauseInfra, fleet.CauseOwn, fleet.CauseUnknown}[rng.IntN(3)])
		}
		w.pass(start.Add(time.Hour))
		for k, cause := range causes {
			w.plant(rng, fmt.Sprint("job", k), cause)
			w.pass(w.at.Add(20 * time.Minute))
			got := w.s.Workload("n", fmt.Sprint("job", k)).Failure
			total[cause]++
			if got != nil && got.Cause == cause {
				right[cause]++
			} else {
				t.Logf("seed %d, round %d: %s was called %+v", seed, round, cause, got)
			}
		}
	}
	t.Logf("called right: infra %d of %d, own %d of %d, not known %d of %d", right[fleet.CauseInfra], total[fleet.CauseInfra],
		right[fleet.CauseOwn], total[fleet.CauseOwn], right[fleet.CauseUnknown], total[fleet.CauseUnknown])
	for cause, n := range total {
		if right[cause]*100 < 95*n {
			t.Errorf("%s was called right %d of %d times", cause, right[cause], n)
		}
	}
}

// plant lets a workload fail for a cause: signals up to 9 minutes before or 4 after.
func (w *world) plant(rng *rand.Rand, job string, cause fleet.Cause) {
	x := w.s.Workload("n", job)
	nodes := x.Replicas[0]
	sick := w.partition().Nodes[nodes[rng.IntN(len(nodes))].Node].Name
	s := fleet.Signal{Agent: "dcgm", Check: "XIDErrors", Node: sick}
	switch cause {
	case fleet.CauseInfra:
		s.Codes = []string{[]string{"48", "94", "74", "119"}[rng.IntN(4)]}
	case fleet.CauseOwn:
		s.Codes = []string{[]string{"13", "31", "43"}[rng.IntN(3)]}
	default:
		s.Agent, s.Check = "moon", "MoonPhase"
	}
	failed := w.at
	send := func() {
		s.At = w.at
		if rng.IntN(2) == 0 {
			s.At = failed.Add(-time.Duration(rng.IntN(540)) * time.Second)
		}
		w.do(core.TakeSignals{Signals: []fleet.Signal{s}})
	}
	// A fatal signal before the failure takes the node, and the gang is mended; so the failure comes first.
	w.do(core.ReportFinished{ID: x.ID, Failed: true})
	w.pass(w.at.Add(time.Duration(rng.IntN(240)) * time.Second))
	send()
	if w.node(w.indexOf(sick)).State == fleet.Quarantined {
		w.do(core.RecordValidation{Node: sick, Passed: true})
	}
}
