package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// However a journal's files are taken away from under a process, no append is acknowledged
// after that, and the next start does not begin an empty log beside what is left.
func TestAJournalWhoseFilesAreTakenAwayAcknowledgesNothing(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, path string){
		"the folder is removed":          func(t *testing.T, path string) { must(t, os.RemoveAll(filepath.Dir(path))) },
		"the file is removed":            func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"the write-ahead log is removed": func(t *testing.T, path string) { must(t, os.Remove(path+"-wal")) },
		"another file takes its place": func(t *testing.T, path string) {
			must(t, os.Rename(path, path+".old"))
			mustWrite(t, path, mustRead(t, path+".old"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			must(t, os.Mkdir(dir, 0o755))
			path := filepath.Join(dir, "fleet.db")
			j := mustOpen(t, path, sqlite.Options{})
			mustAppend(t, j, sample(1, 3))
			must(t, j.Probe(ctx))
			take(t, path)
			if err := j.Probe(ctx); !errors.Is(err, journal.ErrGone) {
				t.Errorf("the probe says %v", err)
			}
			for range 2 {
				if err := j.Append(ctx, sample(4, 4)); err == nil {
					t.Fatal("an append was acknowledged")
				}
			}
			_ = j.Close()
		})
	}
}

func TestAMissingFileBesideTracesIsNoNewJournal(t *testing.T) {
	path := closedLog(t, 30)
	j := mustOpen(t, path, sqlite.Options{})
	must(t, j.SaveSnapshot(ctx, journal.Snapshot{Seq: 20, Data: []byte("a state")}))
	mustClose(t, j)
	for _, name := range []string{path, path + "-head"} {
		must(t, os.Remove(name))
	}
	for range 2 {
		if _, err := sqlite.Open(ctx, path, sqlite.Options{}); !errors.Is(err, journal.ErrGone) {
			t.Fatalf("beside snapshots of a log that is gone, Open gives %v", err)
		}
	}
	aside, err := sqlite.SetAside(path)
	must(t, err)
	if _, err := os.Stat(filepath.Join(aside, "fleet.db-snapshots")); err != nil {
		t.Error(err)
	}
	mustAppend(t, mustOpen(t, path, sqlite.Options{}), sample(1, 2))
}

// A process that is killed while it makes the file leaves a rollback journal behind that is
// still to be applied.
func TestAFirstStartThatWasKilledIsBegunAgain(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "fleet.db")
	db, err := sql.Open("sqlite", begun)
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		"PRAGMA journal_mode=DELETE", "PRAGMA cache_size=2", "BEGIN IMMEDIATE", "CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB)",
		"INSERT INTO meta VALUES('a', zeroblob(100000))", "INSERT INTO meta VALUES('b', zeroblob(100000))",
	} {
		_, err := db.Exec(s)
		must(t, err)
	}
	path := filepath.Join(t.TempDir(), "fleet.db")
	for _, part := range []string{"", "-journal"} {
		mustWrite(t, path+part, mustRead(t, begun+part))
	}
	if len(mustRead(t, path)) == 0 || len(mustRead(t, path+"-journal")) == 0 {
		t.Fatal("nothing was left behind; the test shows nothing")
	}
	j := mustOpen(t, path, sqlite.Options{})
	mustAppend(t, j, sample(1, 3))
	mustClose(t, j)
	wantGood(t, mustOpen(t, path, sqlite.Options{FullCheck: true}), 3)
}
