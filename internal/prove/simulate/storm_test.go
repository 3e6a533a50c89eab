package simulate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestTheSameInputGivesTheSameState(t *testing.T) {
	for seed := range uint64(5) {
		o := storm(t, seed)
		history := memory.New()
		o.Journal = history
		a := replay(t, o)
		o.Journal = nil
		b := replay(t, o)
		if a.StateHash != b.StateHash || !alike(a.Figures, b.Figures) {
			t.Errorf("seed %d: the same input gives %+v and %+v", seed, a.Figures, b.Figures)
		}
		replayed, err := engine.Open(t.Context(), engine.Options{Journal: history, Synchronous: true})
		if err != nil {
			t.Fatal(err)
		}
		replayed.Read(func(s *fleet.State) {
			if s.Hash() != a.StateHash {
				t.Errorf("seed %d: the journal gives state %s, the run ended with %s", seed, s.Hash(), a.StateHash)
			}
		})
		if a.Evictions == 0 {
			t.Errorf("seed %d: nobody was evicted: this storm proves little", seed)
		}
	}
}

// TestARestartChangesNothing kills the engine again and again in the middle of a
// storm and opens another one on its journal, while the cluster lives on: all
// ends as without.
func TestARestartChangesNothing(t *testing.T) {
	for seed := range uint64(5) {
		o := storm(t, seed)
		want := replay(t, o)
		in, err := Read(o)
		if err != nil {
			t.Fatal(err)
		}
		o.Journal = memory.New()
		r, err := newRun(t.Context(), o, in)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		for more := true; more && r.tally.ended < len(in.Jobs); {
			if more, err = r.step(t.Context()); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(20) > 0 {
				continue
			}
			if err := r.open(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.report(time.Second); got.StateHash != want.StateHash || !alike(got.Figures, want.Figures) {
			t.Errorf("seed %d: with restarts %+v\nwithout %+v", seed, got.Figures, want.Figures)
		}
	}
}

// TestNodesThatFailByTheGenerator lets the driver's own generator strike nodes a
// hundred times as often as measured; the core ends their probation.
func TestNodesThatFailByTheGenerator(t *testing.T) {
	for seed := range uint64(5) {
		o := storm(t, seed)
		o.Faults, o.Journal = "", memory.New()
		in, err := Read(o)
		if err != nil {
			t.Fatal(err)
		}
		settings := simulated.MeasuredFaults()
		settings.Rate *= 100
		settings.Blips *= 100
		settings.MaxDown = 6 * time.Hour
		faults := simulated.NewFaults(seed, settings)
		for i := range 12 {
			faults.Add(start(in), fmt.Sprintf("c-g-i%d-%03d", i/6+1, i%6+1), fleet.Healthy)
		}
		r := &run{options: o, in: in, now: start(in), tally: newTally(), forecasts: newForecasts(o, start(in))}
		r.cluster = newMeter(simulated.New(simulated.Options{Seed: seed, Delays: simulated.RealisticDelays(), Faults: faults}))
		if err := errors.Join(r.open(t.Context()), r.build(t.Context()), r.play(t.Context(), nil)); err != nil {
			t.Fatal(err)
		}
		states := map[fleet.NodeState]int{}
		err = r.engine.Records(t.Context(), 1, func(rec event.Record) error {
			for _, e := range rec.Events {
				if e, ok := e.(event.NodeChanged); ok {
					states[e.To]++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if out := r.report(time.Second); out.Violations > 0 || out.Unfinished > 0 {
			t.Errorf("seed %d: %d violations (%s), %d unfinished (%v)", seed, out.Violations, out.Violation, out.Unfinished, out.Reasons)
		}
		for _, s := range []fleet.NodeState{fleet.Suspect, fleet.Quarantined, fleet.Repairing, fleet.Validating, fleet.Probation, fleet.Healthy} {
			if states[s] == 0 {
				t.Errorf("seed %d: no node became %s: %v", seed, s, states)
			}
		}
	}
}

// TestTheDriverSeesWhatTheStateSays follows a storm step by step: the GPUs that
// the simulated cluster is told to hold are those that the state says are held.
func TestTheDriverSeesWhatTheStateSays(t *testing.T) {
	for seed := range uint64(5) {
		o := storm(t, seed)
		in, err := Read(o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newRun(t.Context(), o, in)
		if err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			if more, err = r.step(t.Context()); err != nil {
				t.Fatal(err)
			}
			held, told := 0, 0
			r.engine.Read(func(s *fleet.State) {
				for _, n := range s.Partitions[0].Nodes {
					held += n.InUse()
				}
			})
			for _, w := range r.cluster.jobs {
				told += w.gpus(w.held.Spots())
			}
			if settled := r.cluster.Due() > r.now; settled && held != told {
				t.Fatalf("seed %d at %v: the state holds %d GPUs, the cluster %d", seed, r.now.Time(), held, told)
			}
		}
	}
}
