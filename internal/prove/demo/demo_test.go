package demo_test

import (
	"context"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/prove/demo"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/executor"
	hands "github.com/muster-fleet/muster/internal/run/executor/simulated"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const seed = 1

// world is a demo in virtual time.
type world struct {
	t       *testing.T
	journal *memory.Journal
	engine  *engine.Engine
	cluster *demo.Cluster
	crowd   *demo.Crowd
	runner  *executor.Runner // carries out what rolls out
	now     fleet.Instant
	seen    map[string]int // events by kind
	failed  int            // workloads that failed
}

var begin = fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// newWorld starts a demo on a new journal.
func newWorld(t *testing.T) *world {
	w := &world{t: t, journal: memory.New(), now: begin, seen: map[string]int{}}
	w.open()
	file, err := demo.Fleet()
	if err != nil {
		t.Fatal(err)
	}
	w.do(core.Request{Command: core.Batch{Commands: fleetfile.Commands(file)}, Actor: core.System})
	w.start()
	return w
}

func (w *world) open() {
	w.cluster = demo.NewCluster(seed)
	var err error
	w.engine, err = engine.Open(context.Background(), engine.Options{
		Journal: w.journal, Synchronous: true, Now: func() fleet.Instant { return w.now }, Driver: w.cluster,
		Plan: func(r event.Record, _ *fleet.State) func() {
			w.note(r)
			return nil
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) start() {
	w.engine.Read(func(s *fleet.State) { w.cluster.Watch(w.now, s) })
	w.crowd = demo.NewCrowd(w.engine, seed, w.now)
	w.runner = executor.New(executor.Options{
		Read: w.engine.Read, Do: func(ctx context.Context, r core.Request) error { _, err := w.engine.Do(ctx, r); return err },
		Executors: map[string]executor.Executor{fleet.BySimulated: hands.New(hands.Options{Now: func() fleet.Instant { return w.now }, Spread: 100})},
	})
}

func (w *world) note(r event.Record) {
	for _, e := range r.Events {
		w.seen[e.Kind()]++
		if f, ok := e.(event.WorkloadFinished); ok && f.Failed {
			w.failed++
		}
	}
}

func (w *world) do(r core.Request) {
	w.t.Helper()
	if _, err := w.engine.Do(context.Background(), r); err != nil {
		w.t.Fatalf("at %s: %T: %v", w.now.Time().Format(time.TimeOnly), r.Command, err)
	}
}

// pass lets time pass; between two moments of the demo nothing happens.
func (w *world) pass(span time.Duration) {
	w.t.Helper()
	for end := w.now.Add(span); ; {
		next := min(w.cluster.Due(), w.crowd.Due(), w.runner.Due(), w.engine.NextAlarm())
		if next > end {
			w.now = end
			return
		}
		w.now = max(w.now, next)
		for _, r := range w.cluster.Take(w.now) {
			w.do(w.cluster.Request(r))
		}
		err := w.crowd.Wake(context.Background(), w.now, func(ctx context.Context, r core.Request) error {
			_, err := w.engine.Do(ctx, r)
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
		if err := w.runner.Turn(context.Background(), w.now); err != nil {
			w.t.Fatal(err)
		}
		if w.engine.NextAlarm() <= w.now {
			w.do(core.Request{Command: core.Tick{}, Actor: core.System})
		}
	}
}

func (w *world) read(fn func(*fleet.State)) { w.engine.Read(fn) }

// sound checks what must always hold.
func (w *world) sound() {
	w.t.Helper()
	w.read(func(s *fleet.State) {
		for _, b := range invariant.Check(s) {
			w.t.Errorf("at %s: %v", w.now.Time().Format(time.TimeOnly), b)
		}
	})
}

func TestSomethingIsSeenWithinAMinute(t *testing.T) {
	w := newWorld(t)
	w.pass(time.Minute)
	w.sound()
	w.read(func(s *fleet.State) {
		running := 0
		for _, one := range s.Workloads {
			if one.State == fleet.RunningW {
				running++
			}
		}
		if running < 40 {
			t.Errorf("%d workloads run after a minute, want 40 or more", running)
		}
		moonshot := s.Workload(demo.MoonshotNamespace, demo.Moonshot)
		if why := explain.Why(s, moonshot, w.now); len(why) == 0 || why[0].Code != reason.GangTooLarge {
			t.Errorf("why %s/%s: %v, want %s", demo.MoonshotNamespace, demo.Moonshot, why, reason.GangTooLarge)
		}
		if demo.Summary(s) == "" {
			t.Error("there is no summary")
		}
	})
}

func TestTheDemoLivesOnAndGoesOnAfterARestart(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.pass(20 * time.Minute)
		w.sound()
	}
	before := submitted(w)
	w.open()
	w.start()
	for range 2 {
		w.pass(20 * time.Minute)
		w.sound()
	}
	if after := submitted(w); after < before+20 {
		t.Errorf("%d workloads were submitted before the restart and %d after it; the load has stopped", before, after-before)
	}
	for _, kind := range []string{
		"node.changed", "replicas.lost", "replicas.evicted", "workload.cancelled", "workload.prioritised", "grant.transferred", "incident.opened",
	} {
		if w.seen[kind] == 0 {
			t.Errorf("no %s in 100 minutes; there were %v", kind, w.seen)
		}
	}
	if w.failed == 0 {
		t.Error("no workload failed in 100 minutes")
	}
}

func submitted(w *world) int { return w.seen["workload.submitted"] }

func TestTheSameSeedIsTheSameDemo(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	for _, w := range []*world{a, b} {
		w.pass(2 * time.Minute)
	}
	var hashes []string
	for _, w := range []*world{a, b} {
		w.read(func(s *fleet.State) { hashes = append(hashes, s.Hash()) })
	}
	if hashes[0] != hashes[1] {
		t.Errorf("two runs of one seed came to the states %s and %s", hashes[0], hashes[1])
	}
}
