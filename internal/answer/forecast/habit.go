package forecast

import (
	"math/bits"
	"time"
)

// habit is which part of the declared maximum a kind of work uses. Who declares
// much tends to use less of it, so the readings are kept by the length declared.
type habit struct {
	byLength [lengthsKept][]reading
	learned  [lengthsKept]curve
	ended    int
}

// A length's class is the power of two that it is below, from a second up to 68 years.
const lengthsKept = 32

func lengthClass(most time.Duration) int {
	return min(bits.Len64(uint64(most/time.Second)), lengthsKept-1)
}

// What counts as experience, in workloads that have ended.
const (
	fewest = 20 // make a habit one of its own
	enough = 60 // are taken together for one length: those closest to it
	prior  = 4  // readings, beside the real ones, of work that uses all it declared
)

// unit is all of a declared maximum run time; shares of it are counted in it.
const unit = 10_000

func (h *habit) add(most time.Duration, r reading) {
	class := lengthClass(most)
	h.byLength[class] = append(h.byLength[class], r)
	if !r.open {
		h.ended++
	}
}

// learn draws the curves. Where nothing was seen, the declaration is all that is
// known: work uses all of it.
func (h *habit) learn() {
	for class := range h.learned {
		list := h.around(class)
		for range prior {
			list = append(list, reading{value: unit})
		}
		h.learned[class] = newCurve(list)
	}
}

// around is the readings of the classes closest to one, until there are enough.
func (h *habit) around(class int) []reading {
	var list []reading
	ended := 0
	take := func(c int) {
		if c < 0 || c >= lengthsKept {
			return
		}
		for _, r := range h.byLength[c] {
			if list = append(list, r); !r.open {
				ended++
			}
		}
	}
	take(class)
	for far := 1; ended < enough && far < lengthsKept; far++ {
		take(class - far)
		take(class + far)
	}
	return list
}

// share is a time as a part of the declared maximum, in units.
func share(ran, most time.Duration) int64 {
	ran = min(max(0, ran), 1<<59) // 18 years
	if most > 1<<40 {             // about 18 minutes: multiples of a microsecond are exact enough, and cannot overflow
		return int64(ran/1024) * unit / int64(most/1024)
	}
	return int64(min(ran, 1<<48)) * unit / int64(most)
}

// scale is this many units of a time, and at most 146 years.
func scale(d time.Duration, units int64) time.Duration {
	units = min(units, 1<<62/int64(d/unit+1))
	return d/unit*time.Duration(units) + d%unit*time.Duration(units)/unit
}
