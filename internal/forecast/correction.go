package forecast

import "github.com/muster-fleet/muster/internal/fleet"

// goals are the probabilities, of whole, that P50 and P90 are to hold with.
var goals = [2]int64{whole / 2, whole / 10 * 9}

// side is what the book knows of its P50s, or of its P90s.
type side struct {
	stretches []reading // of the settled forecasts, the last ones
	level     int64     // probability that is aimed at, so that the goal is met
}

const (
	mostStretches = 2000
	doubt         = 20  // stretches, beside the real ones, of forecasts that were just right
	gain          = 200 // a miss moves the level by one part in so many
)

// learn takes in how far one forecast was off. The level is moved so that in the
// long run just so many miss as may, whatever the world does (adaptive conformal
// inference, Gibbs and Candès 2021).
func (s *side) learn(stretch int64, missed bool, goal int64) {
	s.stretches = append(s.stretches, reading{value: stretch})
	if len(s.stretches) > 2*mostStretches {
		s.stretches = append([]reading(nil), s.stretches[mostStretches:]...)
	}
	s.level -= (whole - goal) / gain
	if missed {
		s.level += whole / gain
	}
	s.level = min(max(s.level, whole/20), whole/200*199)
}

// correction stretches the waits that the paths say; the zero value, and that of
// no book, changes nothing.
type correction struct{ stretch [2]int64 } // in units; 0: as it is

// correction is how much the waits of now are to be stretched. Forecasts whose
// workloads still wait count as what they are: not over yet.
func (b *Book) correction(now fleet.Instant) correction {
	var c correction
	if b == nil {
		return c
	}
	for i := range b.sides {
		s := &b.sides[i]
		list := append([]reading(nil), s.stretches[max(0, len(s.stretches)-mostStretches):]...)
		for _, entries := range b.open {
			for _, e := range entries {
				if e.at < now {
					list = append(list, reading{stretch(e, i, now), true})
				}
			}
		}
		for range doubt {
			list = append(list, reading{value: unit})
		}
		c.stretch[i] = newCurve(list).nearest(s.level)
	}
	return c
}

// nearest is the quantile, or the largest value that was seen where that is not known.
func (c curve) nearest(p int64) int64 {
	if v, ok := c.quantile(p); ok {
		return v
	}
	return c.at[len(c.at)-1]
}

// apply corrects what the paths say. Never before now, and P50 never after P90.
func (c correction) apply(raw moments, now fleet.Instant) moments {
	said := raw
	for i, at := range raw {
		if c.stretch[i] != 0 {
			said[i] = now.Add(max(0, scale(at.Sub(now)+leastWait, c.stretch[i])-leastWait))
		}
	}
	said[1] = max(said[0], said[1])
	return said
}
