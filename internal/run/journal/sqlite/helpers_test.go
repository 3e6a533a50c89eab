package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// sample makes the entries from..to. Every entry can be found in a file by its
// text.
func sample(from, to uint64) []journal.Entry {
	var es []journal.Entry
	for seq := from; seq <= to; seq++ {
		es = append(es, journal.Entry{Seq: seq, At: int64(seq) * 10, Data: []byte(text(seq))})
	}
	return es
}

func text(seq uint64) string {
	return fmt.Sprintf("<entry %d: %s>", seq, strings.Repeat("tiger/h200 ", 12))
}

func mustAppend(t testing.TB, j journal.Journal, es []journal.Entry) {
	t.Helper()
	if err := j.Append(ctx, es); err != nil {
		t.Fatalf("append: %v", err)
	}
}

// closedLog makes a journal of the entries 1..n, closes it and returns its path:
// all of it is in the main file.
func closedLog(t testing.TB, n uint64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fleet.db")
	j := mustOpen(t, path, sqlite.Options{})
	mustAppend(t, j, sample(1, n))
	mustClose(t, j)
	return path
}

// crashedLog makes a journal of the entries 1..n as a crash would leave it: the
// first half in the main file, the other only in the write-ahead log, in groups
// of ten.
func crashedLog(t testing.TB, n uint64) string {
	t.Helper()
	path := closedLog(t, n/2)
	j := mustOpen(t, path, sqlite.Options{})
	for next := n/2 + 1; next <= n; next += 10 {
		mustAppend(t, j, sample(next, min(n, next+9)))
	}
	crashed := filepath.Join(t.TempDir(), "fleet.db")
	for _, part := range []string{"", "-wal", "-shm", "-head"} {
		mustWrite(t, crashed+part, mustRead(t, path+part))
	}
	mustClose(t, j)
	return crashed
}

func mustClose(t testing.TB, j journal.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustWrite(t testing.TB, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// edit changes a file's content.
func edit(t testing.TB, name string, change func([]byte) []byte) {
	t.Helper()
	mustWrite(t, name, change(mustRead(t, name)))
}

// place returns where in a file an entry's text begins, at its last occurrence.
func place(t testing.TB, name string, seq uint64) int {
	t.Helper()
	at := bytes.LastIndex(mustRead(t, name), []byte(text(seq)))
	if at < 0 {
		t.Fatalf("entry %d is not in %s", seq, name)
	}
	return at
}

// flip changes one byte in the middle of an entry's text.
func flip(t testing.TB, name string, seq uint64) {
	t.Helper()
	at := place(t, name, seq) + 20
	edit(t, name, func(b []byte) []byte { b[at] ^= 1; return b })
}

// change runs SQL on a closed journal behind its back.
func change(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// readGood reads until the end or the damage and demands that all of it is as
// it was appended.
func readGood(t testing.TB, j journal.Journal) (last uint64, err error) {
	t.Helper()
	err = j.Read(ctx, 1, func(e journal.Entry) error {
		last++
		if e.Seq != last || e.At != int64(last)*10 || string(e.Data) != text(last) {
			t.Fatalf("a wrong entry in place of %d: %d at %d: %q", last, e.Seq, e.At, e.Data)
		}
		return nil
	})
	return last, err
}

func wantGood(t testing.TB, j journal.Journal, last uint64) {
	t.Helper()
	if got, err := readGood(t, j); got != last || err != nil {
		t.Fatalf("read %d entries (%v), want %d", got, err, last)
	}
}

// wantDamage opens the journal and demands damage at the entry after good.
func wantDamage(t testing.TB, path string, good uint64) *journal.CorruptError {
	t.Helper()
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err == nil {
		j.Close()
		t.Fatalf("opened, want damage after entry %d", good)
	}
	damage := asDamage(t, err)
	if damage.Good != good || (damage.Seq != good+1 && damage.Seq != 0) {
		t.Fatalf("damage at %d, good up to %d, want good up to %d: %v", damage.Seq, damage.Good, good, err)
	}
	return damage
}

func asDamage(t testing.TB, err error) *journal.CorruptError {
	t.Helper()
	var damage *journal.CorruptError
	if !errors.As(err, &damage) {
		t.Fatalf("got %v, want a *CorruptError", err)
	}
	return damage
}

func wantWords(t testing.TB, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("the message lacks %q: %v", w, err)
		}
	}
}
