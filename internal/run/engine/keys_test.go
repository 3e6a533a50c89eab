package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// counted is a journal that counts what is read of it.
type counted struct {
	*memory.Journal
	read *atomic.Int64
}

func (j counted) Read(ctx context.Context, from uint64, fn func(journal.Entry) error) error {
	return j.Journal.Read(ctx, from, func(en journal.Entry) error { j.read.Add(1); return fn(en) })
}

var firstMoment = fleet.InstantOf(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))

// dated is a key as clients make it, with its caller's name.
func dated(at fleet.Instant) string { return fmt.Sprintf("user:ada at-%08x-x", at.Time().Unix()) }

// busyLog is a log of more commands than the state remembers keys, a second apart; one of them
// has the key "my own", one a dated key.
func busyLog(t *testing.T) (j counted, now fleet.Instant) {
	j = counted{memory.New(), new(atomic.Int64)}
	const n = fleet.KeyMemory + 4096
	entries := make([]journal.Entry, n)
	for i := range entries {
		r := event.Record{
			Seq: uint64(i + 1), At: firstMoment.Add(time.Duration(i) * time.Second), Actor: "muster", Key: fmt.Sprint("key ", i),
			Fingerprint: 1, Events: []event.Event{event.ServerStarted{}},
		}
		switch i {
		case 7:
			r.Key = "my own"
		case 8:
			r.Key = dated(r.At)
		}
		data, err := event.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		entries[i], now = journal.Entry{Seq: r.Seq, At: int64(r.At), Data: data}, r.At
	}
	if err := j.Append(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	return j, now
}

// A command whose key is older than what the state remembers is not done twice: for seven days its
// answer is that of the first time, and then a key that says when it was made is refused.
func TestAKeyIsKnownForAWeek(t *testing.T) {
	j, now := busyLog(t)
	dir := filepath.Join(t.TempDir(), "keys")
	o := engine.Options{Journal: j, Synchronous: true, Keys: dir, Now: func() fleet.Instant { return now }}
	again := func(e *engine.Engine, key string) (engine.Result, error) {
		return e.Do(t.Context(), core.Request{Command: core.CreateQuota{Path: "twice"}, Actor: core.System, Key: key, Fingerprint: 1})
	}
	for _, start := range []string{"gathered from the log", "read from its files"} {
		j.read.Store(0)
		e := open(t, o)
		t.Logf("%s: %d records read at the start", start, j.read.Load())
		if start == "read from its files" && j.read.Load() > 10+int64(e.Durable()) { // the state is replayed; there are no snapshots
			t.Errorf("with the files the start reads %d records", j.read.Load())
		}
		for key, seq := range map[string]uint64{"my own": 8, dated(firstMoment.Add(8 * time.Second)): 9} {
			if r, err := again(e, key); err != nil || !r.Repeat || r.Seq != seq {
				t.Errorf("%s: key %q gives %+v, %v; want a repeat of record %d", start, key, r, err, seq)
			}
		}
		var no *core.Refusal
		r := core.Request{Command: core.CreateQuota{Path: "other"}, Actor: core.System, Key: "my own", Fingerprint: 2}
		if _, err := e.Do(t.Context(), r); !errors.As(err, &no) || no.Code != core.KeyReused {
			t.Errorf("%s: a key of another command gives %v", start, err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	now = firstMoment.Add(9 * 24 * time.Hour)
	e := open(t, o)
	defer e.Close()
	if _, err := again(e, "a new one"); err != nil {
		t.Fatal(err)
	}
	var no *core.Refusal
	if _, err := again(e, dated(firstMoment.Add(8*time.Second))); !errors.As(err, &no) || no.Code != core.KeyExpired {
		t.Errorf("after nine days a key gives %v; want KeyExpired", err)
	}
}

// A standby knows the keys of what it follows.
func TestAFollowerKnowsTheKeys(t *testing.T) {
	j, now := busyLog(t)
	clock := func() fleet.Instant { return now }
	e := open(t, engine.Options{Journal: shared{j.Journal, make(chan struct{}, 1)}, Follow: true, Now: clock})
	defer e.Close()
	if err := e.Lead(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := e.Do(t.Context(), core.Request{Command: core.CreateQuota{Path: "twice"}, Actor: core.System, Key: "my own", Fingerprint: 1})
	if err != nil || !r.Repeat || r.Seq != 8 {
		t.Errorf("the new leader answers %+v, %v; want a repeat of record 8", r, err)
	}
}
