package forecast

import "github.com/muster-fleet/muster/internal/state/fleet"

// goals are the probabilities, of whole, that P50 and P90 are to hold with.
var goals = [2]int64{whole / 2, whole / 10 * 9}

// side is what the book knows of its P50s, or of its P90s.
type side struct {
	settled [][]reading // stretches by workload, the last ones to have started
	level   int64       // probability that is aimed at, so that the goal is met
}

// The level never leaves these: 5 % and 99.5 %. Beyond them one more miss, or none, decides.
const (
	lowestLevel  = whole / 20
	highestLevel = whole / 200 * 199
)

// A workload counts once, however often it was asked about: its forecasts share
// its fate. The paths are right unless many workloads say otherwise.
const (
	mostSettled = 1000    // workloads that are remembered
	mostOfOne   = 16      // stretches of one of them
	doubt       = 100     // workloads, beside the real ones, for which the paths were just right
	gain        = 500     // a workload moves the level by at most one part in so many
	one         = 1 << 12 // weight of a workload: a million of them stay below 1<<32
)

// learn takes in how far the forecasts of a workload were off that starts now. i is 0 for P50
// and 1 for P90. A miss raises the level and a hit lowers it, so that in the long run the share
// of hits is the goal, whatever the world does (adaptive conformal inference, Gibbs and Candès
// 2021).
func (s *side) learn(entries []entry, i int, now fleet.Instant) {
	n, missed := int64(len(entries)), int64(0)
	for _, e := range entries {
		if now > e.said[i] {
			missed++
		}
	}
	s.level += (whole*missed/n - (whole - goals[i])) / gain
	s.level = min(max(s.level, lowestLevel), highestLevel)
	s.settled = append(s.settled, stretches(entries, i, now, false))
	if len(s.settled) > 2*mostSettled {
		s.settled = append([][]reading(nil), s.settled[mostSettled:]...)
	}
}

// stretches are readings of the entries of one workload, evenly chosen, which
// together weigh one workload.
func stretches(entries []entry, i int, now fleet.Instant, open bool) []reading {
	every := (len(entries) + mostOfOne - 1) / mostOfOne
	var list []reading
	for k := 0; k < len(entries); k += every {
		list = append(list, reading{value: stretch(entries[k], i, now), open: open})
	}
	for k := range list {
		list[k].weight = one / int64(len(list))
	}
	return list
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
		var list []reading
		known := b.sides[i].settled
		for _, of := range known[max(0, len(known)-mostSettled):] {
			list = append(list, of...)
		}
		for _, entries := range b.open {
			if entries[0].at < now {
				list = append(list, stretches(entries, i, now, true)...)
			}
		}
		list = append(list, reading{value: unit, weight: doubt * one})
		c.stretch[i] = newCurve(list).nearest(b.sides[i].level)
	}
	return c
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
