package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// maxData is the most that one entry may hold, in bytes.
const maxData = 256 << 20

// appendQuery writes rows where the handle's term is the present one, and the log ends with
// the entry before the first of them, as it was written. It keeps the row of the lease
// until it is through: a server that takes over waits for it.
//
// It asks for the highest number, and not whether one from $6 on is there: for that PostgreSQL would
// read the whole log each time, as it takes a third of all rows to be so.
//
// It is an INSERT itself, and not one whose rows are counted by a query around it: small groups
// are written faster so.
const appendQuery = `WITH held AS MATERIALIZED (SELECT term FROM muster.lease WHERE term = $1 FOR SHARE),
told AS MATERIALIZED (SELECT pg_notify('muster', '') FROM held)
INSERT INTO muster.entry (seq, at, sum, term, data)
SELECT e.seq, e.at, e.sum, $1, e.data FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) AS e(seq, at, sum, data)
WHERE EXISTS (SELECT 1 FROM told)
  AND coalesce((SELECT max(seq) FROM muster.entry), 0) < $6
  AND ($6 = 1 OR EXISTS (SELECT 1 FROM muster.entry WHERE seq = $6 - 1 AND sum = $7) OR EXISTS (SELECT 1 FROM muster.base WHERE seq = $6 - 1 AND sum = $7))`

// turnQuery is the same for entries among which time steps back.
const turnQuery = `WITH held AS (SELECT term FROM muster.lease WHERE term = $1 FOR SHARE),
written AS (
  INSERT INTO muster.entry (seq, at, sum, term, data)
  SELECT e.seq, e.at, e.sum, $1, e.data FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) AS e(seq, at, sum, data)
  WHERE EXISTS (SELECT 1 FROM held)
    AND coalesce((SELECT max(seq) FROM muster.entry), 0) < $6
    AND ($6 = 1 OR EXISTS (SELECT 1 FROM muster.entry WHERE seq = $6 - 1 AND sum = $7) OR EXISTS (SELECT 1 FROM muster.base WHERE seq = $6 - 1 AND sum = $7))
  RETURNING seq),
turned AS (INSERT INTO muster.turn SELECT t FROM unnest($8::bigint[]) AS t WHERE EXISTS (SELECT 1 FROM written))
SELECT (SELECT count(*) FROM written), (SELECT count(*) FROM held), pg_notify('muster', '')`

// Append makes the entries durable, all or none; see journal.Journal.
func (j *Journal) Append(ctx context.Context, entries []journal.Entry) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	if j.options.ReadOnly {
		return fmt.Errorf("journal %s: append: %w: it was opened for reading only", j.name, journal.ErrReadOnly)
	}
	for _, e := range entries {
		if len(e.Data) > maxData {
			return fmt.Errorf("journal: entry %d has %d bytes, the most is %d; nothing was written", e.Seq, len(e.Data), maxData)
		}
	}
	j.write.Lock()
	defer j.write.Unlock()
	if err := j.ready(ctx); err != nil || len(entries) == 0 {
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), j.options.Timeout)
	defer stop()
	return j.append(ctx, entries)
}

func (j *Journal) append(ctx context.Context, entries []journal.Entry) error {
	if j.unsure || j.tail.Seq+1 != entries[0].Seq {
		done, err := j.look(ctx, entries)
		if done || err != nil {
			return err
		}
	}
	if err := j.inTurn(entries); err != nil {
		return err
	}
	end, n, held, err := j.insert(ctx, entries)
	var refused *pgconn.PgError
	raced := errors.As(err, &refused) && refused.Code == uniqueViolation
	switch {
	case err != nil && !raced:
		j.unsure = true
		return j.explain("append", err)
	case n == len(entries):
		j.tail = end
		j.note(end)
		return nil
	case held == 0 && !raced:
		return fmt.Errorf("journal %s: %w: term %d is over; nothing was written", j.name, journal.ErrDeposed, j.term.Load())
	}
	// The log does not end as this handle believed: another writer got there first.
	was := j.tail
	if _, err := j.look(ctx, entries); err != nil {
		return err
	}
	if err := j.inTurn(entries); err != nil {
		return err
	}
	return &journal.CorruptError{Path: j.name, Seq: was.Seq, Offset: -1, Good: was.Seq - 1, Why: "its checksum is another than when it was written"}
}

// inTurn says whether entries are the next ones of the log. Where this handle led and others
// stand in their place, another server has taken over.
func (j *Journal) inTurn(entries []journal.Entry) error {
	err := journal.CheckOrder(j.tail.Seq+1, entries)
	var fenced *journal.FencedError
	if errors.As(err, &fenced) && j.led.Load() {
		return fmt.Errorf("journal %s: %w: %w", j.name, journal.ErrDeposed, err)
	}
	return err
}

// look reads how the log ends. After an append whose outcome is not known it says whether
// that was done.
func (j *Journal) look(ctx context.Context, entries []journal.Entry) (done bool, err error) {
	known := j.known.Load()
	tail, err := j.last(ctx)
	if err != nil {
		return false, j.explain("append", err)
	}
	if err := j.checkForgotten(known, tail); err != nil {
		return false, err
	}
	first, last := entries[0].Seq, entries[len(entries)-1].Seq
	if j.unsure && tail.Seq >= last && first > 0 {
		if done, err = j.has(ctx, entries); err == nil && done {
			err = j.confirm(ctx)
		}
		if err != nil {
			return false, err
		}
	}
	j.tail, j.unsure = tail, false
	j.note(tail)
	return done, nil
}

// has says whether the log holds these very entries, by the chain's sum at the last.
func (j *Journal) has(ctx context.Context, entries []journal.Entry) (bool, error) {
	end, err := j.stored(ctx, entries[0].Seq-1)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		end = end.Extend(e)
	}
	is, err := j.stored(ctx, end.Seq)
	return err == nil && is.Sum == end.Sum, err
}

// confirm returns once all that the database has committed is as durable as it promises. A
// commit whose wait for a replica was broken off can be seen, though no replica has it; one
// that comes later waits for both.
func (j *Journal) confirm(ctx context.Context) error {
	_, err := j.pool.Exec(ctx, "UPDATE muster.lease SET holder = holder")
	return j.explain("append", err)
}

// insert returns the link of the last entry, how many rows were written, and whether the term is held.
func (j *Journal) insert(ctx context.Context, entries []journal.Entry) (end journal.Link, n, held int, err error) {
	var seqs, ats, sums []int64
	turns := []int64{}
	data := make([][]byte, len(entries))
	end = j.tail
	for i, e := range entries {
		if end.Turns(e) {
			turns = append(turns, key(e.Seq))
		}
		end = end.Extend(e)
		seqs, ats, sums = append(seqs, key(e.Seq)), append(ats, e.At), append(sums, int64(end.Sum))
		if data[i] = e.Data; e.Data == nil {
			data[i] = []byte{} // nil would be NULL
		}
	}
	if len(turns) > 0 {
		var notified any
		err = j.pool.QueryRow(ctx, turnQuery, j.term.Load(), seqs, ats, sums, data, seqs[0], int64(j.tail.Sum), turns).Scan(&n, &held, &notified)
		return end, n, held, err
	}
	tag, err := j.pool.Exec(ctx, appendQuery, j.term.Load(), seqs, ats, sums, data, seqs[0], int64(j.tail.Sum))
	if n = int(tag.RowsAffected()); err != nil || n > 0 {
		return end, n, 1, err
	}
	err = j.pool.QueryRow(ctx, "SELECT count(*) FROM muster.lease WHERE term = $1", j.term.Load()).Scan(&held)
	return end, 0, held, err
}
