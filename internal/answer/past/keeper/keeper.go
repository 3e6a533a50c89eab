package keeper

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Source is the log that is followed.
type Source interface {
	// Base is the state that the log begins with, and what was gathered of the records before it.
	Base(ctx context.Context) (*fleet.State, map[string][]byte, error)
	// StateAfter is the state right after a record, after the last one at most.
	StateAfter(ctx context.Context, seq uint64) (*fleet.State, error)
	// Watch calls fn for each record from a sequence number on, those that are there
	// and those that come, until ctx ends or fn fails.
	Watch(ctx context.Context, from uint64, fn func(event.Record) error) error
}

// Options of New.
type Options struct {
	Path      string // of the file that keeps the notes; "": they are not kept
	SaveEvery uint64 // records between two saves; 0: only when it ends
	Log       *slog.Logger
}

// Keeper follows a log. Its methods may be called from several goroutines.
type Keeper struct {
	o      Options
	source Source

	mu   sync.Mutex
	book *past.Book // nil until Run has found where to begin
	grew chan struct{}
	err  error // why it follows no more
}

// New is a keeper that does not follow yet.
func New(source Source, o Options) *Keeper {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{o: o, source: source, grew: make(chan struct{})}
}

// Run follows the log until ctx ends. It returns an error only if the log cannot
// be read.
func (k *Keeper) Run(ctx context.Context) error {
	book, err := k.begin(ctx)
	if err == nil {
		k.set(book, nil)
		err = k.source.Watch(ctx, book.Seq+1, k.add)
	}
	if ctx.Err() != nil {
		err = nil
		if book != nil {
			k.save()
		}
	}
	k.set(nil, fmt.Errorf("the past is not gathered any more: %w", orEnded(err)))
	return err
}

func orEnded(err error) error {
	if err == nil {
		return context.Canceled
	}
	return err
}

// Part is the name under which the notes stand in what a log begins with that lacks its beginning.
const Part = "past"

// Beginning is the book with which a log begins, of what Base says.
func Beginning(s *fleet.State, parts map[string][]byte) (*past.Book, error) {
	if s.Seq == 0 {
		return past.New(), nil
	}
	if parts[Part] == nil {
		return nil, fmt.Errorf("what happened up to version %d was cut off by a salvage", s.Seq)
	}
	notes, err := Unpack(parts[Part])
	if err != nil {
		return nil, err
	}
	return past.Resume(notes, s), nil
}

// begin is the book of the notes that are kept, or the one with which the log begins.
func (k *Keeper) begin(ctx context.Context) (*past.Book, error) {
	first, parts, err := k.source.Base(ctx)
	if err != nil {
		return nil, err
	}
	if k.o.Path != "" {
		book, why := k.goOn(ctx, first.Seq)
		if book != nil {
			return book, nil
		}
		k.o.Log.Info("the past is gathered from the beginning of the log", "why", why)
	}
	return Beginning(first, parts)
}

// goOn is the book of the notes that are kept; or nil, and why they are of no use.
func (k *Keeper) goOn(ctx context.Context, first uint64) (book *past.Book, why error) {
	notes, err := load(k.o.Path)
	if err != nil {
		return nil, err
	}
	if notes.Seq < first {
		return nil, fmt.Errorf("they end at version %d, and the log begins after %d", notes.Seq, first)
	}
	state, err := k.source.StateAfter(ctx, notes.Seq)
	if err != nil {
		return nil, err
	}
	if state.Seq != notes.Seq || int64(state.Time)/1e6 != notes.At {
		return nil, errors.New("its notes are of another log")
	}
	return past.Resume(notes, state), nil
}

func (k *Keeper) set(b *past.Book, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if b != nil {
		k.book = b
	}
	k.err = err
	k.wake()
}

// wake tells everyone who waits to look again.
func (k *Keeper) wake() {
	close(k.grew)
	k.grew = make(chan struct{})
}

func (k *Keeper) add(r event.Record) error {
	if err := k.hear(r); err != nil {
		return err
	}
	if k.o.SaveEvery > 0 && r.Seq%k.o.SaveEvery == 0 {
		k.save()
	}
	return nil
}

// hear lets the book hear a record. A mistake of ours there ends the gathering,
// never the server beside which it runs.
func (k *Keeper) hear(r event.Record) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("record %d cannot be taken in: %v", r.Seq, wrong)
		}
	}()
	k.book.Add(r)
	k.wake()
	return nil
}

// save keeps the notes. That they could not be kept costs time at the next start,
// and nothing else.
func (k *Keeper) save() {
	if k.o.Path == "" || k.book == nil {
		return
	}
	if err := save(k.o.Path, k.book.Notes); err != nil { // only Run's goroutine writes the book
		k.o.Log.Warn("the notes of the past could not be saved; the next start gathers them again", "error", err)
	}
}

// show shows fn the book if it has heard the record; else it says how far the book
// is, and what is closed when it has got further.
func (k *Keeper) show(seq uint64, fn func(*past.Book)) (at uint64, grew chan struct{}, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.book != nil {
		at = k.book.Seq
	}
	if k.book != nil && at >= seq {
		fn(k.book)
		return at, nil, nil
	}
	return at, k.grew, k.err
}

// Read shows fn the book once it has heard the record seq. fn must not keep it.
func (k *Keeper) Read(ctx context.Context, seq uint64, fn func(*past.Book)) error {
	for {
		at, grew, err := k.show(seq, fn)
		if grew == nil || err != nil {
			return err
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return fmt.Errorf("the past is still being gathered: %d of %s read; ask again in a while: %w", at, text.Counted(int64(seq), "record is", "records are"), ctx.Err())
		}
	}
}
