package gate

import (
	"math"
	"runtime/metrics"
	"testing"
	"time"
)

// The less of what could go on does so at once, the less is spared for one caller.
func TestLittleIsSparedUnderStrain(t *testing.T) {
	bounds := []float64{0, 0.0002, 0.001, 0.1, math.Inf(1)}
	before := []uint64{1000, 0, 0, 1000}
	for _, one := range []struct {
		what   string
		counts []uint64
		late   time.Duration
		spared float64
	}{
		{"nothing waited", []uint64{1000, 0, 0, 1000}, 0, 1},
		{"all went on at once", []uint64{1100, 0, 0, 1000}, 200 * time.Microsecond, 1},
		{"one in twenty waited", []uint64{1095, 0, 5, 1000}, 200 * time.Microsecond, 1},
		{"one in five waited a little", []uint64{1080, 20, 0, 1000}, time.Millisecond, 0.5},
		{"one in five waited long", []uint64{1080, 0, 20, 1000}, 100 * time.Millisecond, leastSpare},
		{"beyond the last bound", []uint64{1000, 0, 0, 1100}, 100 * time.Millisecond, leastSpare},
	} {
		late := lateness(&metrics.Float64Histogram{Counts: one.counts, Buckets: bounds}, before)
		if late != one.late || spared(late) != one.spared {
			t.Errorf("%s: %v late, %.2f is spared", one.what, late, spared(late))
		}
	}
	if got := Spare(); got < leastSpare || got > 1 {
		t.Errorf("%.2f is spared now", got)
	}
}
