package bench

import (
	"cmp"
	pile "container/heap"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A year of a fleet: what it is made of. Nodes fail as often as in the accounts
// of large training runs, about four times in 1,000 node-days; half of them are
// back within a day, one in ten takes more than four. Workloads run for hours or days.
const (
	yearQuotas     = 8   // in each cluster
	failuresPerDay = 4   // of 1,000 nodes
	submitsPerDay  = 100 // of 1,000 nodes
)

// year makes the log of a fleet, in virtual time.
type year struct {
	*engine.Engine
	journal journal.Journal
	r       *rand.Rand
	now     fleet.Instant
	due     agenda
	drawn   int
	names   []string // of nodes
	out     map[string]bool
	snapped uint64
	records uint64
	ends    map[uint64]bool // workloads whose end is on the agenda
}

// happening is something that will happen to the fleet.
type happening struct {
	at fleet.Instant
	n  int // order of drawing breaks ties
	do func(context.Context) error
}

type agenda []happening

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(a[i].at, a[j].at), cmp.Compare(a[i].n, a[j].n)) < 0
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(happening)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// yearStart is when the year begins.
var yearStart = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// makeYear fills a journal with so many days of a fleet of so many nodes in
// clusters of 1,000, with a snapshot every so many records, as a server makes them.
func makeYear(ctx context.Context, o Options, g *gathering, nodes, days int, every uint64) (*year, error) {
	y := &year{journal: g, r: newRand(o.Seed, 9), now: fleet.InstantOf(yearStart), out: map[string]bool{}, ends: map[uint64]bool{}}
	var err error
	y.Engine, err = engine.Open(ctx, engine.Options{
		Journal: g, Synchronous: true, Now: func() fleet.Instant { return y.now },
		Plan: func(rec event.Record, _ *fleet.State) func() { return func() { y.follow(rec) } },
	})
	if err != nil {
		return nil, err
	}
	if err := y.build(ctx, nodes); err != nil {
		return nil, err
	}
	y.later(0, y.submit)
	y.later(0, y.fail)
	end := fleet.InstantOf(yearStart).Add(time.Duration(days) * 24 * time.Hour)
	for day := 0; ; {
		at, do := y.next()
		if at > end {
			return y, g.flush(ctx)
		}
		y.now = max(y.now, at)
		if err := do(ctx); err != nil {
			return nil, err
		}
		if d := int(y.now.Sub(fleet.InstantOf(yearStart)).Hours() / 24); d > day {
			day = d
			o.say("day %d of %d: %d records", day, days, y.records)
		}
		if y.records >= y.snapped+every {
			if err := y.snap(ctx, g); err != nil {
				return nil, err
			}
		}
	}
}

// next is what happens next: something of the agenda, or by itself.
func (y *year) next() (fleet.Instant, func(context.Context) error) {
	if at := y.NextAlarm(); at < y.due[0].at {
		return at, func(ctx context.Context) error { return y.do(ctx, core.Tick{}) }
	}
	h := pile.Pop(&y.due).(happening)
	return h.at, h.do
}

func (y *year) later(d time.Duration, do func(context.Context) error) {
	y.drawn++
	pile.Push(&y.due, happening{y.now.Add(d), y.drawn, do})
}

func (y *year) do(ctx context.Context, c core.Command) error {
	_, err := y.Do(ctx, core.Request{Command: c, Actor: operator, Reason: "bench"})
	var refusal *core.Refusal
	if errors.As(err, &refusal) {
		return nil // the driver's word came too late, or a name was taken
	}
	return err
}

func (y *year) build(ctx context.Context, nodes int) error {
	for c := 0; nodes > 0; c++ {
		n := min(nodes, 1000)
		nodes -= n
		name := fmt.Sprintf("c%02d", c+1)
		part := name + "/" + gpu
		for _, command := range []core.Command{
			core.AddCluster{Name: name}, core.AddPartition{Cluster: name, GPU: gpu}, core.AddIslands{Partition: part, Islands: islands(n)},
		} {
			if err := y.do(ctx, command); err != nil {
				return err
			}
		}
		for q := range yearQuotas {
			path := fmt.Sprintf("tree%d/quota%d", c, q)
			if err := y.do(ctx, core.CreateQuota{Path: path}); err != nil {
				return err
			}
			if err := y.do(ctx, core.SetGrant{Quota: path, Partition: part, GPUs: n * 8 / 10 / yearQuotas * 8}); err != nil {
				return err
			}
		}
	}
	y.Read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			for _, n := range p.Nodes {
				y.names = append(y.names, n.Name)
			}
		}
	})
	return nil
}

