package backtest_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/prove/backtest"
)

// The plants were written down once, after the policies. Seeds 1 to 40 showed that the
// first weeks are short of the claim, and why margins grow after misses; no number of a
// policy was chosen on them.
var plants = []plant{
	{name: "wear, faster by day", nodes: 400, life: 250, shape: 0.7, tail: 1.3, night: 0.8},
	{name: "the same, small", nodes: 48, life: 250, shape: 0.7, tail: 1.3, night: 0.8},
	{name: "repairs without a mean", nodes: 400, life: 250, shape: 0.8, tail: 0.8},
	{name: "good and bad months", nodes: 400, life: 250, shape: 0.7, tail: 1.2, night: 0.5, upset: 0.8},
	{name: "four times as many from one day on", nodes: 400, life: 350, shape: 0.8, tail: 1.2, night: 0.5, shift: 4},
	{name: "people take 3 % out each Tuesday", nodes: 400, life: 250, shape: 0.7, tail: 1.2, night: 0.5, chore: 0.03},
	{name: "parts of racks go, every 2 weeks", nodes: 400, life: 300, shape: 0.7, tail: 1.2, rack: 16, lost: 0.5},
	{name: "parts of racks go, every 6 weeks", nodes: 400, life: 300, shape: 0.7, tail: 1.2, rack: 16, lost: 0.17},
	{name: "parts of racks go, small", nodes: 96, life: 300, shape: 0.7, tail: 1.2, rack: 8, lost: 0.2},
	{name: "grows threefold", nodes: 600, life: 250, shape: 0.6, tail: 1.2, night: 0.5, young: 0.33},
	{name: "all of it, and doubles", nodes: 800, life: 250, shape: 0.7, tail: 1.1, night: 0.6, upset: 0.5, rack: 16, lost: 0.25, chore: 0.02, young: 0.5},
}

// What came out on seeds that no change was tried on: over 40 weeks every kind keeps
// 99 of 100 promises over 24 hours. The first 8 weeks are worse where whole groups of
// nodes go, for it is not known yet how large they are: less than claimed, and the
// bound below says how much less.
func TestPlantsOfAnotherLaw(t *testing.T) {
	const first, last = 101, 120
	for _, name := range learning("=0.99") {
		policy, err := backtest.ParsePolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range plants {
			for _, c := range []struct {
				weeks int
				least float64
			}{{40, 0.989}, {8, 0.985}} {
				k.weeks = c.weeks
				var all backtest.Figures
				worst, under := 1.0, 0
				for seed := uint64(first); seed <= last; seed++ {
					f := backtest.Try(k.run(seed), policy, 24)
					if worst = min(worst, f.Realised); f.Realised < 0.99 {
						under++
					}
					all.Add(f)
				}
				t.Logf("%s | %s | %d weeks | %.2f %% kept | %.2f %% held back | worst %.2f %% | %d of 20 under 99 %%",
					name, k.name, k.weeks, 100*all.Realised, 100*all.Buffer, 100*worst, under)
				if all.Realised < c.least || all.Buffer > 0.15 {
					t.Errorf("%s, %s, %d weeks: %.2f %% of %d promises kept (seeds %d to %d), %.2f %% held back",
						name, k.name, k.weeks, 100*all.Realised, all.Promises, first, last, 100*all.Buffer)
				}
			}
		}
	}
}
