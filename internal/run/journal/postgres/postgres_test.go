package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/journaltest"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/journal/postgres/pgtest"
)

var ctx = context.Background()

// fast makes a test server lose what a loss of power would: no test here cuts the power.
const fast = "fsync = off"

// database makes a new database on a server and returns its address.
func database(s *pgtest.Server, name string) string {
	s.SQL("CREATE DATABASE " + name)
	return strings.TrimSuffix(s.Address(), "postgres") + name
}

func TestConformance(t *testing.T) {
	s := pgtest.Start(t, fast)
	n := 0
	journaltest.Run(t, func(t *testing.T) func() journal.Journal {
		n++
		address := database(s, fmt.Sprint("log", n))
		return func() journal.Journal { return mustOpen(t, address) }
	})
}

func mustOpen(t testing.TB, address string) *postgres.Journal {
	t.Helper()
	j, err := postgres.Open(ctx, address, postgres.Options{})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func sample(from, to uint64) []journal.Entry {
	var list []journal.Entry
	for seq := from; seq <= to; seq++ {
		list = append(list, journal.Entry{Seq: seq, At: int64(seq) * 10, Data: fmt.Appendf(nil, "<entry %d>", seq)})
	}
	return list
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// good reads until the end or the damage, and demands that all of it is as it was appended.
func good(t testing.TB, j journal.Journal) (last uint64, err error) {
	t.Helper()
	err = j.Read(ctx, 1, func(e journal.Entry) error {
		last++
		if e.Seq != last || string(e.Data) != fmt.Sprintf("<entry %d>", last) {
			t.Fatalf("a wrong entry in place of %d: %d %q", last, e.Seq, e.Data)
		}
		return nil
	})
	return last, err
}

// An append does not read the log: else it would take longer the longer the log is.
func TestAnAppendDoesNotReadTheLog(t *testing.T) {
	s := pgtest.Start(t, fast)
	j, err := postgres.Open(ctx, s.Address(), postgres.Options{})
	must(t, err)
	const groups, size = 40, 50
	for i := range uint64(groups) {
		must(t, j.Append(ctx, sample(i*size+1, (i+1)*size)))
	}
	must(t, j.Close())
	s.SQL(fmt.Sprintf(`DO $$ BEGIN
  FOR i IN 1..300 LOOP
    IF pg_stat_get_tuples_inserted('muster.entry'::regclass) = %d THEN EXIT; END IF; -- what a connection did is counted a little later
    PERFORM pg_sleep(0.1), pg_stat_clear_snapshot();
  END LOOP;
  IF pg_stat_get_tuples_returned('muster.entry'::regclass) > %d THEN
    RAISE EXCEPTION 'for %d entries, %% were read', pg_stat_get_tuples_returned('muster.entry'::regclass);
  END IF;
END $$`, groups*size, groups*size, groups*size))
}

// What is changed behind Muster's back is found, and what precedes it is read.
func TestDamagedRowsAreFound(t *testing.T) {
	s := pgtest.Start(t, fast)
	for i, harm := range []string{
		"UPDATE muster.entry SET data = 'x' WHERE seq = 42",
		"UPDATE muster.entry SET at = at + 1 WHERE seq = 42",
		"UPDATE muster.entry SET sum = sum # 1 WHERE seq = 42",
		"DELETE FROM muster.entry WHERE seq = 42",
	} {
		address := database(s, fmt.Sprint("harm", i))
		j := mustOpen(t, address)
		must(t, j.Append(ctx, sample(1, 100)))
		must(t, j.Close())
		s.On(address, harm)
		var damage *journal.CorruptError
		if _, err := postgres.Open(ctx, address, postgres.Options{}); !errors.As(err, &damage) || damage.Seq != 42 || damage.Good != 41 {
			t.Errorf("%s: Open gives %v", harm, err)
		}
		j, err := postgres.Open(ctx, address, postgres.Options{ReadOnly: true})
		must(t, err)
		if last, err := good(t, j); last != 41 || !errors.As(err, &damage) {
			t.Errorf("%s: %d entries are read (%v), want 41 and the damage", harm, last, err)
		}
		must(t, j.Close())
	}
}

// Of several servers one leads. What led earlier can write nothing, whatever it believes.
func TestALeaseHasOneHolderAndEndsEarlierWriters(t *testing.T) {
	address := pgtest.Start(t, fast).Address()
	first, second := mustOpen(t, address), mustOpen(t, address)
	const length = 400 * time.Millisecond
	a, ok, err := first.Claim(ctx, "a", "a:1", length)
	if !ok || err != nil || a.Term != 1 {
		t.Fatalf("the first claim gives %+v, %v, %v", a, ok, err)
	}
	must(t, first.Append(ctx, sample(1, 3)))
	if is, ok, err := second.Claim(ctx, "b", "b:1", length); ok || err != nil || is.Holder != "a" || is.Address != "a:1" || is.Left <= 0 {
		t.Fatalf("while the first leads a claim gives %+v, %v, %v", is, ok, err)
	}
	if err := second.Append(ctx, sample(4, 4)); err == nil {
		t.Fatal("who does not lead has written")
	}
	must(t, first.Renew(ctx, length))
	began := time.Now()
	for ok = false; !ok; time.Sleep(5 * time.Millisecond) {
		_, ok, err = second.Claim(ctx, "b", "b:1", length)
		must(t, err)
		if time.Since(began) > 5*time.Second {
			t.Fatal("nobody takes over")
		}
	}
	if took := time.Since(began); took < length/2 {
		t.Errorf("the lease was taken over after %v, before its end", took)
	}
	for _, err := range []error{first.Append(ctx, sample(4, 4)), first.Renew(ctx, length)} {
		if !errors.Is(err, journal.ErrDeposed) {
			t.Errorf("the first, which led earlier, gets %v", err)
		}
	}
	must(t, second.Append(ctx, sample(4, 5)))
	must(t, second.Resign(ctx))
	if _, ok, err := first.Claim(ctx, "a", "a:1", length); !ok || err != nil {
		t.Errorf("a lease that was given back is not to be had (%v)", err)
	}
	must(t, first.Append(ctx, sample(6, 6)))
	if last, err := good(t, second); last != 6 || err != nil {
		t.Errorf("%d entries are there (%v), want 6", last, err)
	}
}

// A leader that does not know whether its last append was done, and comes back after another took
// over, is told that: not that the journal is broken.
func TestAnUnsureLeaderIsToldThatAnotherLeads(t *testing.T) {
	s := pgtest.Start(t)
	first, second := mustOpen(t, s.Address()), mustOpen(t, s.Address())
	const length = 100 * time.Millisecond
	if _, ok, err := first.Claim(ctx, "a", "a:1", length); !ok || err != nil {
		t.Fatalf("the first does not lead: %v", err)
	}
	must(t, first.Append(ctx, sample(1, 3)))
	s.Kill()
	if err := first.Append(ctx, sample(4, 4)); !errors.Is(err, journal.ErrUnavailable) {
		t.Fatalf("without a database an append gives %v", err)
	}
	s.Run()
	for ok, began := false, time.Now(); !ok; {
		if _, is, err := second.Claim(ctx, "b", "b:1", time.Minute); err == nil {
			ok = is
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("the second does not lead")
		}
	}
	others := sample(4, 9)
	for i := range others {
		others[i].Data = []byte("written by the second")
	}
	must(t, second.Append(ctx, others))
	if err := first.Append(ctx, sample(4, 5)); !errors.Is(err, journal.ErrDeposed) {
		t.Errorf("the first, which led earlier, gets %v", err)
	}
}

// A follower hears of what others write at once.
func TestAFollowerHearsOfNewEntries(t *testing.T) {
	address := pgtest.Start(t, fast).Address()
	leader, follower := mustOpen(t, address), mustOpen(t, address)
	seen := make(chan uint64)
	go func() {
		for last := uint64(0); last < 20; {
			now, err := follower.Wait(ctx, last)
			if err != nil {
				t.Error(err)
				break
			}
			if now > last {
				last = now
				seen <- last
			}
		}
		close(seen)
	}()
	for seq := uint64(1); seq <= 20; seq++ {
		must(t, leader.Append(ctx, sample(seq, seq)))
		select {
		case last := <-seen:
			if last != seq {
				t.Fatalf("after entry %d the follower hears of %d", seq, last)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("the follower does not hear of entry %d", seq)
		}
	}
	if last, err := follower.Wait(ctx, 20); err != nil || last != 20 {
		t.Errorf("without news Wait gives %d, %v", last, err)
	}
}

// appending appends entries until it is stopped. Where the database is away it tries the same again.
type appending struct {
	t    *testing.T
	last atomic.Uint64 // that was acknowledged
	stop context.CancelFunc
	over sync.WaitGroup
}

func appends(t *testing.T, j *postgres.Journal) *appending {
	a := &appending{t: t}
	goOn, stop := context.WithCancel(ctx)
	a.stop = stop
	a.over.Go(func() {
		for goOn.Err() == nil {
			next := a.last.Load() + 1
			err := j.Append(ctx, sample(next, next+9))
			for errors.Is(err, journal.ErrUnavailable) {
				time.Sleep(10 * time.Millisecond)
				err = j.Append(ctx, sample(next, next+9))
			}
			if err != nil {
				t.Error(err)
				return
			}
			a.last.Store(next + 9)
		}
	})
	return a
}

// await waits for so many entries more.
func (a *appending) await(more uint64) {
	for before := a.last.Load(); a.last.Load() < before+more && !a.t.Failed(); time.Sleep(time.Millisecond) {
	}
}

// finish stops the appends. What was acknowledged is there then, and nothing else.
func (a *appending) finish(j *postgres.Journal) {
	a.stop()
	a.over.Wait()
	if n, err := good(a.t, j); n != a.last.Load() || err != nil {
		a.t.Errorf("%d entries are there (%v), %d were acknowledged", n, err, a.last.Load())
	}
}

// While the database is down appends say so. The same append again is done once, whether
// the database had done it before or not.
func TestADatabaseThatIsKilledUnderAppends(t *testing.T) {
	s := pgtest.Start(t)
	j := mustOpen(t, s.Address())
	a := appends(t, j)
	for range 4 {
		s.Kill()
		if err := j.Probe(ctx); !errors.Is(err, journal.ErrUnavailable) {
			t.Errorf("while the database is down the probe says %v", err)
		}
		s.Run()
		a.await(50)
	}
	a.finish(j)
}

// A primary that is stopped so that its replica takes its place, and back, loses nothing and does
// nothing twice, and appends go on by themselves.
func TestAPrimaryThatIsSwitchedUnderAppends(t *testing.T) {
	primary := pgtest.Start(t, fast)
	replica := primary.Replicate()
	j := mustOpen(t, "postgres://muster@"+primary.Host()+","+replica.Host()+"/postgres")
	a := appends(t, j)
	for range 2 {
		a.await(50)
		primary.Stop()
		replica.Promote()
		a.await(50)
		primary.Follow(replica)
		primary, replica = replica, primary
	}
	a.finish(j)
}

// A database that has lost what it acknowledged is told from a new one.
func TestAForgetfulDatabaseIsFound(t *testing.T) {
	s := pgtest.Start(t, fast)
	j := mustOpen(t, s.Address())
	must(t, j.Append(ctx, sample(1, 9)))
	s.SQL("DELETE FROM muster.entry WHERE seq > 5")
	for _, err := range []error{j.Probe(ctx), j.Append(ctx, sample(10, 10))} {
		if !errors.Is(err, journal.ErrGone) || !strings.Contains(err.Error(), "forgotten") {
			t.Errorf("got %v", err)
		}
	}
	s.SQL("DROP SCHEMA muster CASCADE")
	if err := j.Probe(ctx); !errors.Is(err, journal.ErrGone) {
		t.Errorf("without its tables the probe says %v", err)
	}
}

// Entries that a follower has read and the database then forgot show, also where others stand
// in their places by then: what follows them is never taken in.
func TestAFollowerFindsThatItReadWhatWasForgotten(t *testing.T) {
	s := pgtest.Start(t, fast)
	follower := mustOpen(t, s.Address())
	must(t, mustOpen(t, s.Address()).Append(ctx, sample(1, 9)))
	if last, err := good(t, follower); last != 9 || err != nil {
		t.Fatal(last, err)
	}
	s.SQL("DELETE FROM muster.entry WHERE seq > 7")
	other := mustOpen(t, s.Address())
	for next := uint64(8); next <= 11; next++ {
		must(t, other.Append(ctx, []journal.Entry{{Seq: next, At: 1000, Data: []byte("another history")}}))
		err := follower.Read(ctx, 10, func(e journal.Entry) error { t.Errorf("entry %d of another history is read", e.Seq); return nil })
		if !errors.Is(err, journal.ErrForgotten) {
			t.Errorf("with %d entries the follower reads on with %v", next, err)
		}
	}
}

// An append that was committed, but that no replica has, is not acknowledged, however often
// it is tried again: a failover would forget it.
func TestAnAppendThatNoReplicaHasIsNotAcknowledged(t *testing.T) {
	s := pgtest.Start(t, fast)
	replica := s.Replicate()
	j, err := postgres.Open(ctx, s.Address(), postgres.Options{Timeout: 500 * time.Millisecond})
	must(t, err)
	defer j.Close()
	must(t, j.Append(ctx, sample(1, 3)))
	replica.Kill()
	for range 3 {
		if err := j.Append(ctx, sample(4, 5)); !errors.Is(err, journal.ErrUnavailable) {
			t.Fatalf("without a replica an append gives %v", err)
		}
	}
	replica.Run()
	for err = journal.ErrUnavailable; errors.Is(err, journal.ErrUnavailable); {
		err = j.Append(ctx, sample(4, 5))
	}
	must(t, err)
	s.Remove()
	replica.Promote()
	if last, err := good(t, mustOpen(t, replica.Address())); last != 5 || err != nil {
		t.Errorf("after the failover %d entries are there (%v), 5 were acknowledged", last, err)
	}
}

// An older program works beside tables of a newer one, unless those say that it cannot.
func TestNewerTables(t *testing.T) {
	s := pgtest.Start(t, fast)
	must(t, mustOpen(t, s.Address()).Append(ctx, sample(1, 3)))
	s.SQL("UPDATE muster.meta SET value = 7 WHERE key = 'format'", "ALTER TABLE muster.entry ADD COLUMN more text")
	must(t, mustOpen(t, s.Address()).Append(ctx, sample(4, 5)))
	s.SQL("UPDATE muster.meta SET value = 7 WHERE key = 'least'")
	var newer *journal.VersionError
	if _, err := postgres.Open(ctx, s.Address(), postgres.Options{}); !errors.As(err, &newer) || newer.Found != 7 {
		t.Errorf("Open gives %v", err)
	}
}
