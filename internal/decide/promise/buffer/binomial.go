package buffer

// weight is how many hours of windows the prior counts for: eight weeks, and seven
// horizons, since windows that overlap say little that is new.
func weight(horizon int) float64 { return float64(8*7*24 + 7*horizon) }

// binomial is a beta-binomial of the rise, its first two moments those of the
// pool's own windows and of the prior, each with its weight:
// E[X^j] = (W E₀[X^j] + Σ rise^j) / (W + N).
type binomial struct {
	claim Claim
	prior Prior
	seen  windows
	known sums // what the forecast rests on
	memo  memo
	most  int // the bound of the last hour, without a margin
	own   record
	past  peaks
	racks outages
}

// sums are of the rises of so many windows. They are taken anew once a day, and when more
// went down than before: in between, more windows hardly move the answer. So it
// follows from the hours learned, whenever it was asked for.
type sums struct{ windows, rise, riseSq int }

// memo keeps an answer until what it rests on has changed.
type memo struct {
	nodes int
	sums  sums
	known bool
	more  int
	bare  []float64 // P(rise > k), the loss of a rack aside
	loss  loss      // of a rack
}

// NewBinomial forecasts from the failure rate of the pool's kind and, as it
// grows, its own history: for pools that are young.
func NewBinomial(c Claim, p Prior) Forecast {
	return &binomial{claim: c, prior: p, seen: windows{horizon: c.Horizon}, own: newRecord(c.Horizon)}
}

// Learn judges the promises made so far by the hour, and makes the one of its beginning.
func (b *binomial) Learn(h Hour) {
	b.own.take(b.claim.Held(h.Nodes, h.Level, b.Ahead(h.Nodes)), h.Peak, func(float64) {})
	b.seen.learn(h)
	if b.seen.next%24 == 0 || b.seen.sumSq != b.known.riseSq {
		b.known = sums{b.seen.total, b.seen.sum, b.seen.sumSq}
	}
	b.past.learn(h)
	b.racks.learn(h, b.prior.Racks)
	b.Believe(b.prior)
}

func (b *binomial) Believe(p Prior) {
	p.Outages = b.racks.rate()
	if p != b.prior {
		b.prior, b.memo = p, memo{}
	}
}

func (b *binomial) Ahead(nodes int) Outlook {
	m := b.remember(nodes)
	b.most = b.past.bound(nodes, b.claim.Horizon, 1-b.claim.Confidence, b.most, m.loss, func(k int) float64 { return m.bare[min(k, nodes)] })
	return Outlook{min(nodes, m.more+b.own.margin()), min(nodes, b.most+b.own.margin())}
}

// remember makes the tails of the rise anew where what they rest on has changed.
func (b *binomial) remember(nodes int) memo {
	if m := b.memo; m.known && m.nodes == nodes && m.sums == b.known {
		return m
	}
	mean, spread := b.fit(nodes)
	m := memo{nodes: nodes, sums: b.known, known: true, bare: betaBinomialTail(nodes, mean, spread), loss: b.prior.loss(nodes, b.claim.Horizon)}
	tail := b.prior.racks(nodes, b.claim.Horizon, m.bare)
	m.more = quantile(nodes, 1-b.claim.Confidence, b.memo.more, func(k int) float64 { return tail[k] })
	b.memo = m
	return m
}

// fit is mean, and variance over mean.
func (b *binomial) fit(nodes int) (mean, spread float64) {
	w, n := weight(b.claim.Horizon), float64(b.known.windows)
	m0, s0 := b.prior.mean(nodes, b.claim.Horizon), b.prior.spread(b.claim.Horizon)
	second := float64(m0*s0) + float64(m0*m0)
	mean = (float64(w*m0) + float64(b.known.rise)) / (w + n)
	second = (float64(w*second) + float64(b.known.riseSq)) / (w + n)
	if mean <= 0 {
		return 0, 1
	}
	return mean, max(1, (second-float64(mean*mean))/mean)
}
