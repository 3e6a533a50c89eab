package bench

import (
	"context"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// forgetful is a journal that keeps nothing but where it ends: for benches of decisions, in whose
// figures the log has no part. A fleet cannot be opened from it again.
type forgetful struct {
	seq uint64
	at  int64
}

var _ journal.Journal = (*forgetful)(nil)

// Append counts the entries.
func (f *forgetful) Append(_ context.Context, entries []journal.Entry) error {
	if n := len(entries); n > 0 {
		f.seq, f.at = entries[n-1].Seq, entries[n-1].At
	}
	return nil
}

// Read finds nothing.
func (f *forgetful) Read(context.Context, uint64, func(journal.Entry) error) error { return nil }

// Last is the last entry that was counted.
func (f *forgetful) Last(context.Context) (uint64, int64, error) { return f.seq, f.at, nil }

// SeqAt finds nothing.
func (f *forgetful) SeqAt(context.Context, int64) (uint64, error) { return 0, nil }

// SaveSnapshot keeps nothing.
func (f *forgetful) SaveSnapshot(context.Context, journal.Snapshot) error { return nil }

// SnapshotBefore finds none.
func (f *forgetful) SnapshotBefore(context.Context, uint64) (journal.Snapshot, bool, error) {
	return journal.Snapshot{}, false, nil
}

// Close does nothing.
func (f *forgetful) Close() error { return nil }

// Base is that of a log that lacks nothing.
func (f *forgetful) Base(context.Context) (journal.Base, error) { return journal.Base{}, nil }

// Trim has nothing to drop.
func (f *forgetful) Trim(context.Context, journal.Snapshot) error { return nil }

// Begin does nothing.
func (f *forgetful) Begin(context.Context, journal.Base) error { return nil }
