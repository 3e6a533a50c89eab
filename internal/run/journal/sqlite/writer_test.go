package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// After a failed sync nothing is acknowledged any more, though SQLite would go
// on; what was durable before stays readable.
func TestFailedSyncEndsWriting(t *testing.T) {
	ctx := context.Background()
	j, err := Open(ctx, filepath.Join(t.TempDir(), "fleet.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Append(ctx, []journal.Entry{{Seq: 1}}); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("sync failed")
	j.writer.broken = failed
	if err := j.Append(ctx, []journal.Entry{{Seq: 2}}); !errors.Is(err, failed) {
		t.Errorf("append after a failed sync: %v", err)
	}
	if last, _, err := j.Last(ctx); last != 1 || err != nil {
		t.Errorf("last is %d (%v), want 1", last, err)
	}
}
