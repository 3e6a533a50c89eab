package bench

import (
	"context"
	"testing"
)

// value is what a report says of something, by name.
func value(t *testing.T, r Report, name string) float64 {
	t.Helper()
	for _, f := range r.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	t.Fatalf("%s says nothing of %q", r.Bench, name)
	return 0
}

func quick(t *testing.T, run func(context.Context, Options) (Report, error)) Report {
	t.Helper()
	r, err := run(t.Context(), Options{Quick: true, Seed: 1, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Recipe == "" || len(r.Remarks) == 0 {
		t.Errorf("%s has no recipe or does not say what was measured: %+v", r.Bench, r)
	}
	return r
}

// Each of these benches checks the laws of the state at its end by itself; the
// counts are what its recipe says.
func TestThePeersCasesDoWhatTheirRecipesSay(t *testing.T) {
	for _, c := range []struct {
		run  func(context.Context, Options) (Report, error)
		name string
		want float64 // −1: whatever it is, it must be told
	}{
		{kueueBaseline, "workloads admitted and ended", 1500},
		{kueueLarge, "workloads admitted and ended", 5000},
		{kaiFill, "workloads that run", 400},
		{kaiGang, "workloads that run", 1},
		{kaiUnschedulable, "gangs found without room", 100},
		{kaiReclaim, "… victims", 8},
		{kaiConsolidate, "gangs and displaced that run", 54},
		{wholeFleet, "waiting without a reason", 0},
		{wholeFleet, "restart, from a snapshot and what came after it", -1},
	} {
		r := quick(t, c.run)
		if have := value(t, r, c.name); have != c.want && c.want >= 0 {
			t.Errorf("%s: %s: %v, want %v", r.Bench, c.name, have, c.want)
		}
	}
}

func TestAPeersCaseIsTheSameEachTime(t *testing.T) {
	first, again := quick(t, kueueBaseline), quick(t, kueueBaseline)
	for _, name := range []string{"makespan in virtual time", "starts, again after evictions too", "evictions", "decisions"} {
		if a, b := value(t, first, name), value(t, again, name); a != b {
			t.Errorf("%s: %v, and then %v", name, a, b)
		}
	}
}

func TestARatioSaysHowManyTimesLess(t *testing.T) {
	for _, c := range []struct {
		ours  Figure
		peer  Peer
		ratio float64
	}{
		{Figure{Value: 100, Unit: "ms"}, Peer{Value: 50, Unit: "s"}, 500},
		{Figure{Value: 300, Unit: "per s"}, Peer{Value: 3, Unit: "per s"}, 100},
		{Figure{Value: 300, Unit: "ms"}, Peer{Value: 3, Unit: "per s"}, 0},
	} {
		if f := against(c.ours, c.peer); f.Ratio != c.ratio || f.Peer == nil {
			t.Errorf("%+v beside %v: ratio %v, want %v", c.ours, c.peer, f.Ratio, c.ratio)
		}
	}
}
