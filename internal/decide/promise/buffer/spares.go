package buffer

// MendWithin is how long, in hours, spares must last before repaired nodes come
// back: the first day, in which half of all failed nodes return.
const MendWithin = 24

// Spares is how many nodes beside a gang's own an island needs, so that with this
// confidence the gang can be mended from its own island through MendWithin hours. It is
// the least s such that at most s of the gang's nodes and of the spares go down.
//
// Failures are a beta-binomial of the island's kind with its racks (prior.go). Binomial
// quantiles alone, as in ByteRobust's warm standby (arXiv 2509.16293), miss failures that
// come in groups.
func Spares(gang int, confidence float64, p Prior) int {
	for s := range gang + 1 {
		tail := p.tail(gang+s, MendWithin)
		if tail[min(s, len(tail)-1)] <= 1-confidence {
			return s
		}
	}
	return gang
}
