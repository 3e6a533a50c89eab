package gate

import (
	"math"
	"runtime/metrics"
	"sync"
	"time"
)

// How long what could go on waits for the processor, at the 90th percentile of a second, until a
// server counts as strained, and how little is spared then.
const (
	strainEvery = 500 * time.Millisecond
	ease        = 500 * time.Microsecond
	leastSpare  = 0.25
	strainShare = 0.9
)

// latencies is how long goroutines that could run have waited until they did.
const latencies = "/sched/latencies:seconds"

// strain is what was found when it was looked last.
var strain struct {
	sync.Mutex
	at      time.Time
	counts  []uint64
	garbage garbage
	spare   float64
}

// Spare is how much of what callers have otherwise may be given to one of them now, 1 to 0.25: less
// while work that could go on waits for the processor. What the collection of garbage takes is taken off, too,
// for none of the calls that leave it counts it. It is measured twice a second at most.
func Spare() float64 {
	strain.Lock()
	defer strain.Unlock()
	if now := time.Now(); strain.spare == 0 || now.Sub(strain.at) > strainEvery {
		strain.at = now
		was, fresh := strain.counts, readLatencies()
		strain.counts = fresh.Counts
		strain.spare = max(leastSpare, spared(lateness(fresh, was))*(1-strain.garbage.takes(now, readCollected())))
	}
	return strain.spare
}

func readLatencies() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: latencies}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return &metrics.Float64Histogram{}
	}
	h := sample[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: append([]uint64(nil), h.Counts...), Buckets: h.Buckets}
}

// lateness is the wait at the 90th percentile of what was added to a histogram.
func lateness(h *metrics.Float64Histogram, was []uint64) time.Duration {
	added, all := make([]uint64, len(h.Counts)), uint64(0)
	for i, n := range h.Counts {
		if i < len(was) {
			n -= was[i]
		}
		added[i] = n
		all += n
	}
	seen := uint64(0)
	for i, n := range added {
		if seen += n; all > 0 && float64(seen) >= strainShare*float64(all) {
			return upTo(h.Buckets, i)
		}
	}
	return 0
}

// upTo is the upper bound of a bucket; of the last one, which has none, the lower.
func upTo(bounds []float64, i int) time.Duration {
	at := bounds[i+1]
	if math.IsInf(at, 1) {
		at = bounds[i]
	}
	return time.Duration(at * float64(time.Second))
}

// spared is what is spared at a lateness.
func spared(late time.Duration) float64 {
	if late <= ease {
		return 1
	}
	return max(leastSpare, float64(ease)/float64(late))
}
