package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// A trim first puts the base in its place, in one transaction; from then on the entries before
// it count as dropped. Then it removes them, a few at a time, so that no append waits for long. A
// copy of the base is beside the file: what it says can be had from nowhere else.

// How many entries are removed at once, and how long a trim rests after them.
const (
	trimRows = 4096
	trimRest = 5 * time.Millisecond
)

func basePath(path string) string { return path + "-base" }

// Base returns what stands in the place of the entries that were dropped; see journal.Journal.
func (j *Journal) Base(ctx context.Context) (journal.Base, error) {
	if err := j.ready(ctx); err != nil {
		return journal.Base{}, err
	}
	return j.loadBase()
}

// loadBase reads the base, and remembers after which entry the log begins.
func (j *Journal) loadBase() (b journal.Base, err error) {
	proven := false
	err = j.readers.with(func(r *reader) (err error) {
		b, proven, err = readBase(r.conn)
		return err
	})
	if err != nil && !isDamage(err) {
		return b, explain(j.path, "read the base", err)
	}
	if err != nil || !proven {
		b, proven = spareBase(j.path)
	}
	if !proven {
		return b, j.damageBeside(0, "what stands in the place of the dropped entries is not as it was written")
	}
	j.begins.Store(&b.Link)
	return b, nil
}

// readBase reads the row of the table base; proven is false where it is damaged. The base is zero
// where there is none.
func readBase(c *conn) (b journal.Base, proven bool, err error) {
	tables, err := c.number("SELECT count(*) FROM sqlite_schema WHERE type='table' AND name='base'")
	if err != nil || tables == 0 {
		return b, err == nil, err
	}
	row, err := c.row("SELECT seq, at, sum, proof, data FROM base", 5)
	if err != nil || row == nil {
		return b, err == nil, err
	}
	seq, ok1 := row[0].(int64)
	at, ok2 := row[1].(int64)
	sum, ok3 := row[2].(int64)
	proof, ok4 := row[3].(int64)
	data, ok5 := row[4].([]byte)
	b = journal.Base{Link: journal.Link{Seq: uint64(seq), At: at, Sum: uint32(sum)}, Data: data}
	return b, ok1 && ok2 && ok3 && ok4 && ok5 && proof == proofOf(b), nil
}

func proofOf(b journal.Base) int64 {
	head := encodeHeader(journal.Snapshot{Seq: b.Seq, At: b.At, Data: b.Data}, b.Sum)
	return int64(snapshotSum(head[:len(head)-4], b.Data))
}

// spareBase reads the copy beside the file.
func spareBase(path string) (b journal.Base, ok bool) {
	data, err := os.ReadFile(basePath(path))
	if err != nil {
		return b, false
	}
	s, sum, err := decodeSnapshot(data)
	return journal.Base{Link: journal.Link{Seq: s.Seq, At: s.At, Sum: sum}, Data: s.Data}, err == nil
}

// beginning is the link after which the log begins.
func (j *Journal) beginning() journal.Link {
	if is := j.begins.Load(); is != nil {
		return *is
	}
	return journal.Link{}
}

// lacks returns a *journal.TrimmedError for an entry that was dropped, which another process
// may have done a moment ago.
func (j *Journal) lacks(seq uint64) error {
	if err := j.beginning().Lacks(seq); err != nil {
		return err
	}
	if _, err := j.loadBase(); err != nil {
		return nil //nolint:nilerr // then it is damage, and the caller says so
	}
	return j.beginning().Lacks(seq)
}

