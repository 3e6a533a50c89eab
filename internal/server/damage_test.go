package server

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/muster-fleet/muster/internal/run/journal"
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
	if damage, err := damageIn(t.Context(), j, 0); damage != nil || err != nil {
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
	if damage, err := damageIn(t.Context(), j, 0); err != nil || damage == nil || damage.Seq != 42 {
		t.Errorf("after entry 42 was changed %v is found (%v)", damage, err)
	}
}
