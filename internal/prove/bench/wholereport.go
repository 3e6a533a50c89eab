package bench

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// whole adds the figures of the day: how much ran, waited and was decided, and how long that took.
func (r *Report) whole(ctx context.Context, o Options, w *whole) error {
	r.add(Figure{Name: "workloads that run once filled", Value: float64(w.runs), Unit: "workloads"})
	r.add(Figure{Name: "workloads that wait once filled", Value: float64(w.waits), Unit: "workloads"})
	have := w.states()
	r.add(Figure{Name: "workloads that run at the end", Value: float64(have[fleet.RunningW]), Unit: "workloads"})
	r.add(Figure{Name: "workloads that wait at the end", Value: float64(have[fleet.Pending]), Unit: "workloads"})
	r.add(Figure{Name: "decisions of the day", Value: float64(w.decided), Unit: "commands"})
	r.add(Figure{Name: "… all of them, on the wall", Value: w.all.wall.Seconds(), Unit: "s"})
	r.add(Figure{Name: "… processor time of them", Value: w.all.work.Seconds(), Unit: "s"})
	r.add(Figure{Name: "starts", Value: float64(w.starts), Unit: "starts"})
	r.add(Figure{Name: "evictions", Value: float64(w.evicted), Unit: "evictions"})
	r.spread("submission to decision", w.submits, 5*time.Millisecond)
	r.spread("failure to mended plan", w.mends, time.Millisecond)
	r.spread("any node's failure", w.falls, 0)
	r.add(Figure{Name: "failures of a node under a gang in quota", Value: float64(w.broken), Unit: "failures"})
	r.add(Figure{Name: "… mended in the same decision", Value: float64(w.mended), Unit: "failures"})
	if err := r.wholeWhy(ctx, o, w); err != nil {
		return err
	}
	r.wholeMemory()
	return w.sound(nil)
}

// wholeWhy asks workloads that wait for their reasons, and what would help them.
func (r *Report) wholeWhy(ctx context.Context, o Options, w *whole) error {
	o.say("why")
	var reasons, changes laps
	var unexplained, early int
	w.Read(func(s *fleet.State) {
		for n, id := range w.someWaiting(s, o.scaled(200)) {
			if ctx.Err() != nil {
				return
			}
			began, worked := time.Now(), threadTime()
			why := explain.Why(s, s.Workloads[id], w.now)
			reasons = append(reasons, lap{time.Since(began), threadTime() - worked})
			if len(why) == 0 {
				unexplained++
			}
			if n%4 > 0 {
				continue // trying changes takes longer
			}
			stop := time.Now().Add(searching)
			found := whatif.Changes(s, s.Workloads[id], why, w.now, whatif.Budget{Stop: func() bool { return time.Now().After(stop) }})
			changes = append(changes, lap{time.Since(began), threadTime() - worked})
			if found.Missed {
				early++
			}
		}
	})
	r.spread("why, all reasons", reasons, 20*time.Millisecond)
	r.spread("why, with tried changes", changes, 0)
	r.add(Figure{Name: "… searches that ended early", Value: float64(early), Unit: "of " + strconv.Itoa(len(changes))})
	r.add(aimed(Figure{Name: "waiting without a reason", Value: float64(unexplained), Unit: "workloads"}, "0", unexplained == 0))
	return ctx.Err()
}

// searching is how long a server looks for changes that would help.
const searching = time.Second

// someWaiting draws workloads that wait.
func (w *whole) someWaiting(s *fleet.State, n int) []uint64 {
	var ids []uint64
	for id, x := range s.Workloads {
		if x.State == fleet.Pending {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	w.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids[:min(n, len(ids))]
}

// wholeMemory adds what the process has in memory, and had at most.
func (r *Report) wholeMemory() {
	most := peak()
	r.add(Figure{Name: "memory in use", Value: float64(heap()) / (1 << 20), Unit: "MiB"})
	if most > 0 {
		r.add(aimed(Figure{Name: "most memory of the process", Value: float64(most) / (1 << 20), Unit: "MiB"}, "≤ 3 GiB", most <= 3<<30))
	}
}

// wholeRestart ends the server of the day and times the next one, from a snapshot
// and the records that came after it.
func (r *Report) wholeRestart(ctx context.Context, w *whole, path string) error {
	snap, err := w.save(ctx)
	if err != nil {
		return err
	}
	before := len(w.submits)
	for len(w.submits) < before+2_000 && !r.Quick {
		w.now = w.now.Add(time.Second)
		if err := w.come(ctx); err != nil {
			return err
		}
	}
	if err := w.g.flush(ctx); err != nil {
		return err
	}
	took, err := reopen(ctx, path)
	if err != nil {
		return err
	}
	r.add(aimed(Figure{Name: "restart, from a snapshot and what came after it", Value: took.Seconds(), Unit: "s"}, "≤ 10 s", took <= 10*time.Second))
	r.add(Figure{Name: "snapshot", Value: float64(len(snap.Data)) / (1 << 20), Unit: "MiB"})
	return nil
}

// save brings the journal up to now, with a snapshot of the state.
func (w *whole) save(ctx context.Context) (snap journal.Snapshot, err error) {
	if err := w.g.flush(ctx); err != nil {
		return snap, err
	}
	w.Read(func(s *fleet.State) { snap, err = engine.SnapshotOf(s) })
	if err != nil {
		return snap, err
	}
	return snap, w.g.SaveSnapshot(ctx, snap)
}
