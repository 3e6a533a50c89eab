package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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

// troubled is a journal that the world plays tricks on.
type troubled struct {
	*memory.Journal

	mu      sync.Mutex
	away    error         // what appends return
	after   bool          // they are done even so
	hang    chan struct{} // appends wait for it; nil: they do not
	saves   int           // snapshots that fail
	reading atomic.Int32  // reads that go on
	most    atomic.Int32  // of those at once
}

func (j *troubled) set(change func(*troubled)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(j)
}

func (j *troubled) Append(ctx context.Context, entries []journal.Entry) error {
	j.mu.Lock()
	away, after, hang := j.away, j.after, j.hang
	j.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if away != nil && !after {
		return away
	}
	last, _, err := j.Journal.Last(ctx)
	if err == nil && len(entries) > 0 && last < entries[len(entries)-1].Seq { // else it was done at an earlier try
		err = j.Journal.Append(ctx, entries)
	}
	return errors.Join(away, err)
}

func (j *troubled) SaveSnapshot(ctx context.Context, s journal.Snapshot) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.saves > 0 {
		j.saves--
		return journal.ErrDiskFull
	}
	return j.Journal.SaveSnapshot(ctx, s)
}

func (j *troubled) Read(ctx context.Context, from uint64, fn func(journal.Entry) error) error {
	j.most.Store(max(j.most.Load(), j.reading.Add(1)))
	defer j.reading.Add(-1)
	return j.Journal.Read(ctx, from, func(en journal.Entry) error {
		time.Sleep(100 * time.Microsecond) // virtual: so that reads overlap where they may
		return fn(en)
	})
}

func TestASnapshotThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &troubled{Journal: memory.New(), saves: 3}
		e := small(t, engine.Options{Journal: j, SnapshotEvery: 5})
		defer e.Close()
		for i := range 12 {
			if _, err := e.Do(t.Context(), operator(job(fmt.Sprint("s", i)))); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if _, ok, err := j.SnapshotBefore(t.Context(), ^uint64(0)); !ok || err != nil {
			t.Errorf("a minute after the disk was full for three snapshots there is none (%v)", err)
		}
	})
}

func TestAPanicInAReadLeavesTheStateToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := small(t, engine.Options{Journal: memory.New()})
		defer e.Close()
		for name, read := range map[string]func(func(*fleet.State)){"Read": e.Read, "Look": e.Look, "Study": e.Study} {
			func() {
				defer func() { _ = recover() }()
				read(func(*fleet.State) { panic("a mistake of the reader's") })
			}()
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			if _, err := e.Do(ctx, operator(job("after-"+name))); err != nil {
				t.Fatalf("after a panic in %s a command gives %v", name, err)
			}
			read(func(s *fleet.State) {
				if s.Workload("n", "after-"+name) == nil {
					t.Errorf("%s does not show what came after the panic", name)
				}
			})
			stop()
		}
	})
}

// While the journal cannot be reached, commands are refused at once and reads go on. When
// it is back, all goes on, and what had been decided is there once.
func TestAJournalThatIsAwayForAWhile(t *testing.T) {
	for _, done := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			j := &troubled{Journal: memory.New()}
			e := small(t, engine.Options{Journal: j})
			j.set(func(j *troubled) { j.away, j.after = fmt.Errorf("no route: %w", journal.ErrUnavailable), done })
			var away *engine.AwayError
			r := operator(job("unsure"))
			r.Key, r.Fingerprint = "k", 1
			if _, err := e.Do(t.Context(), r); !errors.As(err, &away) || away.Next.IsZero() {
				t.Fatalf("without a journal a command gives %v", err)
			}
			for range 3 {
				if _, err := e.Do(t.Context(), operator(job("refused"))); !errors.As(err, &away) {
					t.Fatalf("a later command gives %v", err)
				}
			}
			read := false
			e.Read(func(s *fleet.State) { read = s.Partition("c/g") != nil && s.Workload("n", "refused") == nil })
			if !read || e.Health() == nil {
				t.Errorf("reads go on: %v; health says %v", read, e.Health())
			}
			j.set(func(j *troubled) { j.away = nil })
			time.Sleep(5 * time.Second)
			synctest.Wait()
			again, err := e.Do(t.Context(), r)
			if err != nil || !again.Repeat {
				t.Errorf("the command whose answer was not known gives %+v, %v; want that it was done", again, err)
			}
			want := hash(e)
			if err := errors.Join(e.Health(), e.Close()); err != nil {
				t.Error(err)
			}
			back := open(t, engine.Options{Journal: j})
			defer back.Close()
			if got := hash(back); got != want {
				t.Errorf("the log says %s, the state was %s", got, want)
			}
		})
	}
}

// gone is a journal whose file was removed.
type gone struct{ *memory.Journal }

func (gone) Probe(context.Context) error { return journal.ErrGone }

func TestAJournalThatIsGoneStopsDecisions(t *testing.T) {
	e := small(t, engine.Options{Journal: gone{memory.New()}})
	defer e.Close()
	if err := e.Probe(t.Context()); !errors.Is(err, journal.ErrGone) {
		t.Fatalf("the probe says %v", err)
	}
	if _, err := e.Do(t.Context(), operator(job("late"))); !errors.Is(err, journal.ErrGone) || !errors.Is(e.Health(), journal.ErrGone) {
		t.Errorf("after that a command gives %v, and health says %v", err, e.Health())
	}
}

