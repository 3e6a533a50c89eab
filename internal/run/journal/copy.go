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
	if err := checkBeginning(ctx, to, from, last); err != nil {
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

// checkBeginning demands that a log ends with an entry that the other has at its place.
func checkBeginning(ctx context.Context, to, from Journal, last uint64) error {
	if last == 0 {
		return nil
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
		return fmt.Errorf("journal: the copy holds %d entries of another log; copy into an empty one", last)
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
