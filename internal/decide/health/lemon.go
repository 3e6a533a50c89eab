package health

import (
	"math"
	"sort"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Record is how often a node fell out of service in the time that it served.
type Record struct {
	Faults int
	Days   float64 // in service
}

// Prior is what is known of any node's failure rate before it is looked at: a
// gamma distribution with mean Shape/Days faults per day.
type Prior struct{ Shape, Days float64 }

// Rate is the mean, in faults per day.
func (p Prior) Rate() float64 { return p.Shape / p.Days }

// The shapes that a prior may have: the smaller, the more the nodes differ. At
// most ½, the shape of Jeffreys' prior for a Poisson rate, however alike most nodes
// are: a prior that rules lemons out finds none. (With the fitted shape and a
// factor of 2 hardly a sixth of the lemons was found where nine tenths could be.)
const (
	leastShape = 0.2
	mostShape  = 0.5
	// A fleet without a fault says little; it counts as half of one.
	leastFaults = 0.5
)

// Fit finds the prior from the fleet's own nodes, by the method of moments
// (empirical Bayes for Poisson counts with gamma rates; Robbins 1956, and e.g.
// Gelman et al., Bayesian Data Analysis, 3rd ed., §2.7). With k faults in t days
// of service, mean rate m = Σk / Σt, the counts' spread around it is
//
//	E Σ(k − m·t)² = m·Σt + (m²/shape)·Σt²
//
// of which the second term is how much the nodes differ.
func Fit(records []Record) Prior {
	faults, days, squares := 0.0, 0.0, 0.0
	for _, r := range records {
		faults, days, squares = faults+float64(r.Faults), days+r.Days, squares+r.Days*r.Days
	}
	if days <= 0 {
		return Prior{Shape: mostShape, Days: 1000}
	}
	m := max(faults, leastFaults) / days
	spread := 0.0
	for _, r := range records {
		d := float64(r.Faults) - m*r.Days
		spread += d * d
	}
	shape := float64(mostShape)
	if over := spread - m*days; over > 0 {
		shape = min(mostShape, max(leastShape, m*m*squares/over))
	}
	return Prior{Shape: shape, Days: shape / m}
}

// Exceeds is the probability that a node's rate is above so many faults a day,
// given its record: the posterior is Gamma(shape + k, days + t), since the gamma
// distribution is conjugate to Poisson counts.
func (p Prior) Exceeds(r Record, rate float64) float64 {
	return upperGamma(p.Shape+float64(r.Faults), (p.Days+r.Days)*rate)
}

// Expected is a node's rate given its record, in faults per day: the posterior's mean.
func (p Prior) Expected(r Record) float64 { return (p.Shape + float64(r.Faults)) / (p.Days + r.Days) }

// upperGamma is the regularised upper incomplete gamma function Q(a, x), by its
// series for small x (DLMF 8.7.1) and its continued fraction else (DLMF 8.9.2,
// evaluated by Lentz's method).
func upperGamma(a, x float64) float64 {
	if x <= 0 {
		return 1
	}
	lg, _ := math.Lgamma(a)
	scale := math.Exp(a*math.Log(x) - x - lg)
	if x < a+1 {
		return max(0, 1-scale*gammaSeries(a, x))
	}
	return min(1, scale*gammaFraction(a, x))
}

const (
	terms    = 1000
	accuracy = 1e-14
)

func gammaSeries(a, x float64) float64 {
	term := 1 / a
	sum := term
	for n := 1; n < terms && term > sum*accuracy; n++ {
		term *= x / (a + float64(n))
		sum += term
	}
	return sum
}

func gammaFraction(a, x float64) float64 {
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for n := 1; n < terms; n++ {
		an := -float64(n) * (float64(n) - a)
		b += 2
		d = 1 / nonzero(an*d+b, tiny)
		c = nonzero(b+an/c, tiny)
		step := d * c
		h *= step
		if math.Abs(step-1) < accuracy {
			break
		}
	}
	return h
}

func nonzero(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}

// Lemon is a node that fails so much more often than the fleet that chance is no
// explanation.
type Lemon struct {
	Partition string
	Node      string
	Record    Record
	Rate      float64 // expected, in faults per 1,000 days
	Fleet     float64 // the fleet's, in faults per 1,000 days
	Certainty float64 // that its rate exceeds the policy's factor times the fleet's
	Faults    []fleet.Fault
}

// Lemons lists the fleet's lemons, the most certain first.
func Lemons(s *fleet.State, now fleet.Instant) (list []Lemon, prior Prior) {
	policy := s.HealthPolicy().Lemon
	records := recordsOf(s, now)
	prior = Fit(records)
	limit, certain := prior.Rate()*float64(policy.Factor)/1000, float64(policy.Certainty)
	// Service without a fault makes a node less suspect than one that has not served yet.
	anybody := prior.Exceeds(Record{}, limit)*1000 >= certain
	k := -1
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			if n.State == fleet.Retired {
				continue
			}
			k++
			if records[k].Faults == 0 && !anybody {
				continue
			}
			l := Lemon{Partition: p.ID, Node: n.Name, Certainty: prior.Exceeds(records[k], limit)}
			if l.Certainty*1000 < certain {
				continue
			}
			l.Record, l.Faults = recordOf(n, now, policy.Window, s.Policy.Probation)
			l.Rate, l.Fleet = 1000*prior.Expected(l.Record), 1000*prior.Rate()
			list = append(list, l)
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].Certainty != list[j].Certainty {
			return list[i].Certainty > list[j].Certainty
		}
		return list[i].Node < list[j].Node
	})
	return list, prior
}

// recordsOf are the records of all nodes that are not retired, in order.
func recordsOf(s *fleet.State, now fleet.Instant) []Record {
	nodes := 0
	for _, p := range s.Partitions {
		nodes += len(p.Nodes)
	}
	records := make([]Record, 0, nodes)
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			if n.State != fleet.Retired {
				r, _ := recordOf(n, now, s.HealthPolicy().Lemon.Window, s.Policy.Probation)
				records = append(records, r)
			}
		}
	}
	return records
}

// recordOf is a node's record over a window: its faults, those during a probation
// not counted again, and the time in which it could have had them: not while it
// was out of service, nor in the probation that followed.
func recordOf(n *fleet.Node, now fleet.Instant, window, probation time.Duration) (r Record, faults []fleet.Fault) {
	from := max(n.Born, back(now, window))
	span := now.Sub(from)
	if n.Health != nil {
		for _, f := range n.Health.Faults {
			if f.At < from {
				continue
			}
			end := now
			if f.Back != 0 {
				end = min(now, f.Back.Add(probation))
			}
			span -= end.Sub(f.At)
			faults = append(faults, f)
			if !f.Again {
				r.Faults++
			}
		}
	}
	r.Days = max(0, span.Hours()/24)
	return r, faults
}
