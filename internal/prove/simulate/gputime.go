package simulate

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// GPUTime is an amount of GPU-time, exactly: sums and differences of what was
// held come out even, which sums of fractions of an hour do not.
type GPUTime struct {
	seconds int64 // GPU-seconds
	nanos   int64 // of one GPU, 0 to 999,999,999 more
}

// gpuTimeOf is so many GPUs for so long.
func gpuTimeOf(gpus int, d time.Duration) GPUTime {
	n := int64(gpus)
	return GPUTime{n * int64(d/time.Second), n * int64(d%time.Second)}.even()
}

func (g GPUTime) even() GPUTime {
	carry := g.nanos / int64(time.Second)
	if g.nanos%int64(time.Second) < 0 {
		carry--
	}
	return GPUTime{g.seconds + carry, g.nanos - carry*int64(time.Second)}
}

func (g GPUTime) plus(o GPUTime) GPUTime {
	return GPUTime{g.seconds + o.seconds, g.nanos + o.nanos}.even()
}

func (g GPUTime) minus(o GPUTime) GPUTime {
	return GPUTime{g.seconds - o.seconds, g.nanos - o.nanos}.even()
}

// Hours is the amount in GPU-hours.
func (g GPUTime) Hours() float64 { return (float64(g.seconds) + float64(g.nanos)/1e9) / 3600 }

func (g GPUTime) String() string { return fmt.Sprintf("%.3f GPU-hours", g.Hours()) }

// MarshalJSON writes GPU-hours, to the thousandth.
func (g GPUTime) MarshalJSON() ([]byte, error) {
	return json.Marshal(math.Round(g.Hours()*1000) / 1000)
}
