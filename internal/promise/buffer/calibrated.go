package buffer

import "math"

// pace is how fast the miss rate is corrected, per hour of horizon 24.
const pace = 0.00005

// calibrated is the conditional quantile of the rise, given the nodes down now:
// the least k with
//
//	(W P₀(rise > k) + #{windows with rise > k}) / (W + N) ≤ a,
//
// where P₀ is the prior's tail and W its weight. The miss rate a begins at
// 1 − confidence and is corrected by the policy's own misses (adaptive conformal
// inference, Gibbs and Candès, NeurIPS 2021, arXiv 2106.00170):
//
//	a ← a + γ (1 − confidence − missed),
//
// once for every promise, when it is broken or when its horizon is over; within a
// tenth and twice of 1 − confidence, so that a long quiet time is no licence.
type calibrated struct {
	claim  Claim
	seen   windows
	prior  Prior
	tail   []float64
	tailOf int
	miss   float64
	open   []outstanding // promises that are not judged yet, oldest first
	worst  int           // no open promise that stands holds back fewer nodes
}

// outstanding is a promise under way.
type outstanding struct {
	held   int32
	broken bool
}

// NewCalibrated forecasts from the pool's own history, corrected by its misses.
func NewCalibrated(c Claim, p Prior) Forecast {
	return &calibrated{claim: c, prior: p, seen: windows{horizon: c.Horizon}, miss: 1 - c.Confidence, worst: math.MaxInt}
}

func (f *calibrated) Believe(p Prior) {
	if p != f.prior {
		f.prior, f.tail = p, nil
	}
}

func (f *calibrated) More(nodes int) int {
	if f.tail == nil || f.tailOf != nodes {
		f.tail, f.tailOf = f.prior.tail(nodes, f.claim.Horizon), nodes
	}
	w := weight(f.claim.Horizon)
	left, limit := f.seen.total, float64(f.miss*(w+float64(f.seen.total)))
	for k := range nodes {
		if k < len(f.seen.count) {
			left -= f.seen.count[k]
		}
		if float64(w*f.tail[k])+float64(left) <= limit {
			return k
		}
	}
	return nodes
}

// Learn judges the promises made so far by the hour, and makes the one of its beginning.
func (f *calibrated) Learn(h Hour) {
	held := f.claim.Held(h.Nodes, h.Level, f.More(h.Nodes))
	f.open = append(f.open, outstanding{held: int32(held)})
	f.worst = min(f.worst, held)
	f.breakUnder(h.Peak)
	if len(f.open) > f.claim.Horizon {
		if !f.open[0].broken {
			f.correct(0)
		}
		f.open = f.open[1:]
	}
	f.seen.learn(h)
}

// breakUnder marks the promises that a peak breaks.
func (f *calibrated) breakUnder(peak int) {
	if peak <= f.worst {
		return
	}
	f.worst = math.MaxInt
	for i := range f.open {
		o := &f.open[i]
		if !o.broken && peak > int(o.held) {
			o.broken = true
			f.correct(1)
		}
		if !o.broken {
			f.worst = min(f.worst, int(o.held))
		}
	}
}

func (f *calibrated) correct(missed float64) {
	wanted := 1 - f.claim.Confidence
	f.miss += float64(pace * 24 / float64(f.claim.Horizon) * (wanted - missed))
	f.miss = min(2*wanted, max(wanted/10, f.miss))
}
