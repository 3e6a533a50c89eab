package fleet

import "time"

// This file lets go of stretches of downtime that nobody asks for any more. The
// dwell needs those that ended within it; forecasts learn from four weeks of them
// how long repairs take. What buffer policies learn from is kept apart (Island.Past).

// What ended is remembered for four weeks, counted from the beginning of the present
// one: so stretches go once a week, and which do follows from the moment alone, whatever
// an older snapshot still holds.
const (
	remembered = 28 * 24 * time.Hour
	week       = Instant(7 * 24 * time.Hour)
)

// mostDowns is how many stretches a partition keeps for forecasts, besides two of
// each node: with more, only those stay that the dwell needs.
const mostDowns = 4096

// forgetDowns lets go of what nobody needs at a moment. It rests on the state alone,
// so that whoever replays the log forgets the same.
func (p *Partition) forgetDowns(at Instant) {
	dwell := p.state.Policy.Dwell
	before := (at / week * week).Add(-max(dwell, remembered))
	if len(p.Downs) > mostDowns+2*len(p.Nodes) {
		before = at.Add(-dwell)
	}
	if p.oldestEnd() >= before {
		return
	}
	p.Downs = remove(p.Downs, func(d Down) bool { return d.To < before })
	p.recountDowns()
}

// oldestEnd is when the first of the stretches ended; Never: none has.
func (p *Partition) oldestEnd() Instant {
	oldest := Never
	for _, d := range p.Downs {
		oldest = min(oldest, d.To)
	}
	return oldest
}
