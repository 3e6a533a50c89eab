package buffer

// settles is how long, in hours, what a pool is like now says of what it will be like: the eight
// weeks that the prior weighs as well (weight). Four weeks was tried, and kept 98 % of 28 days at four
// pools of 100 nodes of the recorded fleet.
const settles = 8 * 7 * 24

// peaks is the most nodes of a pool that were ever down at one moment.
type peaks struct {
	hours       int // that were seen
	down, nodes int // the largest share, and of how many nodes
}

func (p *peaks) learn(h Hour) {
	p.hours++
	if h.Peak*max(1, p.nodes) > p.down*h.Nodes {
		p.down, p.nodes = h.Peak, h.Nodes
	}
}

// of is that number for a pool of so many nodes: in proportion where it has grown since.
func (p *peaks) of(nodes int) int {
	if p.nodes > 0 && nodes > p.nodes {
		return (p.down*nodes + p.nodes - 1) / p.nodes
	}
	return min(p.down, nodes)
}

// passed bounds the probability R that more go down within a horizon of H hours than in all T
// that were seen: R = (H + S) / (T + H + S). Of stretches that are alike each is as likely to hold
// the worst moment of all as its length says (exchangeability; Rényi 1962, on records). A pool may
// be in bad times already when a stretch begins, so that it counts S hours longer (settles).
func (p *peaks) passed(horizon int) float64 {
	stretch := float64(horizon + settles)
	return stretch / (float64(p.hours) + stretch)
}

// bound is the most nodes that are down at one moment of a horizon, by the record: M + k, k the
// least with
//
//	(1 − π) R P(rise > k) + π X ≤ miss, X = R P(rise > k − rack) from k = rack on, and 1 below,
//
// M the most that were ever down, R the probability that M is passed, π that of the loss of a rack.
// A pool that comes to be k above M reaches M first, and rises by k from there. Tail is P(rise > k), the
// loss of a rack aside. Before is the bound of the last hour. It binds only as far as the record reaches: R falls with every hour of it.
func (p *peaks) bound(nodes, horizon int, miss float64, before int, rack loss, tail func(k int) float64) int {
	if horizon < Sustainable {
		return nodes // tomorrow depends on today
	}
	passed := p.passed(horizon)
	most := p.of(nodes)
	more := func(k int) float64 { return float64(passed * tail(k)) }
	return most + quantile(nodes, miss, max(0, before-most), func(k int) float64 { return rack.on(k, more) })
}
