package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Read shows fn the state between two commands, and returns once all that it
// saw is durable. fn must neither keep nor change the state, nor call the engine.
func (e *Engine) Read(fn func(*fleet.State)) {
	e.mu.RLock()
	fn(e.state)
	seq := e.state.Seq
	e.mu.RUnlock()
	// A journal that has failed is reported to writers; readers see the last state.
	_ = e.durable.wait(context.Background(), seq)
}

// StateAt rebuilds the state as it was at a moment; it is the caller's own.
func (e *Engine) StateAt(ctx context.Context, at fleet.Instant) (*fleet.State, error) {
	seq, err := e.o.Journal.SeqAt(ctx, int64(at))
	if err != nil {
		return nil, fmt.Errorf("find the moment in the journal: %w", err)
	}
	return restore(ctx, e.o.Journal, seq)
}

// seen is the state of the past that was asked for last, so that who looks around
// at one moment waits once.
type seen struct {
	sync.Mutex
	state *fleet.State
}

// LookBack is the state as it was at a moment, for reading only: others may read it
// at the same time, so it must not be changed.
func (e *Engine) LookBack(ctx context.Context, at fleet.Instant) (*fleet.State, error) {
	seq, err := e.o.Journal.SeqAt(ctx, int64(at))
	if err != nil {
		return nil, fmt.Errorf("find the moment in the journal: %w", err)
	}
	e.seen.Lock()
	defer e.seen.Unlock() // who asks for the same meanwhile need not work for it, too
	if s := e.seen.state; s != nil && s.Seq == seq {
		return s, nil
	}
	s, err := restore(ctx, e.o.Journal, seq)
	if err == nil {
		e.seen.state = s
	}
	return s, err
}

// SeqAt is the last sequence number of what had happened by a moment; 0 where
// nothing had.
func (e *Engine) SeqAt(ctx context.Context, at fleet.Instant) (uint64, error) {
	return e.o.Journal.SeqAt(ctx, int64(at))
}

// StateAfter rebuilds the state as it was right after a record; after the last one,
// if there are not as many.
func (e *Engine) StateAfter(ctx context.Context, seq uint64) (*fleet.State, error) {
	return restore(ctx, e.o.Journal, seq)
}

// Records calls fn for every durable record from a sequence number on.
func (e *Engine) Records(ctx context.Context, from uint64, fn func(event.Record) error) error {
	return e.o.Journal.Read(ctx, max(1, from), func(en journal.Entry) error {
		rec, err := event.Decode(en.Data)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		return fn(rec)
	})
}

// RecordsWith is Records for those alone whose text, as event.Encode wrote it, is wanted.
// It reads past the rest without decoding it.
func (e *Engine) RecordsWith(ctx context.Context, from uint64, wanted func(record []byte) bool, fn func(event.Record) error) error {
	return e.o.Journal.Read(ctx, max(1, from), func(en journal.Entry) error {
		if !wanted(en.Data) {
			return nil
		}
		rec, err := event.Decode(en.Data)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		return fn(rec)
	})
}

// Watch calls fn for every record from a sequence number on, first those that
// are there and then those that come, until ctx is over or fn returns an error.
func (e *Engine) Watch(ctx context.Context, from uint64, fn func(event.Record) error) error {
	for next := max(1, from); ; {
		if err := e.durable.wait(ctx, next); err != nil {
			return err
		}
		err := e.Records(ctx, next, func(rec event.Record) error {
			next = rec.Seq + 1
			return fn(rec)
		})
		if err != nil {
			return err
		}
	}
}

// Durable is the sequence number up to which everything is durable.
func (e *Engine) Durable() uint64 { return e.durable.now() }
