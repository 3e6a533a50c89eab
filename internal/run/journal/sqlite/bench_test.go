package sqlite_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// BenchmarkAppend sets Journal.Append beside raw SQLite: same table, same
// bytes, same group size, same settings, each on a file of its own, in turns,
// so that the disk's moods hit both. It reports entries per second of each and
// the ratio journal/raw.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{200, 600} {
		for _, group := range []int{1, 64, 100} {
			b.Run(fmt.Sprintf("size=%d/group=%d/raw=driver", size, group), func(b *testing.B) {
				compareAppend(b, group, size, openRawDriver(b, group))
			})
			b.Run(fmt.Sprintf("size=%d/group=%d/raw=database-sql", size, group), func(b *testing.B) {
				compareAppend(b, group, size, openRawSQL(b))
			})
		}
	}
}

func compareAppend(b *testing.B, group, size int, raw func([]journal.Entry)) {
	j := mustOpen(b, filepath.Join(b.TempDir(), "fleet.db"), sqlite.Options{})
	entries := benchEntries(group, size)
	toJournal := func(entries []journal.Entry) {
		if err := j.Append(ctx, entries); err != nil {
			b.Fatal(err)
		}
	}
	var rawTime, journalTime time.Duration
	for round := 0; b.Loop(); round++ {
		if round%2 == 0 { // neither always follows the other
			rawTime += timed(raw, entries)
			journalTime += timed(toJournal, entries)
		} else {
			journalTime += timed(toJournal, entries)
			rawTime += timed(raw, entries)
		}
		for i := range entries {
			entries[i].Seq += uint64(group)
		}
	}
	total := float64(group * b.N)
	b.ReportMetric(total/rawTime.Seconds(), "raw-entries/s")
	b.ReportMetric(total/journalTime.Seconds(), "journal-entries/s")
	b.ReportMetric(rawTime.Seconds()/journalTime.Seconds(), "journal/raw")
}

func timed(write func([]journal.Entry), entries []journal.Entry) time.Duration {
	start := time.Now()
	write(entries)
	return time.Since(start)
}

func benchEntries(n, size int) []journal.Entry {
	rng := rand.NewChaCha8([32]byte{1})
	entries := make([]journal.Entry, n)
	for i := range entries {
		data := make([]byte, size)
		rng.Read(data)
		entries[i] = journal.Entry{Seq: uint64(i) + 1, At: 1_700_000_000_000_000_000, Data: data}
	}
	return entries
}

const rawSchema = `
PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
CREATE TABLE entry(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL) STRICT`

func openRaw(b *testing.B) *sql.DB {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(rawSchema); err != nil {
		b.Fatal(err)
	}
	return db
}

// openRawSQL is SQLite as most programs use it: a prepared statement per row in
// a transaction.
func openRawSQL(b *testing.B) func([]journal.Entry) {
	db := openRaw(b)
	insert, err := db.Prepare("INSERT INTO entry VALUES(?,?,?,?)")
	if err != nil {
		b.Fatal(err)
	}
	return func(entries []journal.Entry) {
		tx, err := db.Begin()
		if err != nil {
			b.Fatal(err)
		}
		stmt := tx.Stmt(insert)
		defer stmt.Close()
		for _, e := range entries {
			if _, err := stmt.Exec(int64(e.Seq), e.At, int64(0xdeadbeef), e.Data); err != nil {
				b.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}

// openRawDriver is SQLite at its fastest from Go: no database/sql, one
// statement for the whole group.
func openRawDriver(b *testing.B, group int) func([]journal.Entry) {
	db := openRaw(b)
	conn, err := db.Conn(ctx)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	var begin, commit, insert driver.Stmt
	err = conn.Raw(func(c any) error {
		begin = mustPrepare(b, c.(driver.Conn), "BEGIN IMMEDIATE")
		commit = mustPrepare(b, c.(driver.Conn), "COMMIT")
		insert = mustPrepare(b, c.(driver.Conn), "INSERT INTO entry VALUES(?,?,?,?)"+strings.Repeat(",(?,?,?,?)", group-1))
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	args := make([]driver.NamedValue, 4*group)
	return func(entries []journal.Entry) {
		for i, e := range entries {
			for k, v := range []driver.Value{int64(e.Seq), e.At, int64(0xdeadbeef), e.Data} {
				args[4*i+k] = driver.NamedValue{Ordinal: 4*i + k + 1, Value: v}
			}
		}
		mustExec(b, begin, nil)
		mustExec(b, insert, args)
		mustExec(b, commit, nil)
	}
}

func mustPrepare(b *testing.B, c driver.Conn, sql string) driver.Stmt {
	s, err := c.Prepare(sql)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func mustExec(b *testing.B, s driver.Stmt, args []driver.NamedValue) {
	if _, err := s.(driver.StmtExecContext).ExecContext(ctx, args); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRead reads a log of 200,000 entries, proving every checksum.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{200, 600} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			const n = 200_000
			j := mustOpen(b, filepath.Join(b.TempDir(), "fleet.db"), sqlite.Options{})
			fill(b, j, n, size)
			for b.Loop() {
				if err := j.Read(ctx, 1, func(journal.Entry) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}

// BenchmarkSeqAt finds moments in a log of 200,000 entries.
func BenchmarkSeqAt(b *testing.B) {
	j := mustOpen(b, filepath.Join(b.TempDir(), "fleet.db"), sqlite.Options{})
	fill(b, j, 200_000, 200)
	for b.Loop() {
		if _, err := j.SeqAt(ctx, 1_700_000_000_000_000_000); err != nil {
			b.Fatal(err)
		}
	}
}

func fill(b *testing.B, j journal.Journal, n, size int) {
	entries := benchEntries(1_000, size)
	for range n / len(entries) {
		if err := j.Append(ctx, entries); err != nil {
			b.Fatal(err)
		}
		for i := range entries {
			entries[i].Seq += uint64(len(entries))
			entries[i].At = int64(entries[i].Seq)
		}
	}
}

// BenchmarkOpen opens a log of 200,000 entries without a snapshot, the slowest
// case: all of it is proven.
func BenchmarkOpen(b *testing.B) {
	const n = 200_000
	path := filepath.Join(b.TempDir(), "fleet.db")
	j := mustOpen(b, path, sqlite.Options{})
	fill(b, j, n, 200)
	mustClose(b, j)
	for b.Loop() {
		mustClose(b, mustOpen(b, path, sqlite.Options{}))
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "entries/s")
}
