package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/jackc/pgx/v5"

	"github.com/muster-fleet/muster/internal/run/journal"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// snapshotSum covers what a row of snapshot says.
func snapshotSum(s journal.Snapshot, entry int64) int64 {
	head := fmt.Appendf(nil, "%d %d %d ", s.Seq, s.At, entry)
	return int64(crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, s.Data))
}

// SaveSnapshot keeps s in a row of its own; see journal.Journal.
func (j *Journal) SaveSnapshot(ctx context.Context, s journal.Snapshot) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	if j.options.ReadOnly {
		return fmt.Errorf("journal %s: save a snapshot: %w: it was opened for reading only", j.name, journal.ErrReadOnly)
	}
	last, _, err := j.Last(ctx)
	if err != nil {
		return err
	}
	if s.Seq > last {
		return fmt.Errorf("journal %s: snapshot of entry %d refused, the log ends at %d; append first", j.name, s.Seq, last)
	}
	entry, err := j.stored(ctx, s.Seq)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, longTimeout)
	defer stop()
	return j.explain("save a snapshot", pgx.BeginFunc(ctx, j.pool, func(tx pgx.Tx) error { return save(ctx, tx, s, int64(entry.Sum)) }))
}

func save(ctx context.Context, tx pgx.Tx, s journal.Snapshot, entry int64) error {
	if s.Data == nil {
		s.Data = []byte{}
	}
	// It need not wait for replicas: losing a snapshot costs time, nothing else.
	if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = local"); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO muster.snapshot VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (seq) DO UPDATE SET at = excluded.at, entry = excluded.entry, sum = excluded.sum, data = excluded.data`,
		key(s.Seq), s.At, entry, snapshotSum(s, entry), s.Data)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, "SELECT seq FROM muster.snapshot ORDER BY seq")
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	seqs, drop := make([]uint64, len(found)), []int64{}
	for i, seq := range found {
		seqs[i] = uint64(seq)
	}
	for _, seq := range journal.Thin(seqs) {
		drop = append(drop, key(seq))
	}
	if len(drop) == 0 {
		return nil
	}
	_, err = tx.Exec(ctx, "DELETE FROM muster.snapshot WHERE seq = ANY($1)", drop)
	return err
}

// SnapshotBefore returns the newest intact snapshot with Seq <= seq; see journal.Journal.
func (j *Journal) SnapshotBefore(ctx context.Context, seq uint64) (journal.Snapshot, bool, error) {
	if err := j.ready(ctx); err != nil {
		return journal.Snapshot{}, false, err
	}
	ctx, stop := context.WithTimeout(ctx, longTimeout)
	defer stop()
	for {
		var found, entry, sum int64
		var s journal.Snapshot
		err := j.pool.QueryRow(ctx, "SELECT seq, at, entry, sum, data FROM muster.snapshot WHERE seq <= $1 ORDER BY seq DESC LIMIT 1", key(seq)).
			Scan(&found, &s.At, &entry, &sum, &s.Data)
		if errors.Is(err, pgx.ErrNoRows) {
			return journal.Snapshot{}, false, nil
		}
		if err != nil {
			return journal.Snapshot{}, false, j.explain("read a snapshot", err)
		}
		s.Seq = uint64(found)
		if snapshotSum(s, entry) == sum {
			if is, err := j.stored(ctx, s.Seq); err == nil && int64(is.Sum) == entry {
				return s, true, nil
			}
		}
		if s.Seq == 0 {
			return journal.Snapshot{}, false, nil
		}
		seq = s.Seq - 1
	}
}
