package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

func TestOpenNeedsAFolder(t *testing.T) {
	dir := t.TempDir()
	_, err := sqlite.Open(ctx, filepath.Join(dir, "no", "fleet.db"), sqlite.Options{})
	wantWords(t, err, "there is no folder", filepath.Join(dir, "no"), "create it")

	_, err = sqlite.Open(ctx, filepath.Join(dir, "fleet.db"), sqlite.Options{ReadOnly: true})
	wantWords(t, err, "there is no such journal", "name an existing one")

	_, err = sqlite.Open(ctx, dir, sqlite.Options{})
	wantWords(t, err, dir, "this is a folder", "name a file in it")
}

func TestOddFileNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "50% of #1? 'yes' & no")
	must(t, os.Mkdir(dir, 0o755))
	path := filepath.Join(dir, "fleet?mode=memory#x y.db")
	j := mustOpen(t, path, sqlite.Options{})
	mustAppend(t, j, sample(1, 5))
	mustClose(t, j)
	wantGood(t, mustOpen(t, path, sqlite.Options{}), 5)
	if len(mustRead(t, path)) == 0 {
		t.Error("the entries went somewhere else")
	}
}

func TestRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	j := mustOpen(t, "fleet.db", sqlite.Options{})
	mustAppend(t, j, sample(1, 5))
	wantGood(t, j, 5)
	place(t, "fleet.db-wal", 5)
}

func TestForeignFilesAreLeftAlone(t *testing.T) {
	cases := map[string]func(path string){
		"another program's database": func(path string) { change(t, path, "CREATE TABLE songs(title TEXT)") },
		"another program's mark":     func(path string) { change(t, path, "PRAGMA application_id = 42") },
	}
	for name, write := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "songs.db")
			write(path)
			before := mustRead(t, path)
			_, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: true})
			wantWords(t, err, path, "no journal", "name another file")
			if string(before) != string(mustRead(t, path)) {
				t.Error("the foreign file was changed")
			}
		})
	}
	t.Run("a text file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "notes.txt")
		mustWrite(t, path, []byte("remember the milk"))
		_, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: true})
		asDamage(t, err)
		if string(mustRead(t, path)) != "remember the milk" {
			t.Error("the foreign file was changed")
		}
	})
}

// newerJournal makes a journal as a later version would: another format, tables
// that this one does not know.
func newerJournal(t *testing.T) string {
	path := closedLog(t, 10)
	change(t, path, "PRAGMA user_version = 4", "UPDATE meta SET value = 4", "ALTER TABLE entry ADD COLUMN shard INTEGER")
	return path
}

func TestNewerVersionIsRefused(t *testing.T) {
	path := newerJournal(t)
	before := mustRead(t, path)
	for _, o := range []sqlite.Options{{}, {ReadOnly: true}} {
		_, err := sqlite.Open(ctx, path, o)
		var version *journal.VersionError
		if !errors.As(err, &version) || version.Found != 4 || version.Known != 3 || version.Path != path {
			t.Errorf("%+v: got %v, want a *VersionError for format 4", o, err)
		}
	}
	if string(before) != string(mustRead(t, path)) {
		t.Error("the newer journal was changed")
	}
}

// Another process that holds the write lock delays a writer, no longer than the
// writer wants to wait; readers go on.
func TestLockedByAnother(t *testing.T) {
	path := closedLog(t, 10)
	j := mustOpen(t, path, sqlite.Options{Wait: time.Millisecond})
	release := holdWriteLock(t, path)

	err := j.Append(ctx, sample(11, 12))
	if !errors.Is(err, journal.ErrLocked) {
		t.Fatalf("got %v, want ErrLocked", err)
	}
	wantWords(t, err, path, "append", "another process holds the journal")
	_, err = sqlite.Open(ctx, path, sqlite.Options{Wait: time.Millisecond})
	if !errors.Is(err, journal.ErrLocked) {
		t.Errorf("open: got %v, want ErrLocked", err)
	}
	wantGood(t, j, 10)

	release()
	mustAppend(t, j, sample(11, 12))
	wantGood(t, j, 12)
}

func TestDoneContextEndsTheWaitForALock(t *testing.T) {
	path := closedLog(t, 10)
	j := mustOpen(t, path, sqlite.Options{Wait: time.Hour})
	release := holdWriteLock(t, path)
	soon, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	if err := j.Append(soon, sample(11, 12)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want context.DeadlineExceeded", err)
	}
	release()
	mustAppend(t, j, sample(11, 12))
	wantGood(t, j, 12)
}

func holdWriteLock(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec("BEGIN IMMEDIATE")
	must(t, err)
	return func() { must(t, db.Close()) }
}

func TestTooLargeAnEntryIsRefused(t *testing.T) {
	j := mustOpen(t, filepath.Join(t.TempDir(), "fleet.db"), sqlite.Options{})
	huge := make([]byte, 256<<20+1)
	err := j.Append(ctx, []journal.Entry{{Seq: 1}, {Seq: 2, Data: huge}})
	wantWords(t, err, "entry 2", "268435457 bytes", "the most is 268435456", "nothing was written")
	wantGood(t, j, 0)
}

func TestReadOnlyHandle(t *testing.T) {
	path := closedLog(t, 10)
	writer := mustOpen(t, path, sqlite.Options{})
	must(t, writer.SaveSnapshot(ctx, journal.Snapshot{Seq: 5, Data: []byte("state")}))
	reader := mustOpen(t, path, sqlite.Options{ReadOnly: true})
	for doing, err := range map[string]error{
		"append":          reader.Append(ctx, sample(11, 11)),
		"save a snapshot": reader.SaveSnapshot(ctx, journal.Snapshot{Seq: 1}),
	} {
		if !errors.Is(err, journal.ErrReadOnly) {
			t.Errorf("%s: got %v, want ErrReadOnly", doing, err)
		}
		wantWords(t, err, path, doing)
	}
	mustAppend(t, writer, sample(11, 20))
	wantGood(t, reader, 20) // it follows
	if s, ok, err := reader.SnapshotBefore(ctx, 20); !ok || err != nil || s.Seq != 5 {
		t.Errorf("snapshot of %d (%v, %v), want of 5", s.Seq, ok, err)
	}
	must(t, reader.Verify(ctx))
}
