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
	claim Claim
	seen  windows
	prior Prior
	tails tails
	last  Outlook // of the last hour, without a margin
	miss  float64
	own   record
	past  peaks
	racks outages
}

// tails are P₀(rise > k) of a pool of so many nodes, the loss of a rack aside and with it.
type tails struct {
	nodes       int
	bare, racks []float64
	loss        loss
}

// NewCalibrated forecasts from the pool's own history, corrected by its misses.
func NewCalibrated(c Claim, p Prior) Forecast {
	return &calibrated{claim: c, prior: p, seen: windows{horizon: c.Horizon}, miss: 1 - c.Confidence, own: newRecord(c.Horizon)}
}

func (f *calibrated) Believe(p Prior) {
	p.Outages = f.racks.rate()
	if p != f.prior {
		f.prior, f.tails = p, tails{}
	}
}

func (f *calibrated) Ahead(nodes int) Outlook {
	if f.tails.racks == nil || f.tails.nodes != nodes {
		bare := f.prior.alone(nodes, f.claim.Horizon)
		f.tails = tails{nodes, bare, f.prior.racks(nodes, f.claim.Horizon, bare), f.prior.loss(nodes, f.claim.Horizon)}
	}
	more := quantile(nodes, f.miss, f.last.More, func(k int) float64 { return f.over(f.tails.racks, k) })
	most := f.past.bound(nodes, f.claim.Horizon, f.miss, f.last.Most, f.tails.loss, func(k int) float64 { return f.over(f.tails.bare, k) })
	f.last = Outlook{more, most}
	return Outlook{min(nodes, more+f.own.margin()), min(nodes, most+f.own.margin())}
}

// over is P(rise > k), of the prior and the windows that were seen.
func (f *calibrated) over(prior []float64, k int) float64 {
	w := weight(f.claim.Horizon)
	return (float64(w*prior[k]) + float64(f.seen.over(k))) / (w + float64(f.seen.total))
}

// Learn judges the promises made so far by the hour, and makes the one of its beginning.
func (f *calibrated) Learn(h Hour) {
	f.own.take(f.claim.Held(h.Nodes, h.Level, f.Ahead(h.Nodes)), h.Peak, f.correct)
	f.seen.learn(h)
	f.past.learn(h)
	f.racks.learn(h, f.prior.Racks)
	if f.racks.rate() != f.prior.Outages { // seldom, and all hours of a year are read after a restart
		f.Believe(f.prior)
	}
}

func (f *calibrated) correct(missed float64) {
	wanted := 1 - f.claim.Confidence
	f.miss += float64(pace * 24 / float64(f.claim.Horizon) * (wanted - missed))
	f.miss = min(2*wanted, max(wanted/10, f.miss))
}
