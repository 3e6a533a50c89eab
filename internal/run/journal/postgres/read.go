package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// A stretch is what a reader takes from the database at once, so that no query stays open
// while fn works.
const (
	stretchRows  = 512
	stretchBytes = 1 << 20
)

// Read calls fn for the entries from the sequence number on; see journal.Journal.
func (j *Journal) Read(ctx context.Context, from uint64, fn func(journal.Entry) error) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	if from > 0 {
		return j.readFrom(ctx, from, fn)
	}
	for begun := false; ; {
		err := j.readFrom(ctx, j.beginning().Seq+1, func(e journal.Entry) error { begun = true; return fn(e) })
		if begun || !errors.As(err, new(*journal.TrimmedError)) {
			return err
		} // else another process has dropped entries meanwhile
	}
}

func (j *Journal) readFrom(ctx context.Context, from uint64, fn func(journal.Entry) error) error {
	if known := j.known.Load(); known != nil && from == known.Seq+1 && from > j.beginning().Seq+1 {
		if list, ok := j.readNews(ctx, *known); ok {
			for _, e := range list {
				if err := fn(e); err != nil {
					return err
				}
			}
			return ctx.Err()
		}
	}
	end, _, err := j.Last(ctx)
	if err != nil || from > end {
		return err
	}
	if err := j.beginning().Lacks(from); err != nil {
		return err
	}
	before, err := j.stored(ctx, from-1)
	if err != nil {
		return err
	}
	if known := j.known.Load(); known != nil && known.Seq == before.Seq {
		if err := j.checkForgotten(known, before); err != nil {
			return err
		}
	}
	return j.scan(ctx, before, end, fn)
}

// readNews reads what follows the last entry that was seen, in one look. ok is false where that does
// not find all of it, or finds anything amiss.
func (j *Journal) readNews(ctx context.Context, known journal.Link) (list []journal.Entry, ok bool) {
	ctx, stop := j.brief(ctx)
	defer stop()
	rows, err := j.pool.Query(ctx, "SELECT seq, at, sum, data FROM muster.entry WHERE seq >= $1 ORDER BY seq LIMIT $2", key(known.Seq), stretchRows)
	if err != nil {
		return nil, false
	}
	defer rows.Close()
	n, size, end := 0, 0, known
	for ; rows.Next(); n++ {
		e, sum, err := scanEntry(rows)
		if err != nil {
			return nil, false
		}
		if n == 0 {
			if e.Seq != known.Seq || uint32(sum) != known.Sum {
				return nil, false
			}
			continue
		}
		next, why := end.Prove(e, sum)
		if why != "" {
			return nil, false
		}
		end = next
		list, size = append(list, e), size+len(e.Data)
	}
	if rows.Err() != nil || n == 0 || n == stretchRows || size >= stretchBytes {
		return nil, false
	}
	if !j.options.ReadOnly {
		j.note(end)
	}
	return list, true
}

func scanEntry(rows pgx.Rows) (e journal.Entry, sum int64, err error) {
	var seq int64
	err = rows.Scan(&seq, &e.At, &sum, &e.Data)
	e.Seq = uint64(seq)
	return e, sum, err
}

// Last returns the last sequence number and its At; see journal.Journal.
func (j *Journal) Last(ctx context.Context) (uint64, int64, error) {
	if err := j.ready(ctx); err != nil {
		return 0, 0, err
	}
	known := j.known.Load() // before looking, as the log may grow meanwhile
	last, err := j.last(ctx)
	if err != nil {
		return 0, 0, j.explain("read the last entry", err)
	}
	return last.Seq, last.At, j.checkForgotten(known, last)
}

// scan calls fn for every entry after the link before, proving each, until nothing
// follows. The log must not end before the entry end.
func (j *Journal) scan(ctx context.Context, before journal.Link, end uint64, fn func(journal.Entry) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		list, damage, err := j.readStretch(ctx, &before)
		if err != nil {
			return err
		}
		if !j.options.ReadOnly { // else it may be read from a replica that lags
			j.note(before)
		}
		for _, e := range list {
			if err := fn(e); err != nil {
				return err
			}
		}
		switch {
		case damage != nil:
			return damage
		case len(list) == 0 && before.Seq < end:
			return j.damageAfter(before.Seq, fmt.Sprintf("the log breaks off, though entry %d was there", end))
		case len(list) == 0:
			return nil
		}
	}
}

// readStretch reads what follows before, and moves that on.
func (j *Journal) readStretch(ctx context.Context, before *journal.Link) (list []journal.Entry, damage, err error) {
	ctx, stop := j.brief(ctx)
	defer stop()
	rows, err := j.pool.Query(ctx, "SELECT seq, at, sum, data FROM muster.entry WHERE seq > $1 ORDER BY seq LIMIT $2", key(before.Seq), stretchRows)
	if err != nil {
		return nil, nil, j.explain("read", err)
	}
	defer rows.Close()
	for size := 0; size < stretchBytes && rows.Next(); {
		e, sum, err := scanEntry(rows)
		if err != nil {
			return nil, nil, j.explain("read", err)
		}
		next, why := before.Prove(e, sum)
		if why != "" {
			rows.Close()
			if err := j.lacks(ctx, before.Seq+1); err != nil {
				return nil, nil, err
			}
			return list, j.damageAfter(before.Seq, why), nil
		}
		*before = next
		list, size = append(list, e), size+len(e.Data)
	}
	rows.Close()
	return list, nil, j.explain("read", rows.Err())
}

func (j *Journal) damageAfter(good uint64, why string) error {
	return &journal.CorruptError{Path: j.name, Seq: good + 1, Offset: -1, Good: good, Why: why}
}

// last returns the stored link of the last row, unproven; zero in an empty log.
func (j *Journal) last(ctx context.Context) (journal.Link, error) {
	ctx, stop := j.brief(ctx)
	defer stop()
	l, err := scanLink(j.pool.QueryRow(ctx, "SELECT seq, at, sum FROM muster.entry ORDER BY seq DESC LIMIT 1"))
	if errors.Is(err, pgx.ErrNoRows) {
		return j.beginning(), nil
	}
	return l, err
}

// stored returns the link of an entry as it is stored, unproven.
func (j *Journal) stored(ctx context.Context, seq uint64) (journal.Link, error) {
	if base := j.beginning(); seq == base.Seq {
		return base, nil
	} else if seq < base.Seq {
		return journal.Link{}, base.Lacks(max(seq, 1))
	}
	ctx, stop := j.brief(ctx)
	defer stop()
	l, err := scanLink(j.pool.QueryRow(ctx, "SELECT seq, at, sum FROM muster.entry WHERE seq = $1", key(seq)))
	if errors.Is(err, pgx.ErrNoRows) {
		if err := j.lacks(ctx, seq); err != nil {
			return journal.Link{}, err
		}
		return journal.Link{}, j.damageAfter(seq-1, "it is missing")
	}
	return l, j.explain("read", err)
}

func scanLink(row pgx.Row) (l journal.Link, err error) {
	var seq, sum int64
	err = row.Scan(&seq, &l.At, &sum)
	l.Seq, l.Sum = uint64(seq), uint32(sum)
	return l, err
}
