package maintenance_test

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// exactly is the same probability by fractions: hours and besides are whole.
func exactly(x, others int, hours, besides int64) float64 {
	n, sum := x+others, new(big.Rat)
	in, out := big.NewRat(hours, hours+besides), big.NewRat(besides, hours+besides)
	for k := x; k <= n; k++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		for range k {
			term.Mul(term, in)
		}
		for range n - k {
			term.Mul(term, out)
		}
		sum.Add(sum, term)
	}
	f, _ := sum.Float64()
	return f
}

// The test gives what fractions give, to many digits.
func TestTheExactTestIsExact(t *testing.T) {
	for x := 1; x <= 8; x++ {
		for others := 0; others <= 30; others += 3 {
			for _, at := range [][2]int64{{1, 1}, {1, 3}, {2, 500}, {40, 41}} {
				got, want := maintenance.Surprise(x, others, float64(at[0]), float64(at[1])), exactly(x, others, at[0], at[1])
				if math.Abs(got-want) > 1e-10*want {
					t.Errorf("%d of %d in %d of %d hours: %g, want %g", x, x+others, at[0], at[0]+at[1], got, want)
				}
			}
		}
	}
}

// Where there is nothing to compare with, or nothing was seen, nothing is surprising.
func TestNothingToCompareWithIsNoSurprise(t *testing.T) {
	for _, c := range []struct {
		x              int
		hours, besides float64
		certain        bool
	}{
		{2, 1, 0, true},
		{2, 0, 1, true},
		{2, 0, 0, true},
		{2, -1, 1, true},
		{2, 1, -1, true},
		{0, 1, 1, true},
		{-1, 1, 1, true},
		{1, 1, 1, false},
		{2, 0.001, 1, false},
		{2, 1, 0.001, false},
	} {
		if p := maintenance.Surprise(c.x, 3, c.hours, c.besides); (p == 1) != c.certain {
			t.Errorf("%d interruptions in %v hours, beside %v: %v", c.x, c.hours, c.besides, p)
		}
	}
}

// claimed is a fleet of twenty busy nodes for three days, to which an update that claims no
// impact is then rolled out. bad interrupts the work on the nodes that it visits.
func claimed(t *testing.T, bad bool) *yard {
	t.Helper()
	y := &yard{t: t, s: fleet.NewState(), now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	for _, c := range []core.Command{
		core.SetPolicy{Policy: fleet.DefaultPolicy()},
		core.AddCluster{Name: "t"},
		core.AddPartition{Cluster: "t", GPU: "g"},
		core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "a", Nodes: 20}}},
		core.AddUpdate{Update: fleet.NodeUpdate{Name: "u", Component: fleet.Component{Name: "c", Version: "2"}, Impact: fleet.ImpactNone, Lasts: 5 * time.Minute}},
	} {
		y.must(c)
	}
	for i := range 20 {
		y.must(core.Submit{Spec: fleet.Spec{
			Name: "w" + string(rune('a'+i)), Namespace: "n", Target: "flex", Priority: fleet.Mid, Grace: time.Minute,
			Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
		}})
	}
	y.now = y.now.Add(3 * 24 * time.Hour)
	y.fails(0) // a node fails now and then
	y.must(core.StartRollout{Name: "r", Plan: fleet.RolloutPlan{
		Scope: "t", Updates: []string{"u"}, Canary: fleet.CanaryRule{Nodes: 2, Soak: time.Hour}, Waves: []fleet.Permille{1000},
		Limits: fleet.VisitLimit{PerIsland: 4, PerPartition: 4, Failures: 20},
	}})
	for round := 0; round < 60 && y.s.Kept().Rollout("r").State == fleet.RolloutRunning; round++ {
		var visited []fleet.NodeRef
		visited = append(visited, y.s.Kept().Open...)
		y.now = y.now.Add(10 * time.Minute)
		for i, ref := range visited {
			y.must(core.ReportVisit{Node: y.s.Partition(ref.Partition).Nodes[ref.Node].Name, Outcome: core.Passed})
			if bad && i == 0 && y.s.Kept().Rollout("r").Stage > 0 {
				y.now = y.now.Add(time.Minute)
				y.fails(ref.Node)
			}
		}
		if n := y.s.Partition("t/g").Nodes[19-round%20]; !bad && round%4 == 3 && n.Visit == nil {
			y.fails(19 - round%20) // where no visit was made
		}
		y.must(core.Tick{})
	}
	return y
}

func (y *yard) must(c core.Command) {
	y.t.Helper()
	if _, no := core.Step(y.s, core.Request{Command: c, Actor: ops, Reason: "told"}, y.now); no != nil {
		y.t.Fatalf("%T: %v", c, no)
	}
}

// fails takes a node out that has failed, and what ran there is lost.
func (y *yard) fails(node int) {
	y.t.Helper()
	y.must(core.SetNodes{Names: []string{y.s.Partition("t/g").Nodes[node].Name}, State: fleet.Quarantined, Signal: "it broke"})
}

// An update that interrupts work is caught, counts as a restart, and its rollout pauses with
// the evidence; one that is as harmless as it says is not flagged.
func TestAClaimIsMeasured(t *testing.T) {
	y := claimed(t, true)
	r, u := y.s.Kept().Rollout("r"), y.s.Kept().Update("u")
	if r.State != fleet.RolloutPaused || !strings.Contains(r.Why, "update u claims impact none, and work was interrupted 2 times") {
		t.Errorf("the rollout is %s: %s", r.State, r.Why)
	}
	if u.Counted() != fleet.ImpactRestart || u.Record.Disturbed != 2 || u.Record.Trials < 4 || u.Record.Expected <= 0 {
		t.Errorf("the update is %+v", u.Record)
	}
	if !core.Idle(y.s, y.now) {
		t.Error("deciding again changes something")
	}
	y.must(core.MoveRollout{Name: "r", State: fleet.RolloutRunning})
	if r := y.s.Kept().Rollout("r"); r.State != fleet.RolloutRunning {
		t.Errorf("resumed by people, it is %s: %s", r.State, r.Why)
	}
	honest := claimed(t, false)
	if n := len(honest.s.Kept().Measured.Interruptions); n < 3 {
		t.Errorf("only %d interruptions beside an honest update", n)
	}
	if r, u := honest.s.Kept().Rollout("r"), honest.s.Kept().Update("u"); r.State == fleet.RolloutPaused || u.Counted() != fleet.ImpactNone {
		t.Errorf("an honest update: the rollout is %s: %s; %+v", r.State, r.Why, u.Record)
	}
}

// What the claims are judged by is part of the state: a copy has it, and the log tells it again.
func TestWhatIsMeasuredIsPartOfTheState(t *testing.T) {
	y := claimed(t, true)
	m := y.s.Kept().Measured
	if len(m.Interruptions) != 3 || len(m.Exposures) < 4 {
		t.Fatalf("measured were %+v", m)
	}
	c := y.s.Clone()
	c.Interrupted(c.Partition("t/g"), 19, y.now.Add(time.Minute))
	if len(y.s.Kept().Measured.Interruptions) != 3 || len(c.Kept().Measured.Interruptions) != 4 {
		t.Error("a copy shares what is measured with its original")
	}
}
