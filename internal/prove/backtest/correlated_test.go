package backtest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/promise/trial"
	"github.com/muster-fleet/muster/internal/prove/backtest"
	"github.com/muster-fleet/muster/internal/prove/trace"
)

// racked draws faults of single nodes, and outages of whole racks: each rack has so many a year.
func racked(nodes, rack int, days, outages float64, seed uint64) []trace.Fault {
	faults := kind{nodes: nodes, days: days, rate: 4.2}.faults(seed)
	name := map[string]string{}
	for n := range nodes {
		name[fmt.Sprint(n)] = fmt.Sprint("rack ", n/rack)
	}
	r := rand.New(rand.NewPCG(seed, 11))
	racks := nodes / rack
	for day := 0.0; outages > 0; {
		if day += r.ExpFloat64() / (outages / 365 * float64(racks)); day >= days {
			break
		}
		first, lasts := rack*r.IntN(racks), min(60, 0.5*math.Exp(1.2*r.NormFloat64()))
		for n := first; n < first+rack; n++ {
			faults = append(faults, trace.Fault{Server: fmt.Sprint(n), Start: span(day), End: span(day + lasts)})
		}
	}
	for i := range faults {
		faults[i].Rack = name[faults[i].Server]
	}
	return faults
}

// stand is a fleet whose racks fail as one.
type stand struct {
	nodes, rack int
	outages     float64 // of each rack, a year
	known       bool    // the policy is told of the racks
}

// tried adds up what became of a policy's promises on such fleets, and says of how many fleets
// fewer than 99 % were kept.
func (s stand) tried(t *testing.T, policy backtest.Policy, horizon int, seeds uint64) (all backtest.Figures, under int) {
	t.Helper()
	const days = 200
	for seed := uint64(1); seed <= seeds; seed++ {
		f, err := backtest.NewFleet(racked(s.nodes, s.rack, days, s.outages, seed), s.nodes, days*24)
		if err != nil {
			t.Fatal(err)
		}
		pool := f.Pools(s.nodes, seed)[0]
		if pool.Racks != s.nodes/s.rack {
			t.Fatalf("%d nodes in racks of %d make %d racks", s.nodes, s.rack, pool.Racks)
		}
		if !s.known {
			pool.Racks = 1
		}
		one := backtest.Try(pool, policy, horizon)
		if one.Realised < 0.99 {
			under++
		}
		all.Add(one)
	}
	return all, under
}

// Where racks are known, both promises that Muster makes (24 hours and 28 days) keep what
// they claim, if racks fail as often as published, and ten times as often.
// The tables of docs/figures/racks.md come from a run with -v.
func TestPromisesUnderCorrelatedRacks(t *testing.T) {
	for _, outages := range []float64{0.05, 0.5} {
		for _, shape := range [][2]int{{400, 16}, {96, 16}, {48, 8}} {
			for _, name := range learning("=0.99") {
				policy, _ := backtest.ParsePolicy(name)
				for _, horizon := range []int{24, 672} {
					all, _ := stand{shape[0], shape[1], outages, true}.tried(t, policy, horizon, 6)
					if all.Realised < 0.99 {
						t.Errorf("%v outages a rack and year, %d nodes in racks of %d, %s over %d h: %.2f %% of %d kept, %.2f %% held back",
							outages, shape[0], shape[1], name, horizon, 100*all.Realised, all.Promises, 100*all.Buffer)
					}
				}
			}
		}
	}
	if testing.Verbose() {
		rackTables(t)
	}
}

// rackTables prints what the document shows.
func rackTables(t *testing.T) {
	for _, shape := range [][2]int{{400, 16}, {96, 16}, {48, 8}} {
		for _, outages := range []float64{0, 0.05, 0.5, 2} {
			for _, name := range slices.Concat([]string{"fixed=0.15"}, learning("=0.99"), []string{"hindsight=0.99"}) {
				policy, _ := backtest.ParsePolicy(name)
				for _, known := range []bool{false, true} {
					if known && (trial.KeepsShare(policy.Kind) || policy.Kind == "hindsight") {
						continue // they do not ask
					}
					line := fmt.Sprintf("| %d, racks of %d | %v | %s | %v |", shape[0], shape[1], outages, policy.Kind, map[bool]string{true: "yes", false: "no"}[known])
					for _, horizon := range []int{24, 168, 672} {
						all, under := stand{shape[0], shape[1], outages, known}.tried(t, policy, horizon, 10)
						line += fmt.Sprintf(" %.2f %% | %.1f %% | %d |", 100*all.Realised, 100*all.Buffer, under)
					}
					t.Log(line)
				}
			}
		}
	}
}
