package past

import (
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
	case ByFleet:
	}
	return "fleet"
}

// ended is the episodes that ended in [from, to), which are kept in order of their end.
func (b *Book) ended(from, to int64) []Episode {
	first := sort.Search(len(b.Episodes), func(i int) bool { return b.Episodes[i].To >= from })
	last := sort.Search(len(b.Episodes), func(i int) bool { return b.Episodes[i].To >= to })
	return b.Episodes[min(first, last):last]
}
