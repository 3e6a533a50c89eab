package past

import (
	"slices"
	"time"
)

// Moments are milliseconds here, since 1970 in UTC: GPUs × milliseconds of a
// large fleet fit an int64 for thousands of years, GPUs × nanoseconds do not.
// A record's moment is cut to the millisecond before anything is summed, so no
// sum loses anything to rounding.
const (
	hour = int64(time.Hour / time.Millisecond)
	day  = 24 * hour
)

// How long sums are kept in which grain. Months are kept for ever.
const (
	KeepHours = 35 * day
	KeepDays  = 731 * day
)

// Series is sums over time in columns, the finer the younger. Buckets without
// anything in them are left out.
type Series struct {
	Width   int
	Coarse  bool  // no hours: sums begin as days
	Peaks   []int // columns that keep the highest instead of the sum
	ByHour  Grain
	ByDay   Grain
	ByMonth Grain
}

// add puts a value into a column at a moment. Moments never go back.
func (s *Series) add(at int64, column int, v int64) {
	if v == 0 {
		return
	}
	s.fold(s.bucket(at), column, v)
}

func (s *Series) fold(into []int64, column int, v int64) {
	if slices.Contains(s.Peaks, column) {
		into[column] = max(into[column], v)
		return
	}
	into[column] += v
}

// bucket is the sums of the youngest bucket, which at belongs to; a new one where it is over.
func (s *Series) bucket(at int64) []int64 {
	grain, from := &s.ByHour, at-mod(at, hour)
	if s.Coarse {
		grain, from = &s.ByDay, at-mod(at, day)
	}
	if grain.len() == 0 || grain.last() < from {
		grain.grow(from, s.Width)
		s.roll(from)
	}
	return grain.sums(grain.len() - 1)
}

// roll takes what is old over into a coarser grain, in whole days and whole months.
func (s *Series) roll(now int64) {
	for s.ByHour.len() > 0 && startOfDay(s.ByHour.From[0])+day <= now-KeepHours {
		s.merge(&s.ByDay, &s.ByHour, startOfDay)
	}
	for s.ByDay.len() > 0 && nextMonth(s.ByDay.From[0]) <= now-KeepDays {
		s.merge(&s.ByMonth, &s.ByDay, startOfMonth)
	}
}

// merge moves the first buckets of fine, as many as belong together, into one of coarse.
func (s *Series) merge(coarse, fine *Grain, start func(int64) int64) {
	from := start(fine.From[0])
	sum := coarse.grow(from, s.Width)
	n := 0
	for ; n < fine.len() && start(fine.From[n]) == from; n++ {
		s.merged(sum, fine.sums(n))
	}
	fine.drop(n)
}

// window is the sums of all buckets that touch [from, to), and where the first
// and the last of them begin and end: to within an hour, a day or a month.
func (s *Series) window(from, to int64) (v []int64, begin, end int64) {
	v, begin, end = make([]int64, s.Width), to, from
	for _, of := range []struct {
		grain *Grain
		next  func(int64) int64
	}{{&s.ByMonth, nextMonth}, {&s.ByDay, nextDay}, {&s.ByHour, nextHour}} {
		first, last := of.grain.within(from, to, of.next)
		if first == last {
			continue
		}
		begin, end = min(begin, of.grain.From[first]), max(end, of.next(of.grain.From[last-1]))
		for i := first; i < last; i++ {
			s.merged(v, of.grain.sums(i))
		}
	}
	return v, begin, end
}

// merged adds a bucket's values to others.
func (s *Series) merged(into, v []int64) {
	if len(s.Peaks) == 0 {
		for column, x := range v {
			into[column] += x
		}
		return
	}
	for column, x := range v {
		s.fold(into, column, x)
	}
}

func mod(a, b int64) int64 { return ((a % b) + b) % b }

func startOfDay(at int64) int64 { return at - mod(at, day) }
func nextHour(from int64) int64 { return from + hour }
func nextDay(from int64) int64  { return from + day }

func startOfMonth(at int64) int64 {
	t := time.UnixMilli(at).UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}

func nextMonth(at int64) int64 {
	return time.UnixMilli(startOfMonth(at)).UTC().AddDate(0, 1, 0).UnixMilli()
}

// startOfWeek is the Monday of a moment's week, at midnight in UTC.
func startOfWeek(at int64) int64 {
	const monday = 4 * day // 5 January 1970
	return at - mod(at-monday, 7*day)
}
