package past

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Waited is how much work of one quota waited in one week for one reason.
type Waited struct {
	Week    int64  // its Monday, in milliseconds; the first day of the month for what is older than two years
	Cluster string // that the reason is about; "": none
	Quota   string // that the work targets, or "flex"
	Code    string // of the first blocker, such as QuotaFull
	Part    string // what the work lacks: see reason.Part
	GPUs    int64  // that the work needs × milliseconds
}

// Waiting lists what work waited for, week by week: of one cluster and of the quotas under
// one, or of all for "".
func (b *Book) Waiting(cluster, quota string, w Window, now int64) []Waited {
	var list []Waited
	for _, key := range slices.Sorted(maps.Keys(b.Waited)) {
		of := waitedOf(key)
		if cluster != "" && of.Cluster != cluster || !under(of.Quota, quota) {
			continue
		}
		weeks := b.Waited[key].weeks(w, now)
		for _, week := range slices.Sorted(maps.Keys(weeks)) {
			if of.Week, of.GPUs = week, weeks[week]; of.GPUs != 0 {
				list = append(list, of)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Waited) int { return cmp.Compare(x.Week, y.Week) })
	return list
}

// waitedOf reads the key of a meter of waiting, as waitKey writes it.
func waitedOf(key string) Waited {
	parts := strings.Split(key, " ")
	return Waited{Cluster: parts[0], Quota: parts[1], Code: parts[2], Part: parts[3]}
}

// weeks sums the first figure of a meter by week: months that are kept whole by their first
// day, days by their Monday, and what stands now up to the end of the window.
func (m *Meter) weeks(w Window, now int64) map[int64]int64 {
	sums := map[int64]int64{}
	first, last := m.ByMonth.within(w.From, w.To, nextMonth)
	for i := first; i < last; i++ {
		sums[m.ByMonth.From[i]] += m.ByMonth.sums(i)[0]
	}
	first, last = m.ByDay.within(w.From, w.To, nextDay)
	for i := first; i < last; i++ {
		sums[startOfWeek(m.ByDay.From[i])] += m.ByDay.sums(i)[0]
	}
	for at, end := max(w.From, m.At), min(w.To, now); at < end && m.Now[0] != 0; {
		next := min(end, startOfWeek(at)+7*day)
		sums[startOfWeek(at)] += m.Now[0] * (next - at)
		at = next
	}
	return sums
}
