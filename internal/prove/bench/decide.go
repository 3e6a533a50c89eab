package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// decisions measures how long one submission takes to be decided, without disk:
// in a partition with room, and in one where half of what comes has to wait.
func decisions(ctx context.Context, o Options, _ string, r *Report) error {
	for _, nodes := range []int{1_000, 10_000} {
		for _, crowded := range []bool{false, true} {
			name := fmt.Sprintf("decision, %d nodes, with room", nodes)
			if crowded {
				name = fmt.Sprintf("decision, %d nodes, crowded", nodes)
			}
			o.say("%s", name)
			took, err := decide(ctx, o, nodes, crowded)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			r.waits(name, nodes, took)
		}
	}
	r.remark("Decision: from a submission to what it leads to. They are about a mix of small, gang and elastic workloads in quotas and on flex; another one ends before each. With room: two thirds\n" +
		"of the GPUs are used. Crowded: filled until half of what comes waits, or for as long as the bench has time.")
	return nil
}

// waits adds the figures of how long decisions took.
func (r *Report) waits(name string, nodes int, took []time.Duration) {
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	r.add(Figure{Name: name + ", p50", Value: ms(p50), Unit: "ms"})
	f := Figure{Name: name + ", p99", Value: ms(p99), Unit: "ms"}
	if nodes == 1_000 {
		f = aimed(f, "≤ 1 ms", p99 <= time.Millisecond)
	}
	r.add(f)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// busy is an engine without disk that decides in the caller's goroutine, with
// workloads that come and go.
type busy struct {
	*engine.Engine
	rng     *rand.Rand
	now     fleet.Instant
	quotas  int
	drawn   int
	live    []uint64 // workloads that have not ended
	waits   float64  // share of the last submissions that had to wait
	records int
	events  int
}

// busyStart is when the story of a busy engine begins.
const busyStart = fleet.Instant(1_767_225_600_000_000_000)

func newBusy(ctx context.Context, o Options, j journal.Journal, nodes int) (*busy, error) {
	b := &busy{rng: newRand(o.Seed, uint64(nodes)), now: busyStart, quotas: max(1, nodes/20)}
	var err error
	b.Engine, err = engine.Open(ctx, engine.Options{
		Journal: j, Synchronous: true, Now: func() fleet.Instant { return b.now },
		Plan: func(r event.Record, _ *fleet.State) func() {
			b.records, b.events = b.records+1, b.events+len(r.Events)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	return b, build(ctx, b.Engine, nodes, b.quotas)
}

// submit submits one more workload of the mix and says how long the decision took.
func (b *busy) submit(ctx context.Context) (time.Duration, error) {
	b.drawn++
	b.now = b.now.Add(time.Second)
	request := core.Request{Command: core.Submit{Spec: mix(b.rng, b.drawn, b.quotas)}, Actor: operator}
	began := time.Now()
	res, err := b.Do(ctx, request)
	took := time.Since(began)
	if err != nil {
		return took, err
	}
	b.note(res.Record)
	return took, nil
}

func (b *busy) note(rec event.Record) {
	const memory = 0.02 // of one submission in the share
	waited := 1.0
	for _, e := range rec.Events {
		switch e := e.(type) {
		case event.WorkloadSubmitted:
			b.live = append(b.live, e.ID)
		case event.ReplicasPlaced:
			waited = 0
		}
	}
	b.waits += memory * (waited - b.waits)
}

// end ends a workload chosen at random: as finished where it runs, else it is
// taken back. Those that were evicted leave at once.
func (b *busy) end(ctx context.Context) error {
	if len(b.live) == 0 {
		return nil
	}
	k := b.rng.IntN(len(b.live))
	id := b.live[k]
	b.live = slices.Delete(b.live, k, k+1)
	var command core.Command
	b.Read(func(s *fleet.State) {
		if w := s.Workloads[id]; w != nil && w.Started != 0 {
			command = core.ReportFinished{ID: id}
		} else if w != nil && !w.State.Ended() {
			command = core.Cancel{Namespace: w.Namespace, Name: w.Name}
		}
	})
	if command == nil {
		return nil
	}
	if _, err := b.Do(ctx, core.Request{Command: command, Actor: operator}); err != nil {
		return err
	}
	return b.release(ctx)
}

// release reports of everything that is on its way out that it is gone.
func (b *busy) release(ctx context.Context) error {
	for {
		var reports []core.Command
		b.Read(func(s *fleet.State) {
			for _, p := range s.Partitions {
				reports = append(reports, leaving(p)...)
			}
		})
		if len(reports) == 0 {
			return nil
		}
		for _, c := range reports {
			if _, err := b.Do(ctx, core.Request{Command: c, Actor: core.Reporter}); err != nil {
				return err
			}
		}
	}
}

func leaving(p *fleet.Partition) []core.Command {
	var reports []core.Command
	for _, w := range p.Leaving() {
		reports = append(reports, core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
	}
	return reports
}

// fill submits until two thirds of the GPUs are used, or, crowded, until half of
// what comes has to wait; but no longer than a span.
func (b *busy) fill(ctx context.Context, crowded bool, span time.Duration) error {
	began := time.Now()
	for time.Since(began) < span && (crowded && b.waits < 0.5 || !crowded && b.used() < 0.66) {
		if _, err := b.submit(ctx); err != nil {
			return err
		}
		if err := b.release(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// used is the share of the GPUs that work holds or has reserved.
func (b *busy) used() (share float64) {
	b.Read(func(s *fleet.State) {
		t := s.Partitions[0].Tally()
		share = float64(t.InQuota+t.FlexUsed) / float64(t.Usable)
	})
	return share
}

// trim ends workloads until a third of the GPUs is free again.
func (b *busy) trim(ctx context.Context) error {
	for b.used() > 0.66 {
		if err := b.end(ctx); err != nil {
			return err
		}
	}
	return nil
}

// patience is how long one part of this bench may take.
const patience = 20 * time.Second

// decide fills a partition and then times submissions, one workload ending before each.
func decide(ctx context.Context, o Options, nodes int, crowded bool) ([]time.Duration, error) {
	b, err := newBusy(ctx, o, &forgetful{}, nodes)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := b.fill(ctx, crowded, patience); err != nil {
		return nil, err
	}
	var took []time.Duration
	for began := time.Now(); len(took) < o.scaled(5_000) && time.Since(began) < patience; {
		one, err := b.churn(ctx, crowded)
		if err != nil {
			return nil, err
		}
		took = append(took, one)
	}
	return took, ctx.Err()
}

// churn lets a workload end, or with room as many as it takes, and another one be
// submitted; it says how long that decision took.
func (b *busy) churn(ctx context.Context, crowded bool) (took time.Duration, err error) {
	if !crowded {
		err = b.trim(ctx)
	} else {
		err = b.end(ctx)
	}
	if err != nil {
		return 0, err
	}
	if took, err = b.submit(ctx); err != nil {
		return 0, err
	}
	return took, b.release(ctx)
}
