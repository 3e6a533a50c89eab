package api

import (
	"cmp"
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// look answers a question from a state, at the moment that the question is about.
type look func(state *fleet.State, at fleet.Instant) error

// read shows fn the state that a question is about: now, or at a moment of the
// past. What fn keeps must be its own.
func (s *service) read(ctx context.Context, asOf *timestamppb.Timestamp, fn look) (*musterv1.Seen, error) {
	if asOf == nil {
		return s.readNow(fn)
	}
	at, err := s.past(asOf)
	if err != nil {
		return nil, err
	}
	var seen *musterv1.Seen
	var answered error
	err = s.engine.LookBack(ctx, at, func(state *fleet.State) {
		if state.Seq == 0 {
			answered = s.before(ctx, at)
		}
		if answered == nil {
			seen, answered = s.seen(state.Seq, at), fn(state, at)
		}
	})
	return seen, cmp.Or(err, answered)
}

func (s *service) readNow(fn look) (seen *musterv1.Seen, err error) {
	return s.readBy(s.engine.Look, fn)
}

func (s *service) readBy(show func(func(*fleet.State)), fn look) (seen *musterv1.Seen, err error) {
	now := fleet.InstantOf(s.now())
	show(func(state *fleet.State) {
		now = max(now, state.Time)
		seen = s.seen(state.Seq, now)
		err = fn(state, now)
	})
	return seen, err
}

// seen names the state that a question was answered from. A server that follows says how far
// that may be behind.
func (s *service) seen(version uint64, at fleet.Instant) *musterv1.Seen {
	is := &musterv1.Seen{Version: version, At: wire.Instant(at)}
	if lag, follows := s.lag(); follows {
		is.Lag = durationpb.New(lag)
	}
	return is
}

// past reads a moment that has been: by this machine's clock, or by the log's, which may be ahead.
func (s *service) past(asOf *timestamppb.Timestamp) (fleet.Instant, error) {
	at, err := wire.ReadInstant("as_of", asOf)
	latest := fleet.InstantOf(s.now())
	if err == nil && at > latest {
		s.engine.Look(func(state *fleet.State) { latest = max(latest, state.Time) })
	}
	if err == nil && at > latest {
		err = wire.Wrong("as_of", "is %s, which is still to come; ask for a moment of the past", asOf.AsTime().Format("2006-01-02 15:04:05Z"))
	}
	return at, err
}

// before refuses a moment of before the first record: what was then is not known,
// which is another thing than nothing.
func (s *service) before(ctx context.Context, at fleet.Instant) error {
	begin := fleet.Never
	err := s.engine.Records(ctx, 1, func(r event.Record) error {
		begin = r.At
		return errFound
	})
	if errors.As(err, new(*journal.TrimmedError)) {
		return nil // what there was before the first record that is kept is known by other means, or refused by them
	}
	if err != nil && !errors.Is(err, errFound) {
		return err
	}
	if at < begin && begin != fleet.Never {
		return wire.Wrong("as_of", "is %s; nothing was recorded before %s", clock(at), clock(begin))
	}
	return nil
}

// until is the moment up to which a question about the log looks; Never for now.
func (s *service) until(asOf *timestamppb.Timestamp) (fleet.Instant, error) {
	if asOf == nil {
		return fleet.Never, nil
	}
	return s.past(asOf)
}

// orElse is n, or what stands for 0.
func orElse(n, other int32) int {
	if n == 0 {
		n = other
	}
	return int(n)
}
