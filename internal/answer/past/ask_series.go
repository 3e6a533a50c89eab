package past

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// QuotaMean is what a quota had and used over a stretch of time, on average, in GPUs.
type QuotaMean struct{ Assigned, Backed, Usage int }

// QuotaMeans is what a quota, with those under it, had and used in a partition on
// average in each of some windows. now is the moment of the question.
func (b *Book) QuotaMeans(partition, path string, windows []Window, now int64) []QuotaMean {
	var meters []*Meter
	for key, m := range b.Quotas { // they are summed: the order does not matter
		if id, quota := cut(key); id == partition && under(quota, path) {
			meters = append(meters, m)
		}
	}
	list := make([]QuotaMean, len(windows))
	for i, w := range windows {
		list[i] = b.meanOf(meters, w, now)
	}
	return list
}

func (b *Book) meanOf(meters []*Meter, w Window, now int64) QuotaMean {
	var sums [quotaFigures]int64
	length := int64(0)
	for _, m := range meters {
		v, begin, end := m.over(w.From, w.To, now)
		for i := range sums {
			sums[i] += v[i]
		}
		length = max(length, b.lived(begin, end))
	}
	if length == 0 {
		return QuotaMean{}
	}
	near := func(sum int64) int { return int((sum + length/2) / length) }
	return QuotaMean{near(sums[QuotaAssigned]), near(sums[QuotaBacked]), near(sums[QuotaUsage])}
}

// QuotaPartitions are the partitions in which a quota, or one under it, ever had
// or used anything.
func (b *Book) QuotaPartitions(path string) []string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(b.Quotas)) {
		if id, quota, _ := strings.Cut(key, " "); under(quota, path) && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// Curve is how long nodes stayed out that failed by one cause.
type Curve struct {
	Cause    string
	Failures int
	Open     int // still out
	Steps    []CurveStep
}

// CurveStep says that after so long this share of the nodes is still out.
type CurveStep struct {
	After int64
	Out   float64
}

// Survival is the survival curves of failures that began in the window, the cause
// with most of them first: the product-limit estimate of Kaplan and Meier (1958).
// A node that is still out, or failed again in its probation, counts for as long
// as it is known.
func (b *Book) Survival(scope string, w Window, now int64) []Curve {
	of := map[string][]life{}
	add := func(e Episode, over bool) {
		if e.Failure() && !e.Gone && e.From >= w.From && e.From < w.To && under(e.Partition+"/"+e.Island, scope) {
			over = over && e.To <= w.To
			of[e.Cause] = append(of[e.Cause], life{min(e.To, w.To) - e.From, over && !e.Relapse})
		}
	}
	for _, e := range b.Episodes {
		add(e, true)
	}
	for _, n := range b.Nodes { // they are sorted below: the order does not matter
		if n.Open != nil {
			add(n.so(now), false)
		}
	}
	list := make([]Curve, 0, len(of))
	for _, cause := range slices.Sorted(maps.Keys(of)) {
		list = append(list, curveOf(cause, of[cause]))
	}
	slices.SortStableFunc(list, func(x, y Curve) int { return cmp.Compare(y.Failures, x.Failures) })
	return list
}

// life is how long a node was out, and whether that was its end.
type life struct {
	lasted int64
	over   bool
}

func curveOf(cause string, lives []life) Curve {
	slices.SortFunc(lives, func(x, y life) int { return cmp.Or(cmp.Compare(x.lasted, y.lasted), order(y.over, x.over)) })
	c := Curve{Cause: cause, Failures: len(lives)}
	out := 1.0
	for i, l := range lives {
		if !l.over {
			c.Open++
			continue
		}
		left := len(lives) - i
		out *= float64(left-1) / float64(left)
		if n := len(c.Steps); n > 0 && c.Steps[n-1].After == l.lasted {
			c.Steps[n-1].Out = out
			continue
		}
		c.Steps = append(c.Steps, CurveStep{l.lasted, out})
	}
	if n := len(lives); n > 0 && (len(c.Steps) == 0 || c.Steps[len(c.Steps)-1].After < lives[n-1].lasted) {
		c.Steps = append(c.Steps, CurveStep{lives[n-1].lasted, out})
	}
	return c
}

func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
