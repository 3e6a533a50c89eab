package server

import (
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Journals that earlier programs wrote (test/upgrade) lead to the state that those had, and go on from
// there. MUSTER_OLD names such a program: it refuses a journal of today, and says why.
func TestUpgradeAndDowngrade(t *testing.T) {
	packed, err := filepath.Glob("../../test/upgrade/*.db.gz")
	if err != nil || len(packed) == 0 {
		t.Fatalf("there are no journals of earlier programs (%v)", err)
	}
	for _, name := range packed {
		want, err := os.ReadFile(strings.TrimSuffix(name, ".db.gz") + ".hash")
		if err != nil {
			t.Fatal(err)
		}
		data := t.TempDir()
		unpackTo(t, name, filepath.Join(data, datafolder.Journal))
		if got := stateOf(t, data, false); got != strings.TrimSpace(string(want)) {
			t.Errorf("%s: the state is %s, and was %s for the program that wrote it", name, got, want)
		}
		written := stateOf(t, data, true)
		if got := stateOf(t, data, false); got != written {
			t.Errorf("%s: after one more command the state is %s, and replayed %s", name, written, got)
		}
		if old := os.Getenv("MUSTER_OLD"); old != "" {
			out, err := exec.CommandContext(t.Context(), old, "up", "--data", data, "--listen", "127.0.0.1:0").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "by a newer version") {
				t.Errorf("an earlier program on the journal of today says %v: %s", err, out)
			}
		}
	}
}

func unpackTo(t *testing.T, name, to string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// stateOf is the hash of the state in a data folder, after one more command if that is wanted.
func stateOf(t *testing.T, data string, more bool) (hash string) {
	t.Helper()
	j, err := sqlite.Open(t.Context(), filepath.Join(data, datafolder.Journal), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	e, err := engine.Open(t.Context(), engine.Options{Journal: j, Synchronous: true, Keys: filepath.Join(data, datafolder.Keys)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if more {
		if _, err := e.Do(t.Context(), core.Request{Command: core.CreateQuota{Path: "later"}, Actor: core.System}); err != nil {
			t.Fatal(err)
		}
	}
	e.Read(func(s *fleet.State) { hash = s.Hash() })
	return hash
}
