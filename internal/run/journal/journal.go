package journal

import "context"

// Entry is one record of the log.
type Entry struct {
	Seq  uint64 // place in the log; the first entry is 1, and there are no gaps
	At   int64  // when it happened, in unix nanoseconds
	Data []byte // opaque; a nil and an empty slice are the same entry
}

// Snapshot is whatever the caller wants back to avoid reading the log from its
// start: the state after the entry Seq.
type Snapshot struct {
	Seq  uint64 // the last entry that the snapshot contains; 0 is the empty log
	At   int64  // the moment of that state, in unix nanoseconds
	Data []byte // opaque
}

// Journal is one handle on a log. All methods may be called from several
// goroutines at once; readers and snapshots do not hold up appends. After
// Close every method but Close returns ErrClosed.
type Journal interface {
	// Append makes the entries durable, in one sync, all or none.
	// entries[0].Seq must be the next sequence number (1 for an empty log), and
	// the rest must follow without gaps. Else a second writer was first: Append
	// returns a *FencedError and writes nothing. The caller may reuse
	// the slices afterwards. ctx can keep an append from beginning; one that
	// has begun is carried through.
	Append(ctx context.Context, entries []Entry) error

	// Read calls fn for every entry with Seq >= from, in order, until fn
	// returns an error, which Read returns as it is, or the end. From 0 it begins
	// with the first entry that the log still has. fn may keep
	// Data but not change it. fn may take its time and call the journal.
	// Where the log is damaged, fn gets all entries before the damage, then
	// Read returns a *CorruptError. Where entries from there on were dropped it is a *TrimmedError.
	Read(ctx context.Context, from uint64, fn func(Entry) error) error

	// Last returns the last sequence number and its At; 0, 0 for an empty log.
	Last(ctx context.Context) (seq uint64, at int64, err error)

	// SeqAt returns the last sequence number whose At <= at; 0 if there is
	// none. It stays right where At steps back (a corrected clock). Where that entry was
	// dropped it returns a *TrimmedError.
	SeqAt(ctx context.Context, at int64) (uint64, error)

	// SaveSnapshot keeps s durably and lets go of older snapshots that are no
	// longer worth their room. The log must already hold the entry s.Seq.
	SaveSnapshot(ctx context.Context, s Snapshot) error

	// SnapshotBefore returns the newest intact snapshot with Seq <= seq, or
	// ok=false. A damaged snapshot is skipped, never fatal.
	SnapshotBefore(ctx context.Context, seq uint64) (s Snapshot, ok bool, err error)

	// Base returns what stands in the place of the entries that were dropped; the zero base
	// where the log has all of its entries.
	Base(ctx context.Context) (Base, error)

	// Trim drops the entries up to s.Seq from the beginning of the log and keeps s in their
	// place, durably. The entry s.Seq must be in the log and not be its last. Appends and reads go
	// on meanwhile. One that was broken off is carried through by the same Trim, or a later one.
	Trim(ctx context.Context, s Snapshot) error

	// Begin lets an empty log begin after a base of another.
	Begin(ctx context.Context, b Base) error

	// Close ends the handle, once a running Append is through. Closing again
	// does nothing.
	Close() error
}

// Follower is a journal that other processes write to, and that one can wait for. Without it
// a server cannot stand by: the engine refuses to follow.
type Follower interface {
	// Wait returns once the log goes beyond a sequence number, or after a moment without news, and
	// where it ends then.
	Wait(ctx context.Context, after uint64) (last uint64, err error)
}

// Prober is a journal that can say, without an append, whether it is still there. Probe
// returns ErrGone where it is not, and ErrUnavailable where that cannot be told now. Without
// it a journal that is gone shows at the next append.
type Prober interface {
	Probe(ctx context.Context) error
}
