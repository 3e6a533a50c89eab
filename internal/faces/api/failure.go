package api

import (
	"bytes"
	"context"
	"errors"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostAround bounds how many changes around a failure an answer lists.
const mostAround = 32

// around adds to a failure which of its nodes changed their state within minutes of it, as
// the log says: that is what there is to look at where its cause is not known.
func (s *service) around(ctx context.Context, f *musterv1.Failure) error {
	if f == nil {
		return nil
	}
	at := fleet.InstantOf(f.GetAt().AsTime())
	from, until := at.Add(-health.Before), at.Add(health.After)
	first, err := s.engine.SeqAt(ctx, from)
	if errors.As(err, new(*journal.TrimmedError)) {
		return nil // so long ago that the log no longer has it
	}
	if err != nil {
		return err
	}
	last, err := s.engine.SeqAt(ctx, until)
	if err != nil || last <= first {
		return err
	}
	seq, kind := first, []byte(event.NodeChanged{}.Kind())
	err = s.engine.RecordsWith(ctx, first+1, func(record []byte) bool {
		seq++
		return seq >= last || bytes.Contains(record, kind)
	}, func(r event.Record) error {
		if r.Seq <= last {
			f.Around = append(f.Around, changesOf(f.GetNodes(), r)...)
		}
		if r.Seq >= last || len(f.GetAround()) >= mostAround {
			return errFound
		}
		return nil
	})
	f.Around = f.GetAround()[:min(mostAround, len(f.GetAround()))]
	if errors.Is(err, errFound) {
		return nil
	}
	return err
}

// changesOf are the changes of some nodes in a record.
func changesOf(nodes []string, r event.Record) (list []*musterv1.Evidence) {
	for _, e := range r.Events {
		if n, ok := e.(event.NodeChanged); ok && slices.Contains(nodes, n.Node) {
			says := words.TellEvent(n, nil).Says
			if did := view.ByPeople(n, r); did != "" {
				says += ": " + did
			}
			list = append(list, &musterv1.Evidence{Node: n.Node, At: wire.Instant(r.At), Says: says})
		}
	}
	return list
}
