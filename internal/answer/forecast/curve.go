package forecast

import "sort"

// whole is a probability of one: probabilities are integers, so that the same
// input gives the same bytes on every machine.
const whole = 1 << 30

// reading is one measurement of something that takes its time: how long it
// took, or, where it is still open, how long it has taken so far.
type reading struct {
	value  int64
	open   bool
	weight int64 // 0 means 1; all weights of a curve together stay below 1<<32
}

// curve is a distribution learned from readings of which some are still open: the
// product-limit estimate (Kaplan and Meier 1958). Leaving the open ones out would
// favour what is over quickly.
type curve struct {
	at   []int64 // values that were seen, in order
	left []int64 // probability, of whole, that a value is above the one of at
}

func newCurve(readings []reading) curve {
	sorted := append([]reading(nil), readings...)
	sort.Slice(sorted, func(i, j int) bool {
		if sorted[i].value != sorted[j].value {
			return sorted[i].value < sorted[j].value
		}
		return !sorted[i].open && sorted[j].open // who ended at a value was open until then
	})
	var c curve
	left, rest := int64(whole), int64(0)
	for _, r := range sorted {
		rest += max(1, r.weight)
	}
	for i := 0; i < len(sorted); {
		value, ended, among := sorted[i].value, int64(0), rest
		for ; i < len(sorted) && sorted[i].value == value; i++ {
			weight := max(1, sorted[i].weight)
			rest -= weight
			if !sorted[i].open {
				ended += weight
			}
		}
		if ended > 0 {
			left = left * (among - ended) / among
			c.at, c.left = append(c.at, value), append(c.left, left)
		}
	}
	return c
}

// above is the probability of a value above this one.
func (c curve) above(value int64) int64 {
	i := sort.Search(len(c.at), func(i int) bool { return c.at[i] > value })
	if i == 0 {
		return whole
	}
	return c.left[i-1]
}

// quantile is the least value that is not exceeded with probability p; ok is
// false if none that was seen is.
func (c curve) quantile(p int64) (value int64, ok bool) {
	i := sort.Search(len(c.left), func(i int) bool { return c.left[i] <= whole-p })
	if i == len(c.at) {
		return 0, false
	}
	return c.at[i], true
}

// beyond is the quantile among the values above one that has been reached.
func (c curve) beyond(reached, p int64) (value int64, ok bool) {
	above := c.above(reached)
	if above == 0 {
		return 0, false
	}
	return c.quantile(whole - above + p*above/whole)
}

// nearest is the quantile, or the largest value that was seen where that is not known. The
// curve must have one.
func (c curve) nearest(p int64) int64 {
	if v, ok := c.quantile(p); ok {
		return v
	}
	return c.at[len(c.at)-1]
}
