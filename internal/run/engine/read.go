package engine

import (
	"context"
	"fmt"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Read shows fn the state between two commands, and returns once all that it
// saw is durable. fn must neither keep nor change the state, nor call the engine.
func (e *Engine) Read(fn func(*fleet.State)) {
	if e.outage.now() != nil {
		e.Look(fn) // what is durable
		return
	}
	// A journal that has failed is reported to writers; readers see the last state.
	_ = e.await(context.Background(), e.show(fn))
}

// show shows fn the state and returns its version. A panic of fn's is the reader's own: it
// leaves the state to everybody else.
func (e *Engine) show(fn func(*fleet.State)) (seq uint64) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	fn(e.state)
	return e.state.Seq
}

// await returns once a version of the state is durable. While the journal cannot be
// reached it returns at once: a read goes on then, and is marked.
func (e *Engine) await(ctx context.Context, seq uint64) error {
	return e.durable.waitUnless(ctx, seq, func() bool { return e.outage.now() != nil })
}

// StateAt rebuilds the state as it was at a moment; it is the caller's own.
func (e *Engine) StateAt(ctx context.Context, at fleet.Instant) (*fleet.State, error) {
	seq, err := e.o.Journal.SeqAt(ctx, int64(at))
	if err != nil {
		return nil, fmt.Errorf("find the moment in the journal: %w", err)
	}
	return restore(ctx, e.o.Journal, seq)
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

// Records calls fn for every durable record from a sequence number on; from 0 it begins with the first
// that is kept.
func (e *Engine) Records(ctx context.Context, from uint64, fn func(event.Record) error) error {
	return e.o.Journal.Read(ctx, from, func(en journal.Entry) error {
		rec, err := event.Decode(en.Data)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		return fn(rec)
	})
}

// RecordsWith is Records for those alone whose text, as event.Encode wrote it, is wanted.
// It reads past the rest without decoding it. Who is asked what is wanted may keep the text.
func (e *Engine) RecordsWith(ctx context.Context, from uint64, wanted func(record []byte) bool, fn func(event.Record) error) error {
	return e.o.Journal.Read(ctx, from, func(en journal.Entry) error {
		text, err := event.Unpack(en.Data)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		if !wanted(text) {
			return nil
		}
		rec, err := event.Decode(text)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		return fn(rec)
	})
}

// Durable is the sequence number up to which everything is durable.
func (e *Engine) Durable() uint64 { return e.durable.now() }
