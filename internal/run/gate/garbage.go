package gate

import (
	"runtime/metrics"
	"time"
)

// How long garbage has been collected, and how long all else was done, in seconds of a processor. Go counts both at
// the end of each collection.
const (
	collectedFor = "/cpu/classes/gc/total:cpu-seconds"
	workedOn     = "/cpu/classes/user:cpu-seconds"
)

// longAgo is for how long it matters how much the last collections took.
const longAgo = 10 * time.Second

// garbage is how much of the processor its collection takes.
type garbage struct {
	last  collected
	at    time.Time // when a collection was seen to have ended
	share float64   // of what was done since the one before
}

// collected is how much was done so far.
type collected struct{ collecting, working float64 }

func readCollected() collected {
	samples := []metrics.Sample{{Name: collectedFor}, {Name: workedOn}}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() != metrics.KindFloat64 {
			return collected{}
		}
	}
	return collected{samples[0].Value.Float64(), samples[1].Value.Float64()}
}

// takes is the part of all that is done that the collection of garbage takes, 0 to 1.
func (g *garbage) takes(now time.Time, is collected) float64 {
	collecting, working := is.collecting-g.last.collecting, is.working-g.last.working
	switch {
	case collecting > 0:
		g.last, g.at, g.share = is, now, collecting/(collecting+max(0, working))
	case now.Sub(g.at) > longAgo:
		g.share = 0
	}
	return g.share
}
