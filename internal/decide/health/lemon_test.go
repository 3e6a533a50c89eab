package health_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The upper tail of the posterior against values that can be counted by hand: for
// a whole shape, Q(a, x) is the chance of fewer than a events of mean x.
func TestTheTailOfTheGammaDistribution(t *testing.T) {
	for _, x := range []float64{0.01, 0.5, 1, 3, 10, 40} {
		term, sum := math.Exp(-x), 0.0
		for a := 1; a <= 60; a++ {
			sum += term
			term *= x / float64(a)
			p := health.Prior{Shape: float64(a), Days: 1}
			if got := p.Exceeds(health.Record{}, x); math.Abs(got-sum) > 1e-9 {
				t.Fatalf("Q(%d, %g) = %.12f, by counting %.12f", a, x, got, sum)
			}
		}
	}
}

// A prior has the fleet's mean, and a spread that rules nothing out.
func TestThePriorHasTheFleetsMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, shape := range []float64{0.3, 2, 50} {
		records := make([]health.Record, 20_000)
		for i := range records {
			records[i] = health.Record{Faults: poisson(rng, gammaDraw(rng, shape)*4/shape), Days: 400}
		}
		p := health.Fit(records)
		if p.Shape < 0.2 || p.Shape > 0.5 || shape < 0.4 && math.Abs(p.Shape-shape) > 0.05 || math.Abs(p.Rate()-0.01) > 0.0005 {
			t.Errorf("of shape %g and rate 0.01 the fit is %+v, rate %.4f", shape, p, p.Rate())
		}
	}
	for _, none := range [][]health.Record{nil, {{}}, {{Days: 100}}} {
		if p := health.Fit(none); p.Shape <= 0 || p.Days <= 0 || math.IsNaN(p.Rate()) {
			t.Errorf("of %v the fit is %+v", none, p)
		}
	}
}

// planted is a fleet of which 2 % fail five times as often.
type planted struct {
	rate float64 // faults per 1,000 node-days of a good node
	days float64
}

// try draws such a fleet, and says which share of the lemons is found and of the
// good nodes flagged, at a certainty.
func (f planted) try(rng *rand.Rand, nodes int, factor, certainty float64) (found, accused float64) {
	lemons := nodes / 50
	records := make([]health.Record, nodes)
	for i := range records {
		mean := f.rate / 1000 * f.days
		if i < lemons {
			mean *= 5
		}
		records[i] = health.Record{Faults: poisson(rng, mean), Days: f.days}
	}
	prior := health.Fit(records)
	for i, r := range records {
		if prior.Exceeds(r, factor*prior.Rate()) < certainty {
			continue
		}
		if i < lemons {
			found++
		} else {
			accused++
		}
	}
	return found / float64(lemons), accused / float64(nodes-lemons)
}

// best is the most that any rule could find while it flags at most so many good
// nodes. By Neyman and Pearson it flags from k faults on, and of those with k − 1 as many
// as the rest of the allowance takes.
func (f planted) best(accused float64) float64 {
	good, bad := f.rate/1000*f.days, 5*f.rate/1000*f.days
	found, left := 0.0, accused
	for k := 400; k >= 0; k-- {
		g, b := chance(good, k), chance(bad, k)
		if g > left {
			return found + b*left/g
		}
		found, left = found+b, left-g
	}
	return found
}

func chance(mean float64, k int) float64 {
	lg, _ := math.Lgamma(float64(k) + 1)
	return math.Exp(float64(k)*math.Log(mean) - mean - lg)
}

func poisson(rng *rand.Rand, mean float64) int {
	n, left := 0, rng.ExpFloat64()
	for left < mean {
		n++
		left += rng.ExpFloat64()
	}
	return n
}

// gammaDraw is Marsaglia and Tsang's method (ACM TOMS 26, 2000).
func gammaDraw(rng *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gammaDraw(rng, shape+1) * math.Pow(rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := (1 + c*x) * (1 + c*x) * (1 + c*x)
		if v > 0 && math.Log(rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// What 60 days can tell depends on how often nodes fail. Good nodes are never
// flagged beyond 1 %; of lemons that fail five times as often as much is found as
// can be known: 80 % from about 27 faults in 1,000 node-days on. go test -v shows the frontier.
func TestLemonsAreFoundAsFarAsTheyCanBe(t *testing.T) {
	rng := rand.New(rand.NewPCG(60, 1))
	var table strings.Builder
	fmt.Fprintf(&table, "\nfaults per 1,000 node-days   found   accused   most that 1 %% accused allows\n")
	for _, rate := range []float64{2.3, 4.2, 6.5, 10, 15, 25, 40} {
		f := planted{rate, 60}
		found, accused := 0.0, 0.0
		const fleets = 20
		for range fleets {
			a, b := f.try(rng, 10_000, 1.25, 0.95)
			found, accused = found+a/fleets, accused+b/fleets
		}
		most := f.best(0.01)
		fmt.Fprintf(&table, "%26.1f  %5.1f %%  %6.2f %%  %5.1f %%\n", rate, 100*found, 100*accused, 100*most)
		if accused > 0.01 {
			t.Errorf("at %g faults, %.2f %% of good nodes are accused", rate, 100*accused)
		}
		if most >= 0.9 && found < 0.8 {
			t.Errorf("at %g faults, %.1f %% of the lemons are found, though %.1f %% could be", rate, 100*found, 100*most)
		}
	}
	t.Log(table.String())
}

// The same in a fleet that lives: 60 days, signals through the ingest, validations
// after each repair, 600 nodes of which 12 are lemons.
func TestLemonsInALivingFleet(t *testing.T) {
	const nodes, lemons, rate = 600, 12, 40.0 // faults per 1,000 node-days
	w := newWorld(t, nodes)
	rng := rand.New(rand.NewPCG(8, 8))
	seen := 0
	for day := range 60 {
		for k := range nodes {
			mean := rate / 1000
			if k < lemons {
				mean *= 5
			}
			if rng.Float64() >= mean || w.node(k).State != fleet.Healthy {
				continue
			}
			seen++
			w.pass(start.Add(time.Duration(day)*24*time.Hour + time.Duration(k)*2*time.Minute))
			w.do(core.TakeSignals{Signals: []fleet.Signal{{
				Agent: "dcgm", Check: "XIDErrors", Codes: []string{"79"}, Fatal: true, Node: name(k), At: w.at,
			}}})
			w.do(core.SetNodes{Names: []string{name(k)}, State: fleet.Repairing, Signal: "ticket"})
			w.do(core.RecordValidation{Node: name(k), Passed: true})
		}
	}
	w.pass(start.Add(60 * 24 * time.Hour))
	list, prior := health.Lemons(w.s, w.at)
	found, accused := 0, 0
	for _, l := range list {
		if k := w.indexOf(l.Node); k < lemons {
			found++
		} else {
			accused++
		}
		if len(l.Faults) == 0 || l.Certainty < 0.95 {
			t.Errorf("%s is accused without evidence: %+v", l.Node, l)
		}
	}
	t.Logf("%d faults, %.1f in 1,000 node-days; %d of %d lemons found, %d of %d good nodes accused",
		seen, 1000*prior.Rate(), found, lemons, accused, nodes-lemons)
	if found*10 < lemons*8 || accused*100 > nodes-lemons {
		t.Errorf("%d of %d lemons found, %d good nodes accused", found, lemons, accused)
	}
}

func (w *world) indexOf(node string) int {
	k, _ := w.partition().Node(node)
	return k
}