// On a disk that hangs the engine says so, and neither a dry run nor a refusal tells of a
// state that is not durable.
func TestADiskThatHangsIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		j := &troubled{Journal: memory.New()}
		e := small(t, engine.Options{Journal: j})
		defer e.Close()
		j.set(func(j *troubled) { j.hang = hang })
		var answered atomic.Int32
		ask := func(fn func()) {
			go func() { fn(); answered.Add(1) }()
			synctest.Wait()
		}
		ask(func() { _, _ = e.Do(context.Background(), operator(job("a"))) })
		ask(func() { _, _ = e.Do(context.Background(), operator(job("a"))) }) // refused: there is one of that name
		ask(func() { _, _ = e.DryRun(context.Background(), operator(job("b"))) })
		time.Sleep(time.Second)
		if e.Health() != nil || answered.Load() != 0 {
			t.Errorf("after a second health says %v, and %d of 3 are answered from what is not durable", e.Health(), answered.Load())
		}
		time.Sleep(10 * time.Second)
		if e.Health() == nil {
			t.Error("after eleven seconds without an answer of the disk the engine says it is well")
		}
		close(hang)
		synctest.Wait()
		if e.Health() != nil || answered.Load() != 3 {
			t.Errorf("once the disk answers health says %v, and %d of 3 are answered", e.Health(), answered.Load())
		}
	})
}

// Watches from the beginning of a long log read it one at a time, each completely.
func TestManyWatchesFromTheBeginningTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &troubled{Journal: memory.New()}
		first := small(t, engine.Options{Journal: j})
		const jobs = 600
		for i := range jobs {
			if _, err := first.Do(t.Context(), operator(job(fmt.Sprint("w", i)))); err != nil {
				t.Fatal(err)
			}
		}
		first.Close()
		e := open(t, engine.Options{Journal: j})
		defer e.Close()
		j.most.Store(0)
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var seen atomic.Int32
		for range 40 {
			all.Go(func() {
				last := uint64(0)
				_ = e.Watch(ctx, 1, func(r event.Record) error {
					if r.Seq != last+1 {
						t.Errorf("record %d follows %d", r.Seq, last)
					}
					last = r.Seq
					seen.Add(1)
					return nil
				})
			})
		}
		time.Sleep(time.Hour)
		if _, err := e.Do(t.Context(), operator(core.SetGrant{Quota: "q", Partition: "c/g", GPUs: 8})); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if want := int32(40 * e.Durable()); seen.Load() != want {
			t.Errorf("%d records were shown, want %d", seen.Load(), want)
		}
		if j.most.Load() > 1 {
			t.Errorf("%d watches read the log at once", j.most.Load())
		}
		stop()
		all.Wait()
	})
}

// shared is a log in memory that one process writes and another follows.
type shared struct {
	*memory.Journal
	news chan struct{}
}

func (j shared) Append(ctx context.Context, entries []journal.Entry) error {
	err := j.Journal.Append(ctx, entries)
	select {
	case j.news <- struct{}{}:
	default:
	}
	return err
}

func (j shared) Wait(ctx context.Context, after uint64) (uint64, error) {
	for {
		last, _, err := j.Last(ctx)
		if err != nil || last > after {
			return last, err
		}
		select {
		case <-j.news:
		case <-ctx.Done():
			return last, ctx.Err()
		}
	}
}

// An engine that follows shows what the other decides and decides nothing; once it leads it
// goes on from there, and its driver hears of all that stands. Without its lease it stops.
func TestAnEngineThatFollowsTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := shared{memory.New(), make(chan struct{}, 1)}
		first := small(t, engine.Options{Journal: j})
		var lost, woken atomic.Bool
		lease := func() error {
			if lost.Load() {
				return errors.New("it has run out")
			}
			return nil
		}
		second := open(t, engine.Options{
			Journal: shared{j.Reopen(), j.news}, Follow: true, May: lease, Wake: func(string) { woken.Store(true) },
		})
		defer second.Close()
		do := func(e *engine.Engine, name string) error {
			_, err := e.Do(t.Context(), operator(job(name)))
			return err
		}
		if err := do(first, "a"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if a, b := hash(first), hash(second); a != b {
			t.Errorf("the leader's state is %s, the follower's %s", a, b)
		}
		if lag, follows := second.Follows(); !follows || lag > 2*time.Second {
			t.Errorf("the follower says that it follows: %v, %v behind", follows, lag)
		}
		if err := do(second, "b"); !errors.Is(err, engine.ErrFollows) {
			t.Errorf("a command to the follower gives %v", err)
		}
		if err := do(first, "c"); err != nil {
			t.Fatal(err)
		}
		first.Close()
		if err := second.Lead(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := do(second, "d"); err != nil {
			t.Errorf("the new leader refuses: %v", err)
		}
		second.Read(func(s *fleet.State) {
			for _, name := range []string{"a", "c", "d"} {
				if s.Workload("n", name) == nil {
					t.Errorf("workload %s is lost", name)
				}
			}
		})
		lost.Store(true)
		var away *engine.AwayError
		if err := do(second, "e"); !errors.As(err, &away) || second.Health() == nil || !woken.Load() {
			t.Errorf("without its lease it answers %v, and health says %v; woken is %v", err, second.Health(), woken.Load())
		}
	})
}
