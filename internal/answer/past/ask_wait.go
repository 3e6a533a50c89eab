package past

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Waited is GPUs × time that work of one quota waited in one week for one reason.
type Waited struct {
	Week           int64 // its Monday; of what is older than two years, the month's first day
	Cluster, Quota string
	Code, Part     string
	GPUs           int64
}

// Waiting lists who waited for what, week by week.
func (b *Book) Waiting(cluster, quota string, w Window, now int64) []Waited {
	var list []Waited
	for _, key := range slices.Sorted(maps.Keys(b.Waited)) {
		p := strings.Split(key, " ")
		if cluster != "" && p[0] != cluster || !under(p[1], quota) {
			continue
		}
		weeks := b.Waited[key].weeks(w, now)
		for _, week := range slices.Sorted(maps.Keys(weeks)) {
			if weeks[week] != 0 {
				list = append(list, Waited{Week: week, Cluster: p[0], Quota: p[1], Code: p[2], Part: p[3], GPUs: weeks[week]})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Waited) int { return cmp.Compare(x.Week, y.Week) })
	return list
}

// weeks is the first column of a meter by week.
func (m *Meter) weeks(w Window, now int64) map[int64]int64 {
	sums := map[int64]int64{}
	for _, b := range m.Months {
		if b.From < w.To && nextMonth(b.From) > w.From {
			sums[b.From] += b.V[0]
		}
	}
	for _, b := range m.Days {
		if b.From < w.To && nextDay(b.From) > w.From {
			sums[startOfWeek(b.From)] += b.V[0]
		}
	}
	for at, end := max(w.From, m.At), min(w.To, now); at < end && m.Now[0] != 0; {
		next := min(end, startOfWeek(at)+7*day)
		sums[startOfWeek(at)] += m.Now[0] * (next - at)
		at = next
	}
	return sums
}
