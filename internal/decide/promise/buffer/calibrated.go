package buffer

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
	own    record
	racks  outages
}

// NewCalibrated forecasts from the pool's own history, corrected by its misses.
func NewCalibrated(c Claim, p Prior) Forecast {
	return &calibrated{claim: c, prior: p, seen: windows{horizon: c.Horizon}, miss: 1 - c.Confidence, own: newRecord(c.Horizon)}
}

func (f *calibrated) Believe(p Prior) {
	p.Outages = f.racks.rate()
	if p != f.prior {
		f.prior, f.tail = p, nil
	}
}

func (f *calibrated) More(nodes int) int { return min(nodes, f.quantile(nodes)+f.own.margin()) }

func (f *calibrated) quantile(nodes int) int {
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
	f.own.take(f.claim.Held(h.Nodes, h.Level, f.More(h.Nodes)), h.Peak, f.correct)
	f.seen.learn(h)
	f.racks.learn(h, f.prior.Racks)
	f.Believe(f.prior)
}

func (f *calibrated) correct(missed float64) {
	wanted := 1 - f.claim.Confidence
	f.miss += float64(pace * 24 / float64(f.claim.Horizon) * (wanted - missed))
	f.miss = min(2*wanted, max(wanted/10, f.miss))
}