// Trim drops the entries up to s.Seq; see journal.Journal.
func (j *Journal) Trim(ctx context.Context, s journal.Snapshot) error {
	last, _, err := j.Last(ctx)
	if err == nil {
		_, err = j.loadBase()
	}
	if err == nil {
		err = j.beginning().CheckTrim(s.Seq, last)
	}
	if err != nil {
		return err
	}
	if j.options.ReadOnly {
		return j.refuseWrite("trim")
	}
	if s.Seq > j.beginning().Seq {
		link, err := j.stored(s.Seq)
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
	if j.options.ReadOnly {
		return j.refuseWrite("begin")
	}
	return j.setBase(ctx, b)
}

func (j *Journal) setBase(ctx context.Context, b journal.Base) error {
	if err := j.keepSpare(b); err != nil {
		return explain(j.path, "keep the base", err)
	}
	if err := j.writer.setBase(ctx, b); err != nil {
		return j.fault("keep the base", err)
	}
	j.begins.Store(&b.Link)
	j.acknowledge(b.Seq)
	return nil
}

// spare sees to it that there is a copy of the base beside the file, and of this one.
func (j *Journal) spare() error {
	is := j.beginning()
	if is.Seq == 0 {
		return nil
	}
	if kept, ok := spareBase(j.path); ok && kept.Link == is {
		return nil
	}
	b, err := j.loadBase()
	if err != nil {
		return err
	}
	return j.keepSpare(b)
}

// keepSpare writes the copy of a base.
func (j *Journal) keepSpare(b journal.Base) error {
	return wholefile.WriteBytes(basePath(j.path), encodeHeader(journal.Snapshot{Seq: b.Seq, At: b.At, Data: b.Data}, b.Sum), b.Data)
}

func (w *writer) setBase(ctx context.Context, b journal.Base) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.conn == nil:
		return journal.ErrClosed
	case w.broken != nil:
		return w.broken
	}
	if b.Data == nil {
		b.Data = []byte{} // nil would be stored as NULL
	}
	err := w.conn.transact(ctx, func() error {
		found, err := w.conn.number("PRAGMA user_version")
		if err == nil && found < format {
			if err = w.conn.exec(baseTable.sql); err == nil {
				err = setFormat(w.conn, format)
			}
		}
		if err == nil {
			err = w.conn.exec("DELETE FROM base")
		}
		if err != nil {
			return err
		}
		put, err := w.conn.raw.Prepare("INSERT INTO base VALUES(?,?,?,?,?)")
		if err != nil {
			return err
		}
		defer put.Close()
		return (&stmt{put}).exec(ctx, []driver.NamedValue{arg(1, key(b.Seq)), arg(2, b.At), arg(3, int64(b.Sum)), arg(4, proofOf(b)), arg(5, b.Data)})
	})
	if err == nil {
		w.base = b.Link
	}
	w.distrust(err)
	return err
}

// drop removes what is left of the entries up to seq, and the snapshots of before.
func (j *Journal) drop(ctx context.Context, seq uint64) error {
	for more := true; more; {
		var err error
		if more, err = j.writer.drop(ctx, seq); err != nil {
			return j.fault("drop entries", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(trimRest):
		}
	}
	j.snapshots.Lock()
	defer j.snapshots.Unlock()
	dir := snapshotDir(j.path)
	seqs, err := listSnapshots(dir)
	for _, old := range seqs {
		if old < seq {
			_ = os.Remove(filepath.Join(dir, snapshotName(old))) // one that cannot be removed is of no use, and goes with the next trim
		}
	}
	return explain(j.path, "list the snapshots", err)
}

func (w *writer) drop(ctx context.Context, seq uint64) (more bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.conn == nil:
		return false, journal.ErrClosed
	case w.broken != nil:
		return false, w.broken
	}
	err = w.conn.transact(ctx, func() error {
		first, err := w.conn.number("SELECT coalesce(min(seq), 0) FROM entry")
		if err != nil || first == 0 || first > key(seq) {
			return err
		}
		more = true
		to := min(first+trimRows, key(seq)+1)
		if err := w.conn.exec(fmt.Sprintf("DELETE FROM entry WHERE seq < %d", to)); err != nil {
			return err
		}
		return w.conn.exec(fmt.Sprintf("DELETE FROM turn WHERE seq < %d", to))
	})
	w.distrust(err)
	return more, err
}
