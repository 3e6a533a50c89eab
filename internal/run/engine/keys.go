package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/keys"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The state knows the newest idempotency keys, as many as fleet.KeyMemory. Those of a week
// are in an index beside the log, from which any of them is found again.

// knowKeys brings the index of keys up to the state. It reads of the log what the index lacks,
// a week at most, and nothing where the state knows it all.
func knowKeys(ctx context.Context, o Options, s *fleet.State) (*keys.Index, error) {
	x, err := keys.Open(o.Keys, func(seq uint64) []byte { return entryAt(ctx, o.Journal, seq).Data })
	if err != nil {
		return nil, fmt.Errorf("the keys of commands: %w", err)
	}
	from, since, err := weekBefore(ctx, o.Journal, s)
	if err == nil {
		if x.End() < from || x.End() > s.Seq {
			x.Begin(from, int64(since))
		}
		err = lackingKeys(ctx, o.Journal, s, x)
	}
	var damage *journal.CorruptError
	if errors.As(err, &damage) && len(s.Keys) > 0 { // what the state remembers must do
		o.Log.Warn("idempotency keys from before are not known: the journal is damaged there", "since", s.Keys[0].At.Time(), "error", err)
		x.Begin(s.Keys[0].Seq-1, int64(s.Keys[0].At))
		err = lackingKeys(ctx, o.Journal, s, x)
	}
	return x, err
}

// weekBefore is the last record from before the week of which keys are known, and the moment since
// which they are.
func weekBefore(ctx context.Context, j journal.Journal, s *fleet.State) (seq uint64, since fleet.Instant, err error) {
	since = s.Time.Add(-keys.Kept)
	seq, err = j.SeqAt(ctx, int64(since))
	var trimmed *journal.TrimmedError
	switch {
	case errors.As(err, &trimmed):
		return trimmed.Last, fleet.Instant(trimmed.At), nil
	case seq == 0:
		since = 0 // there is nothing before
	}
	return seq, since, err
}

// lackingKeys adds the keys of the records after the index's last.
func lackingKeys(ctx context.Context, j journal.Journal, s *fleet.State, x *keys.Index) error {
	known := s.Keys
	for len(known) > 0 && known[0].Seq <= x.End() {
		known = known[1:]
	}
	all := s.KeysSince() == 0 || len(s.Keys) > len(known) || len(known) > 0 && known[0].Seq == x.End()+1 // that the index lacks are in the state
	if !all {
		err := j.Read(ctx, x.End()+1, func(en journal.Entry) error {
			if en.Seq >= known[0].Seq {
				return errEnough
			}
			key, err := event.Key(en.Data)
			x.Add(en.Seq, en.At, key, en.Data)
			return err
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	last := entryAt(ctx, j, s.Seq).Data
	for _, use := range known {
		if use.Seq == s.Seq {
			x.Add(use.Seq, int64(use.At), use.Key, last)
			return nil
		}
		x.Add(use.Seq, int64(use.At), use.Key, nil)
	}
	x.Add(s.Seq, int64(s.Time), "", last)
	return nil
}

// entryAt is an entry of a log; the zero one where it cannot be read.
func entryAt(ctx context.Context, j journal.Journal, seq uint64) (found journal.Entry) {
	_ = j.Read(ctx, seq, func(en journal.Entry) error { found = en; return errEnough })
	return found
}

// recall tells a request what is known of its key that the state may have forgotten.
func (e *Engine) recall(ctx context.Context, r *core.Request) error {
	if r.Key == "" {
		return nil
	}
	earlier := &core.Earlier{Since: fleet.Instant(e.keys.Since())}
	for _, seq := range e.keys.Find(r.Key) {
		var rec event.Record
		err := e.o.Journal.Read(ctx, seq, func(en journal.Entry) (err error) {
			if rec, err = event.Decode(en.Data); err != nil {
				return err
			}
			return errEnough
		})
		if errors.As(err, new(*journal.TrimmedError)) {
			continue // it is older than what is kept
		}
		if !errors.Is(err, errEnough) {
			return fmt.Errorf("look for the idempotency key: %w", err)
		}
		if rec.Key == r.Key {
			earlier.Use = &fleet.KeyUse{Key: rec.Key, Fingerprint: rec.Fingerprint, Seq: rec.Seq, At: rec.At}
			break
		}
	}
	r.Earlier = earlier
	return nil
}

// noteKeys puts the keys of what a group made durable into the index.
func (e *Engine) noteKeys(g *group) {
	entries := g.packed
	for _, a := range g.answers {
		if rec := a.result.Record; rec.Seq != 0 && len(entries) > 0 && entries[0].Seq == rec.Seq {
			e.keys.Add(rec.Seq, int64(rec.At), rec.Key, entries[0].Data)
			entries = entries[1:]
		}
	}
}

// keepKeys writes what the index has not written yet.
func (e *Engine) keepKeys() {
	if err := e.keys.Flush(); err != nil {
		e.o.Log.Warn("the index of idempotency keys could not be written; the next start gathers it from the log", "error", err)
	}
}
