package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func operator(c core.Command) core.Request {
	return core.Request{Command: c, Actor: core.System, Reason: "test"}
}

func job(name string) core.Submit {
	return core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: "n", Target: "q", Priority: fleet.Mid, Grace: time.Second,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}}
}

// small opens an engine on a journal and gives it a fleet of twelve nodes.
func small(t *testing.T, o engine.Options) *engine.Engine {
	t.Helper()
	e := open(t, o)
	build := core.Batch{Commands: []core.Command{
		core.AddCluster{Name: "c"},
		core.AddPartition{Cluster: "c", GPU: "g"},
		core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: "i", Nodes: 12}}},
		core.CreateQuota{Path: "q"},
		core.SetGrant{Quota: "q", Partition: "c/g", GPUs: 80},
	}}
	if _, err := e.Do(t.Context(), operator(build)); err != nil {
		t.Fatal(err)
	}
	return e
}

func open(t *testing.T, o engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func hash(e *engine.Engine) (h string) {
	e.Read(func(s *fleet.State) { h = s.Hash() })
	return h
}

func TestAcknowledgedCommandsSurviveARestart(t *testing.T) {
	j := memory.New()
	e := small(t, engine.Options{Journal: j})
	var wg sync.WaitGroup
	for k := range 64 {
		wg.Go(func() {
			for i := range 20 {
				if _, err := e.Do(context.Background(), operator(job(fmt.Sprintf("j%d-%d", k, i)))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	before := hash(e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, engine.Options{Journal: j})
	defer again.Close()
	if got := hash(again); got != before {
		t.Errorf("after a restart the state is %s, before it was %s", got, before)
	}
	again.Read(func(s *fleet.State) {
		if len(s.Workloads) != 64*20 {
			t.Errorf("%d workloads are there, 1280 were acknowledged", len(s.Workloads))
		}
	})
}

func TestARepeatedKeyIsAnsweredAsTheFirstTime(t *testing.T) {
	j := memory.New()
	e := small(t, engine.Options{Journal: j})
	r := operator(job("once"))
	r.Key, r.Fingerprint = "key-1", 7
	first, err := e.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	e = open(t, engine.Options{Journal: j})
	defer e.Close()
	again, err := e.Do(t.Context(), r)
	if err != nil || !again.Repeat || again.Seq != first.Seq {
		t.Errorf("the repeated command answers %+v, %v; want a repeat of %d", again, err, first.Seq)
	}
	r.Fingerprint = 8
	var refusal *core.Refusal
	if _, err = e.Do(t.Context(), r); !errors.As(err, &refusal) || refusal.Code != core.KeyReused {
		t.Errorf("a key used for another command gives %v; want KeyReused", err)
	}
}

func TestASecondWriterIsFencedOff(t *testing.T) {
	j := memory.New()
	first := small(t, engine.Options{Journal: j})
	defer first.Close()
	second := open(t, engine.Options{Journal: j})
	defer second.Close()
	if _, err := first.Do(t.Context(), operator(job("a"))); err != nil {
		t.Fatal(err)
	}
	var fenced *journal.FencedError
	if _, err := second.Do(t.Context(), operator(job("b"))); !errors.As(err, &fenced) {
		t.Errorf("the second writer gets %v; want to be fenced off", err)
	}
	if _, err := second.Do(t.Context(), operator(job("c"))); err == nil {
		t.Error("a writer that was fenced off goes on")
	}
	if _, err := first.Do(t.Context(), operator(job("d"))); err != nil {
		t.Errorf("the first writer is disturbed: %v", err)
	}
}

func TestARefusedCommandAndADryRunChangeNothing(t *testing.T) {
	e := small(t, engine.Options{Journal: memory.New()})
	defer e.Close()
	before := hash(e)
	var refusal *core.Refusal
	if _, err := e.Do(t.Context(), operator(core.SetGrant{Quota: "q", Partition: "c/g", GPUs: 800})); !errors.As(err, &refusal) {
		t.Errorf("a grant beyond the fleet gives %v", err)
	}
	r, err := e.DryRun(t.Context(), operator(job("dry")))
	if err != nil || len(r.Record.Events) < 2 {
		t.Errorf("a dry run gives %+v, %v; want what would happen", r, err)
	}
	stale := operator(job("stale"))
	stale.Expect = 99
	if _, err := e.Do(t.Context(), stale); !errors.As(err, &refusal) || refusal.Code != core.Stale {
		t.Errorf("a command for another version gives %v; want Stale", err)
	}
	if got := hash(e); got != before {
		t.Errorf("the state went from %s to %s", before, got)
	}
}

// What is due by itself at the moment of a dry run is not told as what the request leads to, and makes it neither stale
// nor later.
func TestADryRunLeavesOutWhatHappensAnyway(t *testing.T) {
	now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	e := small(t, engine.Options{Journal: memory.New(), Synchronous: true, Now: func() fleet.Instant { return now }})
	defer e.Close()
	for _, state := range []fleet.NodeState{fleet.Quarantined, fleet.Probation} {
		if _, err := e.Do(t.Context(), operator(core.SetNodes{Names: []string{"c-g-i-001"}, State: state})); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(25 * time.Hour) // probation is over
	for _, c := range []core.Command{core.CreateQuota{Path: "dry"}, job("dry")} {
		r := operator(c)
		r.Expect = e.Durable()
		result, err := e.DryRun(t.Context(), r)
		if err != nil || result.Seq != r.Expect+1 || len(result.Record.Events) == 0 {
			t.Fatalf("a dry run of %T gives %+v, %v", c, result, err)
		}
		for _, one := range result.Record.Events {
			if _, is := one.(event.NodeChanged); is {
				t.Errorf("a dry run of %T tells of %+v, which happens anyway", c, one)
			}
		}
	}
}

func TestTimeAloneRingsTheAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := small(t, engine.Options{Journal: memory.New()})
		defer e.Close()
		set := func(state fleet.NodeState) {
			if _, err := e.Do(t.Context(), operator(core.SetNodes{Names: []string{"c-g-i-001"}, State: state})); err != nil {
				t.Fatal(err)
			}
		}
		set(fleet.Quarantined)
		set(fleet.Probation)
		time.Sleep(24*time.Hour + time.Minute) // virtual
		synctest.Wait()
		e.Read(func(s *fleet.State) {
			if got := s.Partition("c/g").Nodes[0].State; got != fleet.Healthy {
				t.Errorf("a day after probation began the node is %s", got)
			}
		})
	})
}

func TestWatchResumesWhereItStopped(t *testing.T) {
	e := small(t, engine.Options{Journal: memory.New()})
	defer e.Close()
	enough := errors.New("enough")
	var seen []uint64
	read := func(from uint64, until int) {
		err := e.Watch(t.Context(), from, func(r event.Record) error {
			if seen = append(seen, r.Seq); len(seen) == until {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Fatal(err)
		}
	}
	for i := range 5 {
		if _, err := e.Do(t.Context(), operator(job(fmt.Sprintf("w%d", i)))); err != nil {
			t.Fatal(err)
		}
	}
	read(1, 3)
	read(4, 6)
	if fmt.Sprint(seen) != "[1 2 3 4 5 6]" {
		t.Errorf("seen %v; want 1 to 6, each once", seen)
	}
}

func TestSnapshotsAreReplayedAndNeverNeeded(t *testing.T) {
	j := memory.New()
	e := small(t, engine.Options{Journal: j, SnapshotEvery: 10})
	for i := range 40 {
		if _, err := e.Do(t.Context(), operator(job(fmt.Sprintf("s%d", i)))); err != nil {
			t.Fatal(err)
		}
	}
	for ok := false; !ok; {
		_, found, err := j.SnapshotBefore(t.Context(), ^uint64(0))
		if err != nil {
			t.Fatal(err)
		}
		ok = found
	}
	want := hash(e)
	e.Close()
	again := open(t, engine.Options{Journal: j})
	defer again.Close()
	if got := hash(again); got != want {
		t.Errorf("from the snapshot comes %s; want %s", got, want)
	}
}

// A start that has replayed many records leaves a snapshot of where it came to: the next one has
// nothing to replay.
func TestAStartThatReplayedMuchLeavesASnapshot(t *testing.T) {
	j := memory.New()
	e := small(t, engine.Options{Journal: j, Synchronous: true})
	for i := range 301 {
		if _, err := e.Do(t.Context(), operator(job(fmt.Sprintf("s%d", i)))); err != nil {
			t.Fatal(err)
		}
	}
	last := e.Durable()
	e.Close()
	again := open(t, engine.Options{Journal: j, Synchronous: true, SnapshotEvery: 3})
	defer again.Close()
	if snap, ok, err := j.SnapshotBefore(t.Context(), ^uint64(0)); err != nil || !ok || snap.Seq != last {
		t.Errorf("of %d records the newest snapshot has %d (%v)", last, snap.Seq, err)
	}
}

func TestStateAtAMomentInThePast(t *testing.T) {
	now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	e := small(t, engine.Options{Journal: memory.New(), Synchronous: true, Now: func() fleet.Instant { return now }})
	at := now
	now = now.Add(time.Hour)
	if _, err := e.Do(t.Context(), operator(core.SetGrant{Quota: "q", Partition: "c/g", GPUs: 8})); err != nil {
		t.Fatal(err)
	}
	s, err := e.StateAt(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Partition("c/g").Account("q").Grant; got != 80 {
		t.Errorf("an hour ago the grant was %d; want 80", got)
	}
	for range 2 { // the second time from what was found the first
		var seen string
		if err := e.LookBack(t.Context(), at, func(s *fleet.State) { seen = s.Hash() }); err != nil || seen != s.Hash() {
			t.Errorf("looked back it is another state (%v)", err)
		}
	}
	grant := 0
	if err := e.LookBack(t.Context(), now, func(s *fleet.State) { grant = s.Partition("c/g").Account("q").Grant }); err != nil || grant != 8 {
		t.Errorf("what is seen of now is not now (%v)", err)
	}
}
