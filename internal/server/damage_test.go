package server

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// Damage before the newest snapshot lets a server start; it is found while the server runs.
func TestOldDamageIsFoundWhileTheServerRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.db")
	open := func() *sqlite.Journal {
		j, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := open()
	for seq := range uint64(100) {
		if err := j.Append(t.Context(), []journal.Entry{{Seq: seq + 1, At: int64(seq), Data: []byte("what happened")}}); err != nil {
			t.Fatal(err)
		}
	}
	if damage, err := damageIn(t.Context(), j, &proof{}, 0); damage != nil || err != nil {
		t.Fatalf("in a sound journal %v is found (%v)", damage, err)
	}
	if err := j.SaveSnapshot(t.Context(), journal.Snapshot{Seq: 90}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("UPDATE entry SET at = at + 1 WHERE seq = 42")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	j = open()
	defer j.Close()
	if damage, err := damageIn(t.Context(), j, &proof{}, 0); err != nil || damage == nil || damage.Seq != 42 {
		t.Errorf("after entry 42 was changed %v is found (%v)", damage, err)
	}
}

// A start goes on where the last one was with the proof of the log, and a log that was proven whole is
// not read again for a day.
func TestAStartGoesOnWithTheProofOfTheLog(t *testing.T) {
	j := memory.New()
	for seq := range uint64(2 * provenAtOnce) {
		if err := j.Append(t.Context(), []journal.Entry{{Seq: seq + 1, At: int64(seq)}}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "proven.json")
	p := readProof(path)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := damageIn(ctx, j, p, time.Hour); err == nil { // it rests after the first stretch until the server ends
		t.Error("the log was read to its end")
	}
	p.keep()
	if p = readProof(path); p.Next != provenAtOnce+1 || p.due(time.Now()) != provingFirst {
		t.Fatalf("the next start begins with record %d, in %v", p.Next, p.due(time.Now()))
	}
	if damage, err := damageIn(t.Context(), j, p, 0); damage != nil || err != nil || p.Next != 0 {
		t.Errorf("%v is found (%v), and the next start begins with record %d", damage, err, p.Next)
	}
	p.keep()
	if p = readProof(path); p.due(p.Whole) != provingAgain {
		t.Errorf("it is read again after %v", p.due(p.Whole))
	}
}
