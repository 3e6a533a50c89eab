package bench

import (
	"cmp"
	"slices"
	"time"
)

// laps are how long things of one kind took.
type laps []lap

// at is the time that so many in a hundred did not exceed, on the wall and of the
// processor each by itself.
func (l laps) at(percent int) lap {
	return lap{
		percentile(l, percent, func(x lap) time.Duration { return x.wall }),
		percentile(l, percent, func(x lap) time.Duration { return x.work }),
	}
}

func percentile(l laps, percent int, of func(lap) time.Duration) time.Duration {
	if len(l) == 0 {
		return 0
	}
	sorted := slices.SortedFunc(slices.Values(l), func(a, b lap) int { return cmp.Compare(of(a), of(b)) })
	return of(sorted[min(len(sorted)-1, len(sorted)*percent/100)])
}

// spread adds how long things of one kind took; aim 0: none.
func (r *Report) spread(name string, l laps, aim time.Duration) {
	if len(l) == 0 {
		return
	}
	for _, percent := range []int{50, 99, 100} {
		word := map[int]string{50: "p50", 99: "p99", 100: "max"}[percent]
		took := l.at(percent)
		f := Figure{Name: name + ", " + word, Value: ms(took.wall), Unit: "ms"}
		if percent == 99 && aim > 0 {
			f = aimed(f, "≤ "+aim.String(), took.wall <= aim)
		}
		r.add(f)
	}
	if work := l.at(99).work; work > 0 {
		r.add(Figure{Name: "… processor time of it, p99", Value: ms(work), Unit: "ms"})
	}
}
