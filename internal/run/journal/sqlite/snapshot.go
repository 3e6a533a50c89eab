package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// SaveSnapshot keeps s in a file of its own; see journal.Journal. It does not
// touch the database, so appends go on meanwhile.
func (j *Journal) SaveSnapshot(ctx context.Context, s journal.Snapshot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if j.options.ReadOnly {
		return j.refuseWrite("save a snapshot")
	}
	last, _, err := j.Last(ctx)
	if err != nil {
		return err
	}
	if s.Seq > last {
		return fmt.Errorf("journal %s: snapshot of entry %d refused, the log ends at %d; append first", j.path, s.Seq, last)
	}
	entry, err := j.stored(s.Seq)
	if err != nil {
		return err
	}
	return explain(j.path, "save a snapshot", j.saveSnapshot(s, entry.Sum))
}

func (j *Journal) saveSnapshot(s journal.Snapshot, sum uint32) error {
	j.snapshots.Lock()
	defer j.snapshots.Unlock()
	dir := snapshotDir(j.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	wholefile.Sweep(dir)
	if err := wholefile.WriteBytes(filepath.Join(dir, snapshotName(s.Seq)), encodeHeader(s, sum), s.Data); err != nil {
		return err
	}
	return thinOut(dir)
}

// thinOut removes the snapshots that are no longer worth their room. One that
// cannot be removed now goes next time.
func thinOut(dir string) error {
	seqs, err := listSnapshots(dir)
	if err != nil {
		return err
	}
	for _, seq := range journal.Thin(seqs) {
		_ = os.Remove(filepath.Join(dir, snapshotName(seq)))
	}
	return nil
}

// SnapshotBefore returns the newest intact snapshot with Seq <= seq; see
// journal.Journal. A snapshot that does not belong to this log (of entries that
// a salvage cut off, or copied from elsewhere) counts as damaged.
func (j *Journal) SnapshotBefore(ctx context.Context, seq uint64) (journal.Snapshot, bool, error) {
	if err := j.ready(ctx); err != nil {
		return journal.Snapshot{}, false, err
	}
	for {
		s, sum, ok := j.newestWhole(seq)
		if !ok {
			return journal.Snapshot{}, false, nil
		}
		if j.holds(s.Seq, sum) {
			return s, true, nil
		}
		if s.Seq == 0 {
			return journal.Snapshot{}, false, nil
		}
		seq = s.Seq - 1
	}
}

// newestWhole returns the newest snapshot with Seq <= seq whose file is whole,
// and the checksum of its entry.
func (j *Journal) newestWhole(seq uint64) (s journal.Snapshot, sum uint32, ok bool) {
	dir := snapshotDir(j.path)
	seqs, _ := listSnapshots(dir) // a folder that cannot be listed is a damaged one: skipped
	for _, candidate := range slices.Backward(seqs) {
		if candidate > seq {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, snapshotName(candidate)))
		if err != nil {
			continue
		}
		if s, sum, err := decodeSnapshot(b); err == nil && s.Seq == candidate {
			return s, sum, true
		}
	}
	return s, 0, false
}

// holds tells whether the log has that very entry.
func (j *Journal) holds(seq uint64, sum uint32) bool {
	entry, err := j.stored(seq)
	return err == nil && entry.Sum == sum
}
