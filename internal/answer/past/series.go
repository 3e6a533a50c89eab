package past

import (
	"slices"
	"sort"
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

// Bucket is the sums of one hour, day or month, from its beginning.
type Bucket struct {
	From int64
	V    []int64
}

// Series is sums over time in columns, the finer the younger. Buckets without
// anything in them are left out.
type Series struct {
	Width  int
	Coarse bool  // no hours: sums begin as days
	Peaks  []int // columns that keep the highest instead of the sum
	Hours  []Bucket
	Days   []Bucket
	Months []Bucket
}

// add puts a value into a column at a moment. Moments never go back.
func (s *Series) add(at int64, column int, v int64) {
	if v == 0 {
		return
	}
	s.fold(s.bucket(at).V, column, v)
}

func (s *Series) fold(into []int64, column int, v int64) {
	if slices.Contains(s.Peaks, column) {
		into[column] = max(into[column], v)
		return
	}
	into[column] += v
}

// bucket is the youngest bucket, which at belongs to; a new one where it is over.
func (s *Series) bucket(at int64) *Bucket {
	list, from := &s.Hours, at-mod(at, hour)
	if s.Coarse {
		list, from = &s.Days, at-mod(at, day)
	}
	if n := len(*list); n == 0 || (*list)[n-1].From < from {
		*list = append(*list, Bucket{from, make([]int64, s.Width)})
		s.roll(from)
	}
	return &(*list)[len(*list)-1]
}

// roll takes what is old over into a coarser grain, in whole days and whole months.
func (s *Series) roll(now int64) {
	for len(s.Hours) > 0 && startOfDay(s.Hours[0].From)+day <= now-KeepHours {
		s.Hours = s.merge(&s.Days, s.Hours, startOfDay)
	}
	for len(s.Days) > 0 && nextMonth(s.Days[0].From) <= now-KeepDays {
		s.Days = s.merge(&s.Months, s.Days, startOfMonth)
	}
}

// merge adds the first buckets of fine, as many as belong together, to coarse.
func (s *Series) merge(coarse *[]Bucket, fine []Bucket, start func(int64) int64) []Bucket {
	from := start(fine[0].From)
	sum := Bucket{from, make([]int64, s.Width)}
	n := 0
	for ; n < len(fine) && start(fine[n].From) == from; n++ {
		s.merged(sum.V, fine[n].V)
	}
	*coarse = append(*coarse, sum)
	return slices.Clone(fine[n:]) // the buckets that are gone shall not stay in memory
}

// window is the sums of all buckets that touch [from, to), and where the first
// and the last of them begin and end: to within an hour, a day or a month.
func (s *Series) window(from, to int64) (v []int64, begin, end int64) {
	v, begin, end = make([]int64, s.Width), to, from
	for _, grain := range []struct {
		list []Bucket
		next func(int64) int64
	}{{s.Months, nextMonth}, {s.Days, nextDay}, {s.Hours, nextHour}} {
		list := within(grain.list, from, to, grain.next)
		if len(list) == 0 {
			continue
		}
		begin, end = min(begin, list[0].From), max(end, grain.next(list[len(list)-1].From))
		for _, b := range list {
			s.merged(v, b.V)
		}
	}
	return v, begin, end
}

// within is the buckets that touch [from, to).
func within(list []Bucket, from, to int64, next func(int64) int64) []Bucket {
	first := sort.Search(len(list), func(i int) bool { return next(list[i].From) > from })
	last := sort.Search(len(list), func(i int) bool { return list[i].From >= to })
	return list[min(first, last):last]
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
