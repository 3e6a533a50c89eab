package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"

	"github.com/muster-fleet/muster/internal/run/journal"
)

const (
	entryColumns = "seq, at, sum, data"
	linkColumns  = "seq, at, sum"
	tailQuery    = "SELECT " + linkColumns + " FROM entry ORDER BY seq DESC LIMIT 1"
)

// A stretch is what a reader takes from the file at once, so that no
// transaction stays open while fn works: it would keep the write-ahead log from
// being reused. Each reader who waits in fn, as one who streams to a slow caller does, keeps
// one in memory.
const (
	stretchRows  = 512
	stretchBytes = 128 << 10
)

// Read calls fn for the entries from the sequence number on; see journal.Journal.
func (j *Journal) Read(ctx context.Context, from uint64, fn func(journal.Entry) error) error {
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
	end, damage, err := j.end()
	if err != nil || (damage == nil && from > end) {
		return cmp.Or(err, ctx.Err())
	}
	if err := j.beginning().Lacks(from); err != nil {
		return err
	}
	before, err := j.stored(from - 1)
	if err != nil {
		return err
	}
	if err := j.scan(ctx, before, end, fn); err != nil {
		return err
	}
	return j.diagnose(damage) // where the end is damaged, the scan met it before
}

// Last returns the last sequence number and its At; see journal.Journal.
func (j *Journal) Last(ctx context.Context) (uint64, int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	acknowledged := j.acknowledged.Load() // before looking, as the log may grow meanwhile
	last, err := j.last()
	if err != nil {
		return 0, 0, j.fault("read the last entry", err)
	}
	if last.Seq < acknowledged {
		return 0, 0, j.damageAfter(last.Seq, brokenOff(acknowledged))
	}
	return last.Seq, last.At, nil
}

// scan calls fn for every entry after the link before, proving each, until
// nothing follows. The log must not end before the entry end.
func (j *Journal) scan(ctx context.Context, before journal.Link, end uint64, fn func(journal.Entry) error) error {
	var found stretch
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.readStretch(&found, before, stretchRows); err != nil {
			return err
		}
		for i, e := range found.entries {
			found.entries[i] = journal.Entry{} // fn may wait for long
			if err := fn(e); err != nil {
				return err
			}
		}
		switch {
		case found.damage != nil:
			return found.damage
		case len(found.entries) > 0:
			before = found.last
		case before.Seq < end:
			return j.damageAfter(before.Seq, brokenOff(end))
		default:
			return nil
		}
	}
}

// stretch is a piece of the log: proven entries up to the link last, and what
// is wrong with the entry after them, if anything.
type stretch struct {
	entries []journal.Entry
	last    journal.Link
	damage  error
}

// readStretch reads what follows before, at most limit entries.
func (j *Journal) readStretch(found *stretch, before journal.Link, limit int) error {
	found.entries, found.last, found.damage = found.entries[:0], before, nil
	bytes, why := 0, ""
	err := j.readers.with(func(r *reader) error {
		return r.stretch.each(4, func(row []driver.Value) bool {
			var e journal.Entry
			if e, found.last, why = prove(found.last, row); why != "" {
				return false
			}
			found.entries = append(found.entries, e)
			bytes += len(e.Data)
			return bytes < stretchBytes
		}, arg(1, key(before.Seq+1)), arg(2, int64(limit)))
	})
	if isDamage(err) {
		why = err.Error()
	} else if err != nil {
		return explain(j.path, "read", err)
	}
	if why != "" {
		if err := j.lacks(found.last.Seq + 1); err != nil {
			return err
		}
		found.damage = j.damageAfter(found.last.Seq, why)
	}
	return nil
}

// end returns how far the log must go: to its last row, and to what was
// acknowledged. Damage that hides the last row is returned apart: it is no reason not to
// read what is good.
func (j *Journal) end() (end uint64, damage, err error) {
	acknowledged := j.acknowledged.Load() // before looking, as in Last
	last, err := j.last()
	if isDamage(err) {
		return acknowledged, err, nil
	}
	return max(last.Seq, acknowledged), nil, explain(j.path, "read the last entry", err)
}

func brokenOff(acknowledged uint64) string {
	return fmt.Sprintf("the log breaks off, though entry %d was acknowledged", acknowledged)
}

// last returns the stored link of the last row, unproven; zero in an empty log.
func (j *Journal) last() (last journal.Link, err error) {
	err = j.readers.with(func(r *reader) error {
		last, err = storedLink(r.tail)
		return err
	})
	if err == nil && last.Seq == 0 {
		last = j.beginning()
	}
	return last, err
}

// stored returns the link of an entry as it is stored, unproven.
func (j *Journal) stored(seq uint64) (journal.Link, error) {
	if base := j.beginning(); seq == 0 || seq == base.Seq {
		if seq < base.Seq {
			return journal.Link{}, base.Lacks(1)
		}
		return base, nil
	}
	var l journal.Link
	err := j.readers.with(func(r *reader) (err error) {
		l, err = storedLink(r.stored, arg(1, key(seq)))
		return err
	})
	if err != nil {
		return journal.Link{}, j.fault("read", err)
	}
	if l.Seq != seq {
		if err := j.lacks(seq); err != nil {
			return journal.Link{}, err
		}
		return journal.Link{}, j.damageAfter(seq-1, "it is missing")
	}
	return l, nil
}

// storedLink runs a query for linkColumns; where nothing is found, the link is zero.
func storedLink(s *stmt, args ...driver.NamedValue) (journal.Link, error) {
	row, err := s.row(3, args...)
	if err != nil || row == nil {
		return journal.Link{}, err
	}
	seq, ok1 := row[0].(int64)
	at, ok2 := row[1].(int64)
	sum, ok3 := row[2].(int64)
	if !ok1 || !ok2 || !ok3 {
		return journal.Link{}, wrongType
	}
	return journal.Link{Seq: uint64(seq), At: at, Sum: uint32(sum)}, nil
}

// key is a sequence number as SQLite holds it. No log is long enough for the
// difference to matter.
func key(seq uint64) int64 { return int64(min(seq, math.MaxInt64)) }
