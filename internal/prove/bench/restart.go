package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// behind is how many records a snapshot is behind the log's end, in the restart
// that has one.
const behind = 25_000

// restarts measures how long a server takes to find its fleet again: with the log
// alone, and with a snapshot.
func restarts(ctx context.Context, o Options, dir string, r *Report) error {
	events := o.scaled(1_000_000)
	path := filepath.Join(dir, "restart.db")
	o.say("a log of %d events", events)
	snap, records, err := history(ctx, o, path, events)
	if err != nil {
		return fmt.Errorf("a log to restart from: %w", err)
	}
	for _, with := range []bool{false, true} {
		name := "restart, log alone"
		if with {
			name = "restart, with a snapshot"
			if err := save(ctx, path, snap); err != nil {
				return err
			}
		}
		o.say("%s", name)
		took, err := reopen(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f := Figure{Name: fmt.Sprintf("%s, %d events", name, events), Value: took.Seconds(), Unit: "s"}
		if with {
			f = aimed(f, "≤ 5 s", took <= 5*time.Second)
		}
		r.add(f)
	}
	r.remark("The log of the restarts has %d records with %d events; the snapshot is %d records old. A server makes one by itself every so many records.",
		records, events, records-int(snap.Seq))
	return nil
}

// history writes a log of at least so many events, and returns a snapshot of the
// state a little before its end.
func history(ctx context.Context, o Options, path string, events int) (snap journal.Snapshot, records int, err error) {
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return snap, 0, err
	}
	defer j.Close()
	g := &gathering{Journal: j}
	b, err := newBusy(ctx, o, g, 256)
	if err != nil {
		return snap, 0, err
	}
	defer b.Close()
	for b.events < events {
		if err := b.pass(ctx); err != nil {
			return snap, 0, err
		}
		if snap.Seq == 0 && b.events > events-2*behind {
			if snap, err = b.snapshot(); err != nil {
				return snap, 0, err
			}
		}
	}
	return snap, b.records, g.flush(ctx)
}

// pass lets one workload of one node start in a quota, and the oldest of a
// hundred end: what a log is made of, without the decisions that take time.
func (b *busy) pass(ctx context.Context) error {
	const many = 100
	b.drawn++
	b.now = b.now.Add(time.Second)
	w := waiting(fmt.Sprintf("w%d", b.drawn), b.drawn%b.quotas, 1)
	res, err := b.Do(ctx, core.Request{Command: core.Submit{Spec: w}, Actor: operator})
	if err != nil {
		return err
	}
	b.note(res.Record)
	if len(b.live) <= many {
		return nil
	}
	_, err = b.Do(ctx, core.Request{Command: core.ReportFinished{ID: b.live[0]}, Actor: core.Reporter})
	b.live = b.live[1:]
	return err
}

func (b *busy) snapshot() (snap journal.Snapshot, err error) {
	b.Read(func(s *fleet.State) { snap, err = engine.SnapshotOf(s) })
	return snap, err
}

func save(ctx context.Context, path string, snap journal.Snapshot) error {
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer j.Close()
	return j.SaveSnapshot(ctx, snap)
}

// reopen is what a server does before it answers: open the journal, prove what
// follows the snapshot, and replay it.
func reopen(ctx context.Context, path string) (time.Duration, error) {
	began := time.Now()
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return 0, err
	}
	defer j.Close()
	e, err := engine.Open(ctx, engine.Options{Journal: j})
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	return took, e.Close()
}

// gathering is a journal that writes large groups: a log is wanted, not its speed.
type gathering struct {
	journal.Journal
	entries []journal.Entry
}

// Append keeps entries until there are many.
func (g *gathering) Append(ctx context.Context, entries []journal.Entry) error {
	const many = 4096
	if g.entries = append(g.entries, entries...); len(g.entries) < many {
		return nil
	}
	return g.flush(ctx)
}

func (g *gathering) flush(ctx context.Context) error {
	if len(g.entries) == 0 {
		return nil
	}
	err := g.Journal.Append(ctx, g.entries)
	g.entries = g.entries[:0]
	return err
}
