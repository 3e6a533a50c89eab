package engine

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"time"

	"github.com/muster-fleet/muster/internal/run/compact"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/fleet"
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
	last := uint64(0)
	for failures := 0; ; {
		if snap, ok, err := e.o.Journal.SnapshotBefore(ctx, ^uint64(0)); err == nil && ok {
			last = snap.Seq
		}
		if e.durable.wait(ctx, last+e.o.SnapshotEvery) != nil {
			return
		}
		began := time.Now()
		err := e.snapshot(ctx)
		failures++
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			failures = 0
		default:
			e.o.Log.Error("snapshot failed; it is tried again, and the journal alone is enough to restart", "error", err, "again in", retryDelay(failures))
		}
		if !pause(ctx, max(20*time.Since(began), retryDelay(failures))) {
			return
		}
	}
}

// retryDelay is how long to wait after so many snapshots in a row that failed: from a second
// to five minutes.
func retryDelay(failures int) time.Duration {
	if failures == 0 {
		return 0
	}
	return min(5*time.Minute, time.Second<<min(failures-1, 10))
}

// pause waits, so that making snapshots of a large and busy fleet takes only a share of the
// machine. It returns false once ctx is over.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (e *Engine) snapshot(ctx context.Context) (err error) {
	defer caught(&err)
	s, err := restore(ctx, e.o.Journal, e.durable.now())
	if err != nil {
		return err
	}
	snap, err := SnapshotOf(s)
	if err != nil {
		return err
	}
	return e.o.Journal.SaveSnapshot(ctx, snap)
}

// SnapshotOf is a state as the journal keeps it. It is compressed: hundreds are
// kept, so that the state of any moment is found quickly.
func SnapshotOf(s *fleet.State) (journal.Snapshot, error) {
	data, err := compact.Encode(s)
	if err != nil {
		return journal.Snapshot{}, err
	}
	var b bytes.Buffer
	nameSnapshot(&b)
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return journal.Snapshot{}, err
	}
	_, err = z.Write(data)
	err = errors.Join(err, z.Close())
	return journal.Snapshot{Seq: s.Seq, At: int64(s.Time), Data: b.Bytes()}, err
}

// mostOnReplay is how many snapshots are made at most while a whole log is replayed.
const mostOnReplay = 64

// bringUp applies the records after the state's. Where they are many, as after a change of
// version, it leaves snapshots on its way, so that the past is found quickly again. The last is of
// the log's end, so that the next start has little to replay.
func bringUp(ctx context.Context, o Options, s *fleet.State) error {
	last, _, err := o.Journal.Last(ctx)
	if err != nil {
		return err
	}
	step := max(o.SnapshotEvery, (last-min(last, s.Seq))/mostOnReplay)
	if o.SnapshotEvery == 0 || o.Follow || last < s.Seq+4*o.SnapshotEvery {
		return advance(ctx, o.Journal, s, ^uint64(0))
	}
	for s.Seq < last {
		if err := advance(ctx, o.Journal, s, min(s.Seq+step, last)); err != nil {
			return err
		}
		keep(ctx, o, s)
	}
	return advance(ctx, o.Journal, s, ^uint64(0))
}

// keep makes a snapshot of a state on its way, or says why there is none.
func keep(ctx context.Context, o Options, s *fleet.State) {
	snap, err := SnapshotOf(s)
	if err == nil {
		err = o.Journal.SaveSnapshot(ctx, snap)
	}
	if err != nil && o.Log != nil {
		o.Log.Warn("a snapshot could not be saved", "error", err)
	}
}

// trusted reads a snapshot if a version with the same fields of the state has made it, and
// returns errOtherVersion if not.
func trusted(data []byte) (*fleet.State, error) {
	if len(data) == 0 || data[0] != inCompact && data[0] != inNamed {
		return nil, errOtherVersion
	}
	format, _, rest, err := unname(data)
	if err != nil || format != stateFormat {
		return nil, errors.Join(errOtherVersion, err)
	}
	plain, err := inflate(rest)
	if err != nil {
		return nil, err
	}
	if !compact.Fits(plain, fleet.NewState()) {
		return nil, errOtherVersion
	}
	return decode(plain)
}

var errOtherVersion = errors.New("the snapshot is of another version")

func decode(plain string) (*fleet.State, error) {
	s := fleet.NewState()
	if err := compact.Decode(plain, s); err != nil {
		return nil, err
	}
	s.Rebuild()
	s.Share()
	return s, nil
}

// unpack reads a snapshot of any kind.
func unpack(data []byte) (*fleet.State, error) {
	if len(data) == 0 || data[0] != inNamed && data[0] != inCompact && data[0] != inJSON {
		return fleet.Decode(data)
	}
	_, _, rest, err := unname(data)
	if err != nil {
		return nil, err
	}
	plain, err := inflate(rest)
	if err != nil {
		return nil, err
	}
	if data[0] == inJSON {
		return fleet.Decode([]byte(plain))
	}
	return decode(plain)
}
