package lategc

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Collect sets when garbage is collected from now on: when it is so many percent of what is in use, but not before
// the heap has at least so many bytes. A small heap is else collected many times a second, for a few megabytes.
// A set GOGC is left alone.
func Collect(percent int, least uint64) {
	if os.Getenv("GOGC") == "" {
		f := &floor{percent, least}
		inForce.Store(f)
		f.set()
	}
}

// floor is when garbage is collected.
type floor struct {
	percent int
	least   uint64
}

// inForce is what was asked for last.
var inForce atomic.Pointer[floor]

// set sets the percentage for the next collection, and comes back after it, unless something else was asked for since.
func (f *floor) set() {
	if inForce.Load() != f {
		return
	}
	if next := f.next(metric("/gc/heap/live:bytes")); next != int(metric("/gc/gogc:percent")) {
		debug.SetGCPercent(next)
	}
	if f.least > 0 { // else the percentage stays
		runtime.AddCleanup(new([16]byte), (*floor).set, f)
	}
}

// most is the highest percentage: what is in use may grow tenfold until the first look at it.
const most = 1000

// next is the percentage by which garbage is collected, where so many bytes are in use. It is one of a few, since to
// set another stops all goroutines for a moment.
func (f *floor) next(inUse uint64) int {
	next := f.percent
	for next < most && inUse+inUse*uint64(next)/100 < f.least {
		next += max(f.percent, 10)
	}
	return min(next, max(most, f.percent))
}

// metric is a figure of the runtime.
func metric(name string) uint64 {
	is := []metrics.Sample{{Name: name}}
	metrics.Read(is)
	return is[0].Value.Uint64()
}
