package sqlite

import (
	"context"
	"database/sql/driver"
	"sort"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// The log is a row of runs. Within a run At never falls, so a moment is found
// by halving; a run begins at the first entry and at every turn, where At steps back.
// Turns are rare, and the table turn knows them all.

// SeqAt returns the last sequence number whose At <= at; see journal.Journal.
func (j *Journal) SeqAt(ctx context.Context, at int64) (uint64, error) {
	last, _, err := j.Last(ctx)
	if err != nil {
		return 0, err
	}
	starts, err := j.runs(last)
	if err != nil {
		return 0, err
	}
	end := last
	for _, start := range starts {
		seq, err := j.lastInRun(start, end, at)
		if err != nil || seq >= start {
			return seq, err
		}
		end = start - 1
	}
	base := j.beginning()
	if base.At > at {
		return 0, base.Lacks(base.Seq)
	}
	return base.Seq, nil
}

// runs returns where the runs up to the entry last begin, latest first.
func (j *Journal) runs(last uint64) (starts []uint64, err error) {
	ok, first := true, j.beginning().Seq+1
	err = j.readers.with(func(r *reader) error {
		return r.query("SELECT seq FROM turn ORDER BY seq DESC", 1, func(row []driver.Value) bool {
			var seq int64
			if seq, ok = row[0].(int64); ok && uint64(seq) <= last && uint64(seq) > first {
				starts = append(starts, uint64(seq))
			}
			return ok
		})
	})
	if err == nil && !ok {
		err = wrongType
	}
	return append(starts, first), j.fault("read the turns", err)
}

// lastInRun returns the last entry of the run start..end whose At <= at, or
// start-1.
func (j *Journal) lastInRun(start, end uint64, at int64) (uint64, error) {
	var failed error
	n := sort.Search(int(end-start+1), func(i int) bool {
		e, err := j.entry(start + uint64(i))
		if err != nil {
			failed = err
		}
		return failed != nil || e.At > at
	})
	return start + uint64(n) - 1, failed
}

// entry returns one entry, proven against the checksum before it.
func (j *Journal) entry(seq uint64) (journal.Entry, error) {
	before, err := j.stored(seq - 1)
	if err != nil {
		return journal.Entry{}, err
	}
	var found stretch
	if err := j.readStretch(&found, before, 1); err != nil {
		return journal.Entry{}, err
	}
	if found.damage != nil {
		return journal.Entry{}, found.damage
	}
	if len(found.entries) == 0 {
		return journal.Entry{}, j.damageAfter(seq-1, "it is missing")
	}
	return found.entries[0], nil
}
