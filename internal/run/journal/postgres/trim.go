package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// A trim first puts the base in its place, in one transaction; from then on the entries before
// it count as dropped. Then it removes them, a few at a time.

// trimmedFormat is the first that can read a log without its beginning.
const trimmedFormat = 3

// How many entries are removed at once, and how long a trim rests after them.
const (
	trimRows = 4096
	trimRest = 5 * time.Millisecond
)

// Base returns what stands in the place of the entries that were dropped; see journal.Journal.
func (j *Journal) Base(ctx context.Context) (b journal.Base, err error) {
	if err := j.ready(ctx); err != nil {
		return b, err
	}
	ctx, stop := context.WithTimeout(ctx, longTimeout)
	defer stop()
	var seq, sum, proof int64
	err = j.pool.QueryRow(ctx, "SELECT seq, at, sum, proof, data FROM muster.base").Scan(&seq, &b.At, &sum, &proof, &b.Data)
	if errors.Is(err, pgx.ErrNoRows) || j.whole(err) {
		return b, nil
	}
	if err != nil {
		return b, j.explain("read the base", err)
	}
	b.Seq, b.Sum = uint64(seq), uint32(sum)
	if proofOf(b) != proof {
		return journal.Base{}, &journal.CorruptError{Path: j.name, Offset: -1, Why: "what stands in the place of the dropped entries is not as it was written"}
	}
	j.begins.Store(&b.Link)
	return b, nil
}

// whole says whether a handle for reading has met tables of before there was a base.
func (j *Journal) whole(err error) bool {
	return j.options.ReadOnly && code(err) == undefinedTable
}

func proofOf(b journal.Base) int64 {
	return snapshotSum(journal.Snapshot{Seq: b.Seq, At: b.At, Data: b.Data}, int64(b.Sum))
}

// beginning is the link after which the log begins, as far as this handle knows.
func (j *Journal) beginning() journal.Link {
	if is := j.begins.Load(); is != nil {
		return *is
	}
	return journal.Link{}
}

// lookForBase notes after which entry the log begins.
func (j *Journal) lookForBase(ctx context.Context) error {
	ctx, stop := j.brief(ctx)
	defer stop()
	l, err := scanLink(j.pool.QueryRow(ctx, "SELECT seq, at, sum FROM muster.base"))
	if errors.Is(err, pgx.ErrNoRows) || j.whole(err) {
		return nil
	}
	if err == nil {
		j.begins.Store(&l)
	}
	return err
}

// lacks returns a *journal.TrimmedError for an entry that was dropped, which another process
// may have done a moment ago.
func (j *Journal) lacks(ctx context.Context, seq uint64) error {
	if err := j.beginning().Lacks(seq); err != nil {
		return err
	}
	if err := j.lookForBase(ctx); err != nil {
		return j.explain("read the base", err)
	}
	return j.beginning().Lacks(seq)
}

// Trim drops the entries up to s.Seq; see journal.Journal.
func (j *Journal) Trim(ctx context.Context, s journal.Snapshot) error {
	last, _, err := j.Last(ctx)
	if err == nil {
		err = j.explain("trim", j.lookForBase(ctx))
	}
	if err == nil {
		err = j.beginning().CheckTrim(s.Seq, last)
	}
	if err != nil {
		return err
	}
	if j.options.ReadOnly {
		return fmt.Errorf("journal %s: trim: %w: it was opened for reading only", j.name, journal.ErrReadOnly)
	}
	if s.Seq > j.beginning().Seq {
		link, err := j.stored(ctx, s.Seq)
		if err != nil {
			return err
		}
		if err := j.setBase(ctx, journal.Base{Link: link, Data: s.Data}); err != nil {
			return err
		}
	}
	return j.drop(ctx, j.beginning().Seq)
}

// Begin lets an empty log begin after a base; see journal.Journal.
func (j *Journal) Begin(ctx context.Context, b journal.Base) error {
	last, _, err := j.Last(ctx)
	if err == nil {
		err = b.CheckBegin(last)
	}
	if err != nil {
		return err
	}
	if err := j.setBase(ctx, b); err != nil {
		return err
	}
	j.write.Lock()
	defer j.write.Unlock()
	j.tail = b.Link
	return nil
}

// setBase puts a base in its place. From then on a program that knows of none refuses.
func (j *Journal) setBase(ctx context.Context, b journal.Base) error {
	if b.Data == nil {
		b.Data = []byte{} // nil would be NULL
	}
	ctx, stop := context.WithTimeout(ctx, longTimeout)
	defer stop()
	err := pgx.BeginFunc(ctx, j.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO muster.base VALUES (true, $1, $2, $3, $4, $5)
ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, at = excluded.at, sum = excluded.sum, proof = excluded.proof, data = excluded.data
WHERE muster.base.seq < excluded.seq`, key(b.Seq), b.At, int64(b.Sum), proofOf(b), b.Data)
		if err == nil {
			_, err = tx.Exec(ctx, "UPDATE muster.meta SET value = $1 WHERE key = 'least' AND value < $1", int64(trimmedFormat))
		}
		return err
	})
	if err != nil {
		return j.explain("keep the base", err)
	}
	j.begins.Store(&b.Link)
	return nil
}

// drop removes what is left of the entries up to seq, and the snapshots of before. It waits for no
// replica: what comes back in a failover is dropped by the next trim.
func (j *Journal) drop(ctx context.Context, seq uint64) error {
	for more := true; more; {
		err := j.local(ctx, func(ctx context.Context, tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `DELETE FROM muster.entry WHERE seq <= $1 AND seq < (SELECT min(seq) FROM muster.entry) + $2`, key(seq), trimRows)
			more = err == nil && tag.RowsAffected() > 0
			return err
		})
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(trimRest):
		}
	}
	return j.local(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM muster.turn WHERE seq <= $1", key(seq))
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM muster.snapshot WHERE seq < $1", key(seq))
		}
		return err
	})
}

// local does something in a transaction that waits for no replica.
func (j *Journal) local(ctx context.Context, do func(context.Context, pgx.Tx) error) error {
	ctx, stop := context.WithTimeout(ctx, longTimeout)
	defer stop()
	return j.explain("drop entries", pgx.BeginFunc(ctx, j.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = local"); err != nil {
			return err
		}
		return do(ctx, tx)
	}))
}
