package server

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // the driver named sqlite

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/journal/postgres/pgtest"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestRatesOfJournals says how many commands a second each kind of journal takes from 1, 64 and
// 1,000 callers. Beside it stands what the database takes of such rows in such groups, in the
// same run, and how far a follower is behind. MUSTER_RATES says for how
// many seconds each is measured; without it the test is skipped.
func TestRatesOfJournals(t *testing.T) {
	each := time.Duration(fromEnv(t, "MUSTER_RATES", 0)) * time.Second
	if each == 0 {
		t.Skip("MUSTER_RATES=3 measures it, which takes minutes")
	}
	local := pgtest.Start(t)
	replicated := pgtest.Start(t)
	replicated.Replicate()
	for _, kind := range []struct {
		name    string
		address string // of the database; "": SQLite
	}{{name: "SQLite"}, {"PostgreSQL", local.Address()}, {"PostgreSQL, replicated", replicated.Address()}} {
		for _, callers := range []int{1, 64, 1000} {
			measure(t, kind.name, kind.address, callers, each)
		}
	}
}

// counted notes in what groups a journal is written.
type counted struct {
	journal.Journal
	groups, entries, bytes atomic.Int64
}

func (c *counted) Append(ctx context.Context, entries []journal.Entry) error {
	c.groups.Add(1)
	c.entries.Add(int64(len(entries)))
	for _, e := range entries {
		c.bytes.Add(int64(len(e.Data)))
	}
	return c.Journal.Append(ctx, entries)
}

func measure(t *testing.T, name, address string, callers int, each time.Duration) {
	t.Helper()
	dir := t.TempDir()
	var j journal.Journal
	var err error
	follower := (*engine.Engine)(nil)
	if address == "" {
		j, err = sqlite.Open(t.Context(), filepath.Join(dir, "journal.db"), sqlite.Options{})
	} else {
		reset(t, address)
		var p *postgres.Journal
		if p, err = postgres.Open(t.Context(), address, postgres.Options{}); err == nil {
			_, _, err = p.Claim(t.Context(), "bench", "", time.Hour)
		}
		j = p
	}
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	c := &counted{Journal: j}
	e, err := engine.Open(t.Context(), engine.Options{Journal: c})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if address != "" {
		second, err := postgres.Open(t.Context(), address, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer second.Close()
		if follower, err = engine.Open(t.Context(), engine.Options{Journal: second, Follow: true}); err != nil {
			t.Fatal(err)
		}
		defer follower.Close()
	}
	file, err := fleetfile.Parse("fleet.yaml", []byte("clusters:\n  - name: tiger\n    partitions:\n      - gpu: h200\n        islands: [{name: i1, nodes: 500}]\n"), fleetfile.Options{Partitions: map[string]int{}})
	if err == nil {
		_, err = e.Do(t.Context(), core.Request{Command: core.Batch{Commands: fleetfile.Commands(file)}, Actor: core.System, Reason: "a fleet"})
	}
	if err != nil {
		t.Fatal(err)
	}
	c.groups.Store(0)
	c.entries.Store(0)
	c.bytes.Store(0)
	lags := called(t, e, follower, callers, each)
	groups, entries := c.groups.Load(), c.entries.Load()
	rate := float64(entries) / each.Seconds()
	rows, size := max(1, int(entries/groups)), int(c.bytes.Load()/entries)
	own := bare(t, address, dir, rows, size, each)
	said := ""
	if len(lags) > 0 {
		slices.Sort(lags)
		said = fmt.Sprintf("; the follower is %v (p50), %v (p99) behind", lags[len(lags)/2].Round(100*time.Microsecond), lags[len(lags)*99/100].Round(100*time.Microsecond))
	}
	t.Logf("%-22s %4d callers: %6.0f commands/s in groups of %3d of %d bytes; the database alone takes %6.0f rows/s: %.2f of it%s",
		name, callers, rate, rows, size, own, rate/own, said)
}

// called has callers submit workloads and cancel them for a while, and says how long after an
// answer the follower has what was answered, for one in 16 of one caller's.
func called(t *testing.T, e, follower *engine.Engine, callers int, each time.Duration) (lags []time.Duration) {
	t.Helper()
	end := time.Now().Add(each)
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			for k := 0; time.Now().Before(end); k++ {
				ask := core.Request{Actor: core.Actor{Name: "user:bench", Operator: true}}
				name := fmt.Sprintf("c%d-%d", n, k/2)
				if ask.Command = core.Command(core.Submit{Spec: small(name)}); k%2 == 1 {
					ask.Command = core.Cancel{Namespace: "bench", Name: name}
				}
				is, err := e.Do(t.Context(), ask)
				if err != nil {
					t.Error(err)
					return
				}
				if n == 0 && follower != nil {
					answered := time.Now()
					_ = follower.Await(t.Context(), is.Seq)
					lags = append(lags, time.Since(answered))
				}
			}
		})
	}
	all.Wait()
	return lags
}

