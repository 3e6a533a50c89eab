package engine

import (
	"context"

	"github.com/muster-fleet/muster/internal/journal"
)

// snapshotLoop makes a snapshot whenever enough records have come since the
// last one. It never touches the live state: it replays the log onto the last
// snapshot, which costs the writer nothing and proves that replay works.
func (e *Engine) snapshotLoop() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-e.quit
		cancel()
	}()
	for {
		last := uint64(0)
		if snap, ok, err := e.o.Journal.SnapshotBefore(ctx, ^uint64(0)); err == nil && ok {
			last = snap.Seq
		}
		if e.durable.wait(ctx, last+e.o.SnapshotEvery) != nil {
			return
		}
		if err := e.snapshot(ctx); err != nil {
			if ctx.Err() == nil {
				e.o.Log.Error("snapshot failed; the journal alone is enough to restart", "error", err)
			}
			return
		}
	}
}

func (e *Engine) snapshot(ctx context.Context) error {
	s, err := restore(ctx, e.o.Journal, e.durable.now())
	if err != nil {
		return err
	}
	data, err := s.Encode()
	if err != nil {
		return err
	}
	return e.o.Journal.SaveSnapshot(ctx, journal.Snapshot{Seq: s.Seq, At: int64(s.Time), Data: data})
}
