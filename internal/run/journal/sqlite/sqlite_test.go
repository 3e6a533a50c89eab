package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/journaltest"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

var ctx = context.Background()

func TestConformance(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) func() journal.Journal {
		path := filepath.Join(t.TempDir(), "fleet.db")
		return func() journal.Journal { return mustOpen(t, path, sqlite.Options{}) }
	})
}

func mustOpen(t testing.TB, path string, o sqlite.Options) *sqlite.Journal {
	t.Helper()
	j, err := sqlite.Open(ctx, path, o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}
