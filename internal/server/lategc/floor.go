package lategc

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Until Collect is called: the runtime's own percentage, and a floor under which most commands of muster end.
const (
	usual      = 100
	firstFloor = 16 << 20
)

var _ = begin()

// begin sets the first floor, and says whether it did. Nothing was collected yet, so that nothing counts as in use, and the
// figures of the runtime are not asked for: the first time that costs about 1 MB, which each start of a command would pay.
func begin() bool {
	if os.Getenv("GOGC") != "" {
		return false
	}
	f := &floor{usual, firstFloor}
	inForce.Store(f)
	debug.SetGCPercent(f.next(0))
	f.afterNext()
	return true
}

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
		f.afterNext()
	}
}

// afterNext has set run after the next collection.
func (f *floor) afterNext() { runtime.AddCleanup(new([16]byte), (*floor).set, f) }

// most is the highest percentage: what is in use may grow tenfold until the first look at it.
const most = 1000

// heapMin is the size at which the runtime collects the smallest heap at 100 %. It grows with the percentage.
const heapMin = 4 << 20

// next is the percentage by which garbage is collected, where so many bytes are in use. It is one of a few, since to
// set another stops all goroutines for a moment.
func (f *floor) next(inUse uint64) int {
	next := f.percent
	for next < most && collectedAt(inUse, next) < f.least {
		next += max(f.percent, 10)
	}
	return min(next, max(most, f.percent))
}

// collectedAt is the size of the heap at which a percentage has it collected.
func collectedAt(inUse uint64, percent int) uint64 {
	return max(inUse+inUse*uint64(percent)/100, heapMin*uint64(percent)/100)
}

// metric is a figure of the runtime.
func metric(name string) uint64 {
	is := []metrics.Sample{{Name: name}}
	metrics.Read(is)
	return is[0].Value.Uint64()
}
