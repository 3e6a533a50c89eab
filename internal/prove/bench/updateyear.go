package bench

import (
	pile "container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// updateYear is a year of a fleet to which updates are brought in some way.
type updateYear struct {
	*stage
	way      updateWay
	rng      *rand.Rand // of the work alone
	begins   fleet.Instant
	due      agenda
	drawn    int
	clusters int
	nodes    []string
	runs     map[string]time.Duration // how long each gang runs, by name
	book     *updateBook
	gangs    gangs
	started  int // rollouts
	quarters []quarter
}

// seat is a place in a quota that one gang takes after another.
type seat struct {
	quota, partition string
	nodes            int
}

// liveYear lives through the year in one way.
func liveYear(ctx context.Context, o Options, w updateWay, clusters int) (updateTally, error) {
	y := &updateYear{
		way: w, rng: newRand(o.Seed, 24), begins: busyStart, clusters: clusters,
		runs: map[string]time.Duration{},
	}
	faults := simulated.NewFaults(o.Seed, simulated.MeasuredFaults())
	var err error
	y.stage, err = newStageOn(ctx, &forgetful{}, simulated.Options{
		Seed: o.Seed, Faults: faults, Runtime: func(j driver.Job) (time.Duration, bool) { d, ok := y.runs[j.Name]; return d, ok },
	})
	if err != nil {
		return updateTally{}, err
	}
	defer y.close()
	if err := y.found(ctx, faults); err != nil {
		return updateTally{}, err
	}
	end := y.begins.Add(365 * day)
	for told := 0; y.now < end; {
		if err := y.step(ctx, end); err != nil {
			return updateTally{}, err
		}
		if d := int(y.now.Sub(y.begins) / day); d > told {
			told = d
			o.say("%s: day %d of 365", w.name, d)
			if d%quarterDays == 0 {
				y.quarters = append(y.quarters, quarter{d, y.gangs.tally.stops})
			}
		}
	}
	if err := y.sound(nil); err != nil {
		return updateTally{}, err
	}
	return y.sum(), nil
}

// found builds the fleet, and puts on the agenda what will happen.
func (y *updateYear) found(ctx context.Context, faults *simulated.Faults) error {
	policy := fleet.DefaultPolicy()
	policy.Maintenance = fleet.MaintenancePolicy{Horizon: day, Lead: 3 * day, KeepRoom: time.Hour, Validation: 15 * time.Minute}
	if err := y.build(ctx, core.SetPolicy{Policy: policy}); err != nil {
		return err
	}
	for c := range y.clusters {
		name := fmt.Sprintf("c%02d", c+1)
		half := updateNodes / 2
		if err := y.build(ctx, core.AddCluster{Name: name}, core.AddPartition{Cluster: name, GPU: gpu},
			core.AddIslands{Partition: name + "/" + gpu, Islands: []core.NewIsland{{Name: "a", Nodes: half}, {Name: "b", Nodes: half}}}); err != nil {
			return err
		}
		for q, sizes := range gangsOf {
			path, nodes := fmt.Sprintf("%s-team%d", name, q+1), 0
			for _, n := range sizes {
				nodes += n
				y.later(time.Duration(y.rng.Float64()*float64(day)), y.submits(seat{path, name + "/" + gpu, n}))
			}
			if err := y.build(ctx, core.CreateQuota{Path: path}, core.SetGrant{Quota: path, Partition: name + "/" + gpu, GPUs: 8 * nodes}); err != nil {
				return err
			}
		}
	}
	y.Read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			for _, n := range p.Nodes {
				y.nodes = append(y.nodes, n.Name)
			}
		}
	})
	for _, n := range y.nodes {
		faults.Add(y.now, n, fleet.Healthy)
	}
	y.book = newUpdateBook(y.nodes)
	y.gangs = newGangs(y)
	y.hear = y.gangs.hear
	for i := range updatesInAll {
		y.later(5*day+time.Duration(i)*updateEvery, func(ctx context.Context) error { return y.publish(ctx, i) })
	}
	return y.way.begins(ctx, y)
}

func (y *updateYear) later(d time.Duration, do func(context.Context) error) {
	y.drawn++
	pile.Push(&y.due, happening{y.now.Add(d), y.drawn, do})
}

// step lets happen what comes next: something of the agenda, of the cluster, or time alone.
func (y *updateYear) step(ctx context.Context, end fleet.Instant) error {
	if at := y.due[0].at; at < y.stage.due() {
		if at > end {
			y.now = end
			return nil
		}
		y.now = max(y.now, at)
		return pile.Pop(&y.due).(happening).do(ctx)
	}
	more, err := y.stage.step(ctx, end)
	if !more {
		y.now = end
	}
	return err
}

// try gives a command that may come too late: what it is about has changed.
func (y *updateYear) try(ctx context.Context, c core.Command) error {
	_, _, err := y.decide(ctx, core.Request{Command: c, Actor: operator, Reason: "bench"})
	var refusal *core.Refusal
	if errors.As(err, &refusal) {
		return nil
	}
	return err
}

// submits is the next gang of a seat. How long it runs is drawn for its place and number alone, so that all ways have
// the same work.
func (y *updateYear) submits(at seat) func(context.Context) error {
	draw := newRand(y.rng.Uint64(), 1)
	n := 0
	var next func(context.Context) error
	next = func(ctx context.Context) error {
		n++
		name := fmt.Sprintf("%s-%d-%d-%d", at.quota, at.nodes, draw.IntN(1<<30), n)
		y.runs[name] = max(time.Hour, about(draw, gangRuns, gangTail))
		gap := time.Duration(draw.ExpFloat64() * float64(6*time.Hour))
		y.gangs.next[name] = func() { y.later(gap, next) }
		return y.build(ctx, core.Submit{Spec: fleet.Spec{
			Name: name, Namespace: at.quota, User: "bench", Target: at.quota, Priority: fleet.Mid, Grace: 5 * time.Minute, CheckpointEvery: gangSaves,
			Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: at.nodes, Max: at.nodes, Reach: fleet.ReachIsland}},
		}})
	}
	return next
}

// publish makes an update known.
func (y *updateYear) publish(ctx context.Context, i int) error {
	u := published{number: i, component: i % len(components), at: y.now, deadline: y.now.Add(updateWithin)}
	y.book.updates = append(y.book.updates, u)
	return y.way.published(ctx, y, u)
}

// zoned says whether a visit may not be under way in a stretch of time from now.
func (y *updateYear) zoned(lasts time.Duration) bool {
	return slices.ContainsFunc(zonesBegin, func(d int) bool {
		from := y.begins.Add(time.Duration(d) * day)
		return y.now < from.Add(zoneLasts) && from < y.now.Add(lasts)
	})
}

func (y *updateYear) sum() updateTally {
	t := y.book.sum(y.now)
	y.gangs.sum(&t, y.now)
	t.quarters = y.quarters
	return t
}

// about draws a length of time with a median, and a long tail.
func about(r *rand.Rand, median time.Duration, tail float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(tail*r.NormFloat64()))
}
