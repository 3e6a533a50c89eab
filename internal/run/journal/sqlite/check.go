package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"slices"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// check is what Open does before it trusts the log: it proves what follows the
// newest intact snapshot, or all of it.
func (j *Journal) check(ctx context.Context) error {
	if newest, _, ok := j.newestWhole(math.MaxUint64); ok {
		j.acknowledge(newest.Seq) // it was saved, so it was in the log
	}
	var from uint64
	if !j.options.FullCheck {
		s, _, err := j.SnapshotBefore(ctx, math.MaxUint64)
		if err != nil {
			return err
		}
		from = s.Seq
	}
	end, err := j.prove(ctx, from)
	if err != nil {
		return err
	}
	j.acknowledge(end)
	if j.options.FullCheck {
		return j.checkPages(end)
	}
	return nil
}

// Verify proves the whole log and checks the file around it, and returns a
// *journal.CorruptError for the first damage it meets.
func (j *Journal) Verify(ctx context.Context) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	end, err := j.prove(ctx, 0)
	if err != nil {
		return err
	}
	return j.checkPages(end)
}

// checkPages lets SQLite look for what is wrong around the entries, which are
// proven: damage that a later append would meet.
func (j *Journal) checkPages(end uint64) error {
	var found []driver.Value
	err := j.readers.with(func(r *reader) (err error) {
		found, err = r.row("PRAGMA quick_check(1)", 1)
		return err
	})
	switch {
	case err != nil:
		return j.fault("check", err)
	case len(found) != 1 || found[0] != "ok":
		return j.damageBeside(end, fmt.Sprint(found))
	}
	return nil
}

// prove reads the log after the entry from and returns the last entry.
func (j *Journal) prove(ctx context.Context, from uint64) (last uint64, err error) {
	end, damage, err := j.end()
	if err != nil {
		return 0, err
	}
	from = max(from, j.beginning().Seq)
	before, err := j.stored(from)
	if err != nil {
		return 0, err
	}
	watch := turnWatch{last: before}
	if err := j.scan(ctx, before, end, watch.see); err != nil {
		return 0, err
	}
	if damage != nil {
		return 0, j.diagnose(damage)
	}
	return watch.last.Seq, j.checkTurns(from, watch)
}

// checkTurns compares the table of turns with what was met after the entry from.
func (j *Journal) checkTurns(from uint64, watch turnWatch) error {
	starts, err := j.runs(watch.last.Seq)
	if err != nil {
		return err
	}
	first := j.beginning().Seq + 1 // where a run begins, whether time steps back there or not
	known := slices.DeleteFunc(starts, func(seq uint64) bool { return seq <= max(from, first) })
	slices.Reverse(known)
	if !slices.Equal(known, slices.DeleteFunc(watch.met, func(seq uint64) bool { return seq <= first })) {
		return j.damageBeside(watch.last.Seq, "the table of places where time steps back does not fit them")
	}
	return nil
}

// turnWatch notes the turns (see moment.go) in the entries it sees.
type turnWatch struct {
	met  []uint64
	last journal.Link // of which only seq and at are kept up
}

func (w *turnWatch) see(e journal.Entry) error {
	if w.last.Turns(e) {
		w.met = append(w.met, e.Seq)
	}
	w.last.Seq, w.last.At = e.Seq, e.At
	return nil
}

// acknowledge notes that the log was durable up to seq.
func (j *Journal) acknowledge(seq uint64) {
	for known := j.acknowledged.Load(); seq > known; known = j.acknowledged.Load() {
		if j.acknowledged.CompareAndSwap(known, seq) {
			j.head.write(seq)
			return
		}
	}
}

// ready returns why nothing can be asked of the journal now.
func (j *Journal) ready(ctx context.Context) error {
	if j.readers.isClosed() {
		return journal.ErrClosed
	}
	return ctx.Err()
}