// often draws the time until the next of what happens so many times a day.
func (y *year) often(perDay float64) time.Duration {
	return time.Duration(y.r.ExpFloat64() / perDay * 24 * float64(time.Hour))
}

// about draws a length of time with a median, and a long tail.
func (y *year) about(median time.Duration, tail float64) time.Duration {
	return about(y.r, median, tail)
}

func (y *year) submit(ctx context.Context) error {
	y.later(y.often(float64(len(y.names))/1000*submitsPerDay), y.submit)
	y.drawn++
	s := mix(y.r, y.drawn, 1)
	s.CheckpointEvery = time.Hour
	if s.Target != fleet.Flex {
		s.Target = fmt.Sprintf("tree%d/quota%d", y.r.IntN((len(y.names)+999)/1000), y.r.IntN(yearQuotas))
	}
	return y.do(ctx, core.Submit{Spec: s})
}

// follow puts on the agenda what a cluster does with a decision: work ends, and
// what must leave leaves.
func (y *year) follow(rec event.Record) {
	y.records = rec.Seq
	for _, e := range rec.Events {
		switch e := e.(type) {
		case event.ReplicasPlaced:
			if !y.ends[e.ID] {
				y.ends[e.ID] = true
				y.later(y.about(12*time.Hour, 1.2), func(ctx context.Context) error { return y.finish(ctx, e.ID) })
			}
		case event.ReplicasEvicted:
			y.leave(e.ID, e.Until)
		case event.GangReturned:
			y.leave(e.ID, e.Until)
		}
	}
}

// finish ends a workload that runs; one that does not is looked at again.
func (y *year) finish(ctx context.Context, id uint64) error {
	again, gone := false, false
	y.Read(func(s *fleet.State) {
		w := s.Workloads[id]
		gone = w == nil || w.State.Ended()
		again = !gone && w.State != fleet.RunningW
	})
	if gone || again {
		delete(y.ends, id)
		if again {
			y.ends[id] = true
			y.later(6*time.Hour, func(ctx context.Context) error { return y.finish(ctx, id) })
		}
		return nil
	}
	delete(y.ends, id)
	return y.do(ctx, core.ReportFinished{ID: id})
}

// leave reports at the end of a grace what still was leaving then.
func (y *year) leave(id uint64, until fleet.Instant) {
	y.later(until.Sub(y.now), func(ctx context.Context) error {
		var spots []fleet.Spot
		y.Read(func(s *fleet.State) {
			if w := s.Workloads[id]; w != nil {
				spots = w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
			}
		})
		if len(spots) == 0 {
			return nil
		}
		return y.do(ctx, core.ReportStopped{ID: id, Spots: spots})
	})
}

// fail takes a node through a failure and its repair.
func (y *year) fail(context.Context) error {
	y.later(y.often(float64(len(y.names))/1000*failuresPerDay), y.fail)
	node := y.names[y.r.IntN(len(y.names))]
	if y.out[node] {
		return nil
	}
	y.out[node] = true
	signal := []string{"XID 79", "XID 94", "IBLinkFlapping", "GPUMissing", "NVLinkStatusInactive"}[y.r.IntN(5)]
	wait := time.Duration(0)
	for _, step := range []struct {
		state fleet.NodeState
		lasts time.Duration
	}{
		{fleet.Suspect, y.about(10*time.Minute, 0.5)},
		{fleet.Quarantined, y.about(4*time.Hour, 1)},
		{fleet.Repairing, y.about(10*time.Hour, 1.2)},
		{fleet.Validating, y.about(time.Hour, 0.3)},
		{fleet.Probation, 0},
	} {
		y.later(wait, func(ctx context.Context) error {
			y.out[node] = step.state != fleet.Probation
			return y.do(ctx, core.SetNodes{Names: []string{node}, State: step.state, Signal: signal})
		})
		wait += step.lasts
	}
	return nil
}

func (y *year) snap(ctx context.Context, g *gathering) (err error) {
	if err := g.flush(ctx); err != nil {
		return err
	}
	var snap journal.Snapshot
	y.Read(func(s *fleet.State) { snap, err = engine.SnapshotOf(s) })
	if err != nil {
		return err
	}
	y.snapped = snap.Seq
	return g.SaveSnapshot(ctx, snap)
}
