package simulated

import "time"

// FaultSettings says how often nodes fail, of what, and for how long.
type FaultSettings struct {
	Rate      float64 // faults per 1,000 node-days, those that recur included
	Shape     float64 // of the gamma distribution of the nodes' own rates; at least 1
	Lemons    float64 // share of nodes that fail LemonRate times as often
	LemonRate float64
	Recurs    float64 // share of faults after which the node fails again within a day of its return
	Causes    []Cause
	MaxDown   time.Duration
	Blips     float64       // per 1,000 node-days: suspect, and healthy again by itself
	BlipSpan  Spread        // how long a blip lasts
	Probation time.Duration // how long nodes stay in probation, as the fleet's policy says
}

// Cause is a kind of fault.
type Cause struct {
	Signal string
	Weight int           // share in all faults, relative to the others
	Median time.Duration // of the down time
	Sigma  float64       // of the down time's logarithm
}

const day = 24 * time.Hour

func days(n float64) time.Duration { return time.Duration(n * float64(day)) }

// MeasuredFaults are set after the faults of 400 GPU servers over 349 days at
// StepFun (InfiniteHBD, SIGCOMM 2025, arXiv 2502.03885; trace
// github.com/stepfun-ai/InfiniteHBD-Trace). There are 584 faults or 4.2 per 1,000
// node-days, 42 % of the servers have none and the worst has 14. One fault in
// five recurs within a day of the server's return, the causes' counts and
// median down times; over all causes half the faults last less than 0.85 days,
// one in ten more than 13, and none more than 131. The share of lemons (1 to 2 %
// of nodes) is that of Meta's research clusters (Kokolis et al., HPCA 2025,
// arXiv 2410.21680). Rates from 2.3 to 6.5 per 1,000 node-days are published for
// other fleets. The blips are a guess: no figures are published of faults that mend themselves.
func MeasuredFaults() FaultSettings {
	return FaultSettings{
		Rate: 4.2, Shape: 1.8, Lemons: 0.015, LemonRate: 5, Recurs: 0.2,
		Causes: []Cause{
			{"GPU", 158, days(0.71), 2.1},
			{"unknown error", 144, days(0.66), 2.1},
			{"stress test failure", 97, days(0.60), 2.1},
			{"parameter plane cable", 40, days(2.1), 1.6},
			{"fan", 33, days(3.1), 1.3},
			{"NIC", 30, days(0.53), 2.1},
			{"power supply", 26, days(15), 0.9},
			{"suspected by a training task", 14, days(0.66), 2.1},
			{"other", 42, days(0.85), 2.1},
		},
		MaxDown: 131 * day,
		Blips:   10, BlipSpan: Spread{Median: 2 * time.Minute, P99: 10 * time.Minute},
		Probation: day,
	}
}
