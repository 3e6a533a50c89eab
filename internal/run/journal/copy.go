package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
)

// copyEntries and copyBytes bound what a copy appends at once.
const (
	copyEntries = 1024
	copyBytes   = 4 << 20
)

// errEnough ends a read that has what it wants.
var errEnough = errors.New("enough")

// Copy appends to a log what it lacks of another, byte for byte, and then the newest
// snapshot. What it has already must be a beginning of the other. The other may grow
// meanwhile: a second Copy goes on where the first ended. progress hears how far it is.
func Copy(ctx context.Context, to, from Journal, progress func(seq uint64)) (last uint64, err error) {
	last, _, err = to.Last(ctx)
	if err != nil {
		return 0, err
	}
	if last, err = begin(ctx, to, from, last); err != nil {
		return last, err
	}
	var group []Entry
	size := 0
	flush := func() error {
		if err := to.Append(ctx, group); err != nil {
			return err
		}
		if len(group) > 0 {
			last = group[len(group)-1].Seq
			progress(last)
		}
		group, size = group[:0], 0
		return nil
	}
	err = from.Read(ctx, last+1, func(e Entry) error {
		group, size = append(group, e), size+len(e.Data)
		if len(group) < copyEntries && size < copyBytes {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return last, err
	}
	return last, copySnapshot(ctx, to, from, last)
}

// begin lets an empty log begin where the other does, and demands of another that it ends with
// an entry that the other has at its place.
func begin(ctx context.Context, to, from Journal, last uint64) (uint64, error) {
	base, err := from.Base(ctx)
	switch {
	case err != nil:
		return last, err
	case last == 0 && base.Seq > 0:
		return base.Seq, to.Begin(ctx, base)
	case last < base.Seq:
		return last, fmt.Errorf("journal: the copy ends at entry %d, and the log lacks those up to %d by now; copy into an empty one", last, base.Seq)
	case last == base.Seq:
		return last, checkBase(ctx, to, base)
	}
	return last, checkBeginning(ctx, to, from, last)
}

// checkBase demands that a log ends with the entry that the other has dropped last.
func checkBase(ctx context.Context, to Journal, base Base) error {
	is, err := to.Base(ctx)
	end := is.Link
	if err == nil {
		err = to.Read(ctx, 0, func(e Entry) error { end = end.Extend(e); return nil })
	}
	if err == nil && end != base.Link {
		err = otherLog(end.Seq)
	}
	return err
}

func otherLog(last uint64) error {
	return fmt.Errorf("journal: the copy holds %d entries of another log; copy into an empty one", last)
}

// checkBeginning demands that a log ends with an entry that the other has at its place.
func checkBeginning(ctx context.Context, to, from Journal, last uint64) error {
	if base, err := to.Base(ctx); err != nil || base.Seq == last {
		return errors.Join(err, checkLink(ctx, from, base.Link))
	}
	a, err := entryOf(ctx, to, last)
	if err != nil {
		return err
	}
	b, err := entryOf(ctx, from, last)
	if err != nil {
		return err
	}
	if a.Seq != last || b.Seq != last || a.At != b.At || !bytes.Equal(a.Data, b.Data) {
		return otherLog(last)
	}
	return nil
}

// checkLink demands that a log has an entry as another that begins after it says.
func checkLink(ctx context.Context, from Journal, last Link) error {
	base, err := from.Base(ctx)
	if err != nil {
		return err
	}
	end := base.Link
	err = from.Read(ctx, 0, func(e Entry) error {
		if end = end.Extend(e); e.Seq == last.Seq {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if end != last {
		return otherLog(last.Seq)
	}
	return nil
}

func entryOf(ctx context.Context, j Journal, seq uint64) (found Entry, err error) {
	err = j.Read(ctx, seq, func(e Entry) error { found = e; return errEnough })
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, err
}

func copySnapshot(ctx context.Context, to, from Journal, last uint64) error {
	s, ok, err := from.SnapshotBefore(ctx, last)
	if err != nil || !ok {
		return err
	}
	if is, known, err := to.SnapshotBefore(ctx, math.MaxInt64); err != nil || known && is.Seq >= s.Seq {
		return err
	}
	return to.SaveSnapshot(ctx, s)
}
