package backtest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
)

// A kind of fleet: how its nodes fail. Published figures are where its numbers
// come from (per 1,000 node-days: 2.3 to 6.5; down 0.7 days in the median).
type kind struct {
	name   string
	nodes  int
	days   float64
	rate   float64                   // faults per 1,000 node-days
	change func(day float64) float64 // times the rate
	bursts float64                   // groups of nodes that fail together, per day
	size   float64                   // mean nodes of such a group
}

func steady(float64) float64 { return 1 }

// faults draws what befalls the fleet's nodes.
func (k kind) faults(seed uint64) []trace.Fault {
	r := rand.New(rand.NewPCG(seed, 7))
	change, most := k.change, 1.0
	if change == nil {
		change = steady
	}
	for day := 0.0; day < k.days; day++ {
		most = max(most, change(day))
	}
	weights, all := k.weights(r)
	var faults []trace.Fault
	fail := func(node int, day, down float64) {
		faults = append(faults, trace.Fault{Server: fmt.Sprint(node), Start: span(day), End: span(day + down)})
	}
	for day := r.ExpFloat64() / (k.rate / 1000 * most * all); day < k.days; day += r.ExpFloat64() / (k.rate / 1000 * most * all) {
		if r.Float64()*most < change(day) {
			node, _ := slices.BinarySearch(weights, r.Float64()*all)
			fail(min(node, k.nodes-1), day, min(131, 0.7*math.Exp(1.6*r.NormFloat64())))
		}
	}
	for day := r.ExpFloat64() / k.bursts; k.bursts > 0 && day < k.days; day += r.ExpFloat64() / k.bursts {
		down := 0.3 * math.Exp(r.NormFloat64())
		for _, node := range r.Perm(k.nodes)[:k.group(r)] {
			fail(node, day+0.02*r.Float64(), 0.02+down)
		}
	}
	return faults
}

func (k kind) group(r *rand.Rand) int {
	n := 1
	for r.Float64() < 1-1/k.size && n < k.nodes {
		n++
	}
	return n
}

// weights are cumulative: some nodes fail often, many never.
func (k kind) weights(r *rand.Rand) (cumulative []float64, all float64) {
	for range k.nodes {
		w := -math.Log(1 - r.Float64()) // exponential: mean 1, many near none
		all += w
		cumulative = append(cumulative, all)
	}
	return cumulative, all
}

func span(days float64) time.Duration { return time.Duration(days * 24 * float64(time.Hour)) }
