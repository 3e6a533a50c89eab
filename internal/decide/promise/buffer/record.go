package buffer

import "math"

// wary is how long a miss is remembered as such, in hours.
const wary = 28 * 24

// record judges a forecast's own promises by the hours that follow, and says how
// wary to be. What history shows is a bound learned from few events. Where one event
// passed it, the next is likely to pass it again, and by as much. So the most that a
// promise missed by is held back besides, for a time.
type record struct {
	horizon int
	hours   int
	open    []outstanding // promises that are not judged yet, oldest first
	worst   int           // no open promise that stands holds back fewer nodes
	misses  []missed      // within wary, ever smaller
}

// outstanding is a promise under way.
type outstanding struct {
	held   int32
	broken bool
}

// missed is by how many nodes a promise was broken.
type missed struct{ at, by int }

func newRecord(horizon int) record { return record{horizon: horizon, worst: math.MaxInt} }

// margin is how many nodes recent misses add to a forecast.
func (r *record) margin() int {
	if len(r.misses) == 0 {
		return 0
	}
	return r.misses[0].by
}

// take makes a promise that holds back so many nodes at the beginning of an hour,
// judges those under way by the hour's peak, and tells how each comes out.
func (r *record) take(held, peak int, judged func(missed float64)) {
	r.open = append(r.open, outstanding{held: int32(held)})
	r.worst = min(r.worst, held)
	r.breakUnder(peak, judged)
	r.hours++
	for len(r.misses) > 0 && r.misses[0].at+wary <= r.hours {
		r.misses = r.misses[1:]
	}
	if len(r.open) > r.horizon {
		if !r.open[0].broken {
			judged(0)
		}
		r.open = r.open[1:]
	}
}

// breakUnder marks the promises that a peak breaks.
func (r *record) breakUnder(peak int, judged func(missed float64)) {
	if peak <= r.worst {
		return
	}
	r.miss(peak - r.worst)
	r.worst = math.MaxInt
	for i := range r.open {
		o := &r.open[i]
		if !o.broken && peak > int(o.held) {
			o.broken = true
			judged(1)
		}
		if !o.broken {
			r.worst = min(r.worst, int(o.held))
		}
	}
}

// miss remembers a miss; larger ones outlast smaller ones before them.
func (r *record) miss(by int) {
	for n := len(r.misses); n > 0 && r.misses[n-1].by <= by; n-- {
		r.misses = r.misses[:n-1]
	}
	r.misses = append(r.misses, missed{r.hours, by})
}
