package buffer

import "math"

// What published fleets have shown, used before a pool has a history of its own.
const (
	// PriorRate is node faults per node-day: the middle of published fleets (4.18 InfiniteHBD, arXiv 2502.03885; 3.79
	// Llama 3, arXiv 2407.21783; 2.34 and 6.5 Meta RSC, arXiv 2410.21680; per 1,000 node-days).
	PriorRate = 0.0042
	// priorWeight is how many node-days of a fleet's own faults weigh as much as PriorRate.
	priorWeight = 10_000
	// repairDays is the mean time that a failed node stays away (5.5 days InfiniteHBD, with a heavy tail).
	repairDays = 5
	// clump is how much the variance of failures within a day exceeds a binomial's, because nodes fail in groups; drift
	// is what a rate that changes over weeks adds. Together: the down count's variance is about six times binomial.
	clump, drift = 2.5, 2.5
	// domainRate is failures per day of what a rack shares: one top-of-rack switch in twenty
	// fails within a year (Gill, Jain, Nagappan, SIGCOMM 2011).
	domainRate = 0.05 / 365
)

// Prior is what is believed of a pool before its own history speaks.
type Prior struct {
	Rate  float64 // faults per node-day of the fleet it belongs to; 0: PriorRate
	Racks int     // domains that fail as one; below 2 there is none smaller than the pool
	// Outages is how often one of them fails as a whole, per day; 0: domainRate. A forecast learns it.
	Outages float64
}

// FleetRate is faults per node-day of a fleet that had so many in so many node-days,
// shrunk towards PriorRate: the mean of a gamma posterior,
// (PriorRate × weight + faults) / (weight + node-days). It is never below PriorRate: a fleet
// that fails more than others is believed at once, one that fails less has to show it pool by
// pool, for a quiet beginning says nothing about a later change. It is rounded up to
// twentieths of PriorRate, so that it is seldom another.
func FleetRate(faults, nodeDays float64) float64 {
	rate := (float64(PriorRate*priorWeight) + faults) / (priorWeight + nodeDays)
	return max(PriorRate, PriorRate/20*math.Ceil(rate/(PriorRate/20)-1e-9))
}

// mean is how many more nodes of n are down after a horizon, if none was:
// n × rate × repair × (1 − exp(−days/repair)), an M/G/∞ queue that fills.
func (p Prior) mean(n, hours int) float64 {
	rate := p.Rate
	if rate == 0 {
		rate = PriorRate
	}
	return float64(n) * rate * repairDays * (1 - math.Exp(-float64(hours)/24/repairDays))
}

// spread is variance over mean of that number.
func (p Prior) spread(hours int) float64 {
	return 1 + clump + float64(drift*(1-math.Exp(-float64(hours)/24/repairDays)))
}

// tail is P(rise > k) for k = 0, 1, …, n under the prior.
func (p Prior) tail(n, hours int) []float64 {
	return p.racks(n, hours, p.alone(n, hours))
}

// alone is the same, the loss of a whole rack aside.
func (p Prior) alone(n, hours int) []float64 {
	return betaBinomialTail(n, p.mean(n, hours), p.spread(hours))
}

// racks adds the correlated term: with probability 1 − exp(−outages × racks × days)
// a whole rack goes down besides, P(X > k) = (1 − π) P(rise > k) + π P(rise > k − rack).
func (p Prior) racks(n, hours int, tail []float64) []float64 {
	rack := p.loss(n, hours)
	if rack.hit == 0 {
		return tail
	}
	out := make([]float64, len(tail))
	for k := range tail {
		out[k] = rack.on(k, func(k int) float64 { return tail[k] })
	}
	return out
}

// loss is how many nodes share a rack, and the probability that one goes down whole within a
// horizon; 0 where the pool has no racks smaller than itself.
type loss struct {
	size int
	hit  float64
}

// on is P(X > k) where a rack goes down besides, and tail is the same without it.
func (l loss) on(k int, tail func(k int) float64) float64 {
	with := 1.0
	if k >= l.size {
		with = tail(k - l.size)
	}
	return float64((1-l.hit)*tail(k)) + float64(l.hit*with)
}

// loss is that of a rack in a pool of n nodes.
func (p Prior) loss(n, hours int) loss {
	if p.Racks < 2 {
		return loss{}
	}
	rate := p.Outages
	if rate == 0 {
		rate = domainRate
	}
	return loss{rackSize(n, p.Racks), 1 - math.Exp(-rate*float64(p.Racks)*float64(hours)/24)}
}

// betaBinomialTail is P(X > k), k = 0..n, of a beta-binomial of n trials with
// this mean and variance over mean: p = mean/n, and intra-class correlation
// ρ = (spread/(1−p) − 1)/(n − 1), so that α = p(1−ρ)/ρ and β = (1−p)(1−ρ)/ρ
// (Skellam, J. R. Stat. Soc. B 10, 1948).
func betaBinomialTail(n int, mean, spread float64) []float64 {
	tail := make([]float64, n+1)
	if n == 0 || mean <= 0 {
		return tail
	}
	p := min(mean/float64(n), 0.95)
	rho := 1e-6
	if n > 1 {
		rho = min(0.9, max(rho, (spread/(1-p)-1)/float64(n-1)))
	}
	a, b := p*(1-rho)/rho, (1-p)*(1-rho)/rho
	return tailOf(n, func(k int) float64 {
		return float64(n-k) / float64(k+1) * ((a + float64(k)) / (b + float64(n-k-1)))
	})
}

// tailOf is P(X > k), k = 0..n, where step(k) is P(k+1)/P(k). Nothing is normalised
// before the end, so that P(0) may be too small for a number.
func tailOf(n int, step func(k int) float64) []float64 {
	const huge = 1e200
	pmf := make([]float64, n+1)
	weight, all := 1.0, 0.0
	for k := range pmf {
		pmf[k] = weight
		if all += weight; all > huge {
			for i := range k + 1 {
				pmf[i] /= huge
			}
			weight, all = weight/huge, all/huge
		}
		if k < n {
			weight *= step(k)
		}
		if k < n && weight < all*1e-12 && step(k) < 1 {
			break // the rest is nothing
		}
	}
	above := 0.0
	for k := n; k >= 0; k-- {
		pmf[k], above = above/all, above+pmf[k]
	}
	return pmf
}

// quantile is the least k up to n with tail(k) ≤ miss, for a tail that never rises. It is looked for
// around what it was before: from one hour to the next it is mostly the same.
func quantile(n int, miss float64, before int, tail func(k int) float64) int {
	k := min(before, n)
	for k < n && tail(k) > miss {
		k++
	}
	for k > 0 && tail(k-1) <= miss {
		k--
	}
	return k
}
