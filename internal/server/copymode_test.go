//go:build unix

package server

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// A copy of a journal says what the journal says: its user alone reads it, whatever the mask of files was.
func TestABackupIsItsUsersAlone(t *testing.T) {
	was := syscall.Umask(0o022)
	t.Cleanup(func() { syscall.Umask(was) })
	dir := t.TempDir()
	from := filepath.Join(dir, "fleet.db")
	j, err := sqlite.Open(t.Context(), from, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "copy.db")
	env := &cli.Env{Out: t.Output(), Err: t.Output(), Getenv: func(string) string { return "" }, Now: time.Now}
	_ = command(t.Context(), env, []string{"journal", "copy", from, to})
	info, err := os.Stat(to)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v", info.Mode())
	}
}