func small(name string) fleet.Spec {
	return fleet.Spec{Name: name, Namespace: "bench", Target: fleet.Flex, Priority: fleet.Mid, Grace: time.Second, Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 1, Reach: fleet.ReachAny}}}
}

// reset gives a database its first state again.
func reset(t *testing.T, address string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "DROP SCHEMA IF EXISTS muster CASCADE; DROP TABLE IF EXISTS bare"); err != nil {
		t.Fatal(err)
	}
}

// bare is how many rows a second the database itself takes, with one statement for each group.
func bare(t *testing.T, address, dir string, rows, size int, each time.Duration) float64 {
	t.Helper()
	insert := bareSQLite
	if address != "" {
		insert = barePostgres
	}
	add, done := insert(t, address, dir, rows, size)
	defer done()
	n, began := 0, time.Now()
	for time.Since(began) < each {
		if err := add(n); err != nil {
			t.Fatal(err)
		}
		n += rows
	}
	return float64(n) / time.Since(began).Seconds()
}

func barePostgres(t *testing.T, address, _ string, rows, size int) (add func(from int) error, done func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err == nil {
		_, err = conn.Exec(t.Context(), "CREATE TABLE IF NOT EXISTS bare (seq bigint PRIMARY KEY, at bigint, sum bigint, term bigint, data bytea); TRUNCATE bare")
	}
	if err != nil {
		t.Fatal(err)
	}
	seqs, data := make([]int64, rows), make([][]byte, rows)
	for i := range data {
		data[i] = make([]byte, size)
	}
	return func(from int) error {
		for i := range seqs {
			seqs[i] = int64(from + i)
		}
		_, err := conn.Exec(t.Context(), "INSERT INTO bare SELECT s, s AS at, s AS sum, 1, d FROM unnest($1::bigint[], $2::bytea[]) AS e(s, d)", seqs, data)
		return err
	}, func() { _ = conn.Close(context.WithoutCancel(t.Context())) }
}

func bareSQLite(t *testing.T, _, dir string, rows, size int) (add func(from int) error, done func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.db"))
	if err == nil {
		db.SetMaxOpenConns(1)
		_, err = db.ExecContext(t.Context(), "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE bare(seq INTEGER PRIMARY KEY, at INTEGER, sum INTEGER, data BLOB) STRICT")
	}
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, size)
	return func(from int) error {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		for i := range rows {
			if _, err := tx.ExecContext(t.Context(), "INSERT INTO bare VALUES(?,?,?,?)", from+i, from, from, data); err != nil {
				return err
			}
		}
		return tx.Commit()
	}, func() { _ = db.Close() }
}

// resident is the memory that a process has, in MB; 0 where the system does not say.
func resident(pid int) (mb int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var all, pages int
	_, _ = fmt.Sscan(string(text), &all, &pages)
	return pages * os.Getpagesize() >> 20
}
