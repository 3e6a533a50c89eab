package simulated

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
)

// stream is the random numbers of one kind of thing: what is drawn for one thing
// does not depend on what was drawn for others, nor in which order.
func stream(seed uint64, kind string, of ...uint64) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(kind))
	var word [8]byte
	for _, x := range of {
		binary.LittleEndian.PutUint64(word[:], x)
		h.Write(word[:])
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// z99 is the 99th percentile of the standard normal distribution.
const z99 = 2.3263478740408408

func (s Spread) draw(r *rand.Rand) time.Duration {
	sigma := math.Log(float64(s.P99)/float64(s.Median)) / z99
	return lognormal(r, s.Median, sigma)
}

func lognormal(r *rand.Rand, median time.Duration, sigma float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(sigma*r.NormFloat64()))
}

// gamma draws from the gamma distribution with mean 1 (Marsaglia and Tsang 2000;
// shape must be at least 1).
func gamma(r *rand.Rand, shape float64) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		root := 1 + c*x
		v := root * root * root
		if v > 0 && math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v / shape
		}
	}
}
