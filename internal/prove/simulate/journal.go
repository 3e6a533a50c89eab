package simulate

import (
	"context"
	"errors"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// oblivion is a journal that keeps nothing but its length, so that a long run
// needs no more memory than a short one. What is simulated survives no crash.
type oblivion struct{ seq uint64 }

var _ journal.Journal = (*oblivion)(nil)

// Append counts the entries and forgets them.
func (o *oblivion) Append(_ context.Context, entries []journal.Entry) error {
	if len(entries) > 0 && entries[0].Seq != o.seq+1 {
		return &journal.FencedError{Next: o.seq + 1, Got: entries[0].Seq}
	}
	o.seq += uint64(len(entries))
	return nil
}

var errForgotten = errors.New("a simulation keeps no history")

// Read finds nothing in an empty log, and can find nothing in another.
func (o *oblivion) Read(_ context.Context, from uint64, _ func(journal.Entry) error) error {
	if from <= o.seq {
		return errForgotten
	}
	return nil
}

// Last is the last sequence number.
func (o *oblivion) Last(context.Context) (seq uint64, at int64, err error) { return o.seq, 0, nil }

// SeqAt finds nothing in an empty log, and can find nothing in another.
func (o *oblivion) SeqAt(context.Context, int64) (uint64, error) {
	if o.seq > 0 {
		return 0, errForgotten
	}
	return 0, nil
}

// SaveSnapshot forgets the snapshot.
func (o *oblivion) SaveSnapshot(context.Context, journal.Snapshot) error { return nil }

// SnapshotBefore has none.
func (o *oblivion) SnapshotBefore(context.Context, uint64) (journal.Snapshot, bool, error) {
	return journal.Snapshot{}, false, nil
}

// Close does nothing.
func (o *oblivion) Close() error { return nil }

// Base is that of a log that lacks nothing.
func (o *oblivion) Base(context.Context) (journal.Base, error) { return journal.Base{}, nil }

// Trim has nothing to drop.
func (o *oblivion) Trim(context.Context, journal.Snapshot) error { return nil }

// Begin does nothing: nothing is kept.
func (o *oblivion) Begin(context.Context, journal.Base) error { return nil }
