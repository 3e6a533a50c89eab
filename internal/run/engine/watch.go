package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
)

// Watch calls fn for every record from a sequence number on, first those that
// are there and then those that come, until ctx is over or fn returns an error. It must
// not change a record, as other watches are shown the same one.
func (e *Engine) Watch(ctx context.Context, from uint64, fn func(event.Record) error) error {
	for next := max(1, from); ; {
		if err := e.durable.wait(ctx, next); err != nil {
			return err
		}
		news, ok := e.recent.after(next - 1)
		if !ok {
			seq, err := e.catchUp(ctx, next, fn)
			if err != nil {
				return err
			}
			next = seq + 1
			continue
		}
		for _, is := range news {
			rec, err := is.record()
			if err == nil {
				next, err = rec.Seq+1, fn(rec)
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
		}
	}
}

// How much of the log a watch reads at once, and how long it may keep others that read
// the log from doing so: the client that it shows the records to may take its time.
const (
	stretch  = 256
	longTurn = 50 * time.Millisecond
)

// catchUp shows fn a stretch of the log and returns how far that was. One watch at a time
// does so: many that begin at the beginning take no more of the machine than one.
func (e *Engine) catchUp(ctx context.Context, from uint64, fn func(event.Record) error) (last uint64, err error) {
	select {
	case e.catchingUp <- struct{}{}:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	var once sync.Once
	leave := func() { once.Do(func() { <-e.catchingUp }) }
	timer := time.AfterFunc(longTurn, leave)
	defer func() { timer.Stop(); leave() }()
	last = from - 1
	err = e.Records(ctx, from, func(rec event.Record) error {
		last = rec.Seq
		if err := fn(rec); err != nil {
			return err
		}
		if last >= from+stretch-1 {
			return errEnough
		}
		return nil
	})
	switch {
	case errors.Is(err, errEnough):
		err = nil
	case err == nil && last < from:
		err = fmt.Errorf("the journal lacks record %d, which was durable", from)
	}
	return last, err
}

// recent is the end of the log, decoded once for all who watch it.
type recent struct {
	mu   sync.Mutex
	list []*fresh // without gaps
}

// keptRecent is how many records are kept at least, once there are so many.
const keptRecent = 1024

// fresh is a durable record that may not have been decoded yet.
type fresh struct {
	entry journal.Entry
	once  sync.Once
	rec   event.Record
	err   error
}

func (f *fresh) record() (event.Record, error) {
	f.once.Do(func() { f.rec, f.err = event.Decode(f.entry.Data) })
	return f.rec, f.err
}

// add keeps records that have become durable. Who lives through them later may keep what it returns.
func (r *recent) add(entries []journal.Entry) (added []*fresh) {
	added = make([]*fresh, len(entries))
	for i, en := range entries {
		added[i] = &fresh{entry: en}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) > 2*keptRecent {
		r.list = append([]*fresh(nil), r.list[len(r.list)-keptRecent:]...)
	}
	r.list = append(r.list, added...)
	return added
}

// after lists the records after seq; ok is false if the first of them is not kept.
func (r *recent) after(seq uint64) (list []*fresh, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 || r.list[0].entry.Seq > seq+1 || r.list[len(r.list)-1].entry.Seq <= seq {
		return nil, false
	}
	return r.list[seq+1-r.list[0].entry.Seq:], true
}
