package buildstudy

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The size of the study.
const (
	Records       = 200
	Subscriptions = 12
	Regions       = 20
	Days          = 90
)

// start is a Monday at midnight.
var start = fleet.InstantOf(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))

// typical is how long the steps take in the middle.
var typical = map[fleet.Step]time.Duration{
	fleet.StepCheckin: time.Minute, fleet.StepPipeline: 50 * time.Minute, fleet.StepScaleSets: 35 * time.Minute, fleet.StepJoin: 12 * time.Minute,
	fleet.StepValidation: 100 * time.Minute, fleet.StepServices: 15 * time.Minute, fleet.StepTeardown: 20 * time.Minute,
}

// cluster is one cluster as it is drawn.
type cluster struct {
	record  fleet.ClusterRecord
	entered fleet.Instant
	grant   time.Duration // from its entry until the cloud grants what it needs
	faults  []fault
}

// fault is one operation that goes wrong.
type fault struct {
	step fleet.Step
	simulated.Fault
}

// lognormal draws around a median.
func lognormal(draw *rand.Rand, median time.Duration, spread float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(spread*draw.NormFloat64()))
}

// of is a source of chance that is always the same for a name.
func of(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// drawn are the clusters of a seed, in order of entry.
func drawn(seed uint64) []cluster {
	draw, list := of(seed, "records"), make([]cluster, Records)
	at := start
	for i := range list {
		at = at.Add(time.Duration(draw.ExpFloat64() * float64(60*24*time.Hour) / Records))
		c := cluster{entered: working(at), grant: lognormal(draw, 4*24*time.Hour, 0.9)}
		blueprint := "nd"
		if draw.IntN(2) == 0 {
			blueprint = "nd-inventory"
		}
		c.record = fleet.ClusterRecord{
			Name: fmt.Sprintf("c%03d", i), Subscription: fmt.Sprintf("s%02d", draw.IntN(Subscriptions)), Region: fmt.Sprintf("r%02d", draw.IntN(Regions)),
			GPU: "h200", Priority: fleet.Priority(1 + draw.IntN(3)), Blueprint: blueprint,
			Islands: []fleet.RecordIsland{{Name: "a", Nodes: 4 + draw.IntN(29)}, {Name: "b", Nodes: 4 + draw.IntN(29)}},
		}
		c.faults = faults(draw)
		list[i] = c
	}
	return list
}

// faults are what goes wrong with a cluster: one in three has something.
func faults(draw *rand.Rand) (list []fault) {
	steps := []fleet.Step{fleet.StepPipeline, fleet.StepPipeline, fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices}
	for draw.IntN(3) == 0 {
		f := fault{step: steps[draw.IntN(len(steps))], Fault: simulated.Fault{Outcome: simulated.Failed, Class: fleet.ErrorRetry, Error: "drawn", Times: 1 + draw.IntN(2)}}
		switch draw.IntN(8) {
		case 0:
			f.Class, f.Times = fleet.ErrorPerson, 1
		case 1:
			f.Class, f.Times = fleet.ErrorFix, 1
		case 2:
			f.Outcome, f.Class, f.Error = simulated.Throttled, fleet.ErrorWait, "AllocationFailed"
			f.Times, f.Takes = 1, lognormal(draw, 6*time.Hour, 0.8)
		}
		list = append(list, f)
	}
	return list
}

// takes is how long one try of a step takes.
func takes(seed uint64, cluster string, step fleet.Step, attempt int) time.Duration {
	return lognormal(of(seed, fmt.Sprint(cluster, step, attempt)), typical[step], 0.35)
}

// reply is how long a person takes, in working time, from when they are told.
func reply(seed uint64, cluster, about string) time.Duration {
	return lognormal(of(seed, cluster+about), 90*time.Minute, 0.8)
}

// The working day.
const (
	opens  = 9 * time.Hour
	closes = 18 * time.Hour
	look   = 10 * time.Hour // when people look who look once a day
)

// working is the first working moment from a moment on.
func working(at fleet.Instant) fleet.Instant {
	for {
		day, hour := clock(at)
		switch {
		case day == time.Saturday || day == time.Sunday || hour >= closes:
			at = at.Add(24*time.Hour - hour + opens)
		case hour < opens:
			return at.Add(opens - hour)
		default:
			return at
		}
	}
}

// after is a moment some working time later.
func after(at fleet.Instant, d time.Duration) fleet.Instant {
	at = working(at)
	for {
		_, hour := clock(at)
		left := closes - hour
		if d <= left {
			return at.Add(d)
		}
		d -= left
		at = working(at.Add(left))
	}
}

// daily is the next moment at which people look who look once a working day.
func daily(at fleet.Instant) fleet.Instant {
	for {
		day, hour := clock(at)
		switch {
		case hour > look:
			at = at.Add(24*time.Hour - hour)
		case day == time.Saturday || day == time.Sunday:
			at = at.Add(24 * time.Hour)
		default:
			return at.Add(look - hour)
		}
	}
}

func clock(at fleet.Instant) (time.Weekday, time.Duration) {
	t := at.Time().UTC()
	return t.Weekday(), t.Sub(t.Truncate(24 * time.Hour))
}
