package backtest

import "github.com/muster-fleet/muster/internal/decide/promise/buffer"

// hindsight is the least constant number of nodes that, held back besides those
// down at each moment, would have kept the wanted share of this very past. It knows
// what is still to come, so no policy could have used it: it is the mark that a policy
// which learns only from the past is measured against.
func hindsight(hours []buffer.Hour, confidence float64, horizon int) int {
	worst := worstAhead(hours, horizon)
	var rises []int // how many windows rose by so many nodes
	for t, peak := range worst {
		by := max(0, peak-hours[t].Level)
		for len(rises) <= by {
			rises = append(rises, 0)
		}
		rises[by]++
	}
	broken := len(worst)
	for k, windows := range rises {
		if broken -= windows; float64(len(worst)-broken) >= confidence*float64(len(worst)) {
			return k
		}
	}
	return 0
}

// inHindsight are the promises that hindsight makes.
func (p Policy) inHindsight(hours []buffer.Hour, horizon int) []int {
	claim := p.tried().Claim(horizon)
	more := hindsight(hours, p.Confidence, horizon)
	out := make([]int, len(hours))
	for t, h := range hours {
		out[t] = claim.Promised(h.Nodes, h.Level, buffer.Outlook{More: more, Most: h.Nodes})
	}
	return out
}
