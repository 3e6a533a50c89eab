package buffer

import "math"

// outageWeight is how many rack-days of a pool's own weigh as much as domainRate: ten years of
// one rack. So an outage in the first weeks raises the rate to about three times domainRate.
const outageWeight = 10 * 365

// leastOutage is the fewest nodes that count as a rack's: fewer go down by chance.
const leastOutage = 3

// outages counts how often racks of a pool went down as a whole, by the hours in which at
// least half a rack went down.
type outages struct {
	seen     float64
	rackDays float64
}

// learn takes an hour of a pool of so many racks.
func (o *outages) learn(h Hour, racks int) {
	if racks < 2 {
		return
	}
	o.rackDays += float64(racks) / 24
	size := rackSize(h.Nodes, racks)
	if down := h.Peak - h.Level; down >= max(leastOutage, (size+1)/2) {
		o.seen += float64(max(1, down/size))
	}
}

// rate is outages per rack and day, the mean of a gamma posterior,
// (domainRate × weight + outages) / (weight + rack-days), rounded up to quarters of domainRate,
// so that it is seldom another.
func (o *outages) rate() float64 {
	rate := (float64(domainRate*outageWeight) + o.seen) / (outageWeight + o.rackDays)
	return domainRate / 4 * math.Ceil(rate/(domainRate/4)-1e-9)
}

// rackSize is how many nodes a rack of a pool has, rounded up.
func rackSize(nodes, racks int) int { return (nodes + racks - 1) / racks }
