package past

import (
	"slices"
	"sort"
	"strings"
)

// Window is a stretch of time that a question is about, in milliseconds, the end
// not in it. What is answered covers whole hours, days or months: the Covered
// window of an answer says from when to when.
type Window struct{ From, To int64 }

// Hours is GPUs × milliseconds in GPU-hours (or nodes × milliseconds in node-hours).
func Hours(sum int64) float64 { return float64(sum) / float64(hour) }

// Days is the same in days.
func Days(sum int64) float64 { return float64(sum) / float64(day) }

// under says whether a scope (a cluster, partition or island; "" is all) holds
// what has this path.
func under(path, scope string) bool {
	return scope == "" || path == scope || strings.HasPrefix(path, scope+"/")
}

// Level is what an answer is summed by.
type Level string

// The levels.
const (
	ByFleet     Level = "fleet"
	ByCluster   Level = "cluster"
	ByPartition Level = "partition"
	ByIsland    Level = "island"
)

// Of is the part of a path (cluster/gpu/island) that a level names.
func (l Level) Of(path string) string {
	parts := strings.SplitN(path, "/", 3)
	switch l {
	case ByCluster:
		return parts[0]
	case ByPartition:
		return strings.Join(parts[:min(2, len(parts))], "/")
	case ByIsland:
		return path
	}
	return "fleet"
}

// total adds up the columns of several meters over a window.
type total struct {
	v          []int64
	begin, end int64
}

func (b *Book) sum(t *total, m *Meter, w Window, now int64) {
	v, begin, end := m.over(w.From, w.To, now)
	if t.v == nil {
		t.v, t.begin, t.end = v, begin, end
		return
	}
	for i, x := range v {
		if slices.Contains(m.Peaks, i) {
			t.v[i] = max(t.v[i], x)
			continue
		}
		t.v[i] += x
	}
	t.begin, t.end = min(t.begin, begin), max(t.end, end)
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
