package past

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Job is a workload that runs, or has run and will again.
type Job struct {
	Where string
	Flex  bool
	GPUs  int64         // that it holds
	Since fleet.Instant // since when it has run without a break; 0: it does not
	Work  int64         // GPUs × time held since then, and not undone, up to At
	At    int64         // in milliseconds
	Cause string        // of the interruption that it has not come back from; "": none
	Still int64         // GPUs it holds while it stands still for that
	Again int64         // GPUs it waits for to start again after that
}

// The figures of what one cause did to a partition's work, in GPUs, and counts.
const (
	lossDown     int = iota // of nodes that were not usable
	lossStill               // held while a gang stands still
	lossAgain               // asked for by interrupted work that waits to start again
	lossFigures             //
	lossBroken   = lossFigures
	lossUndone   = lossFigures + 1 // work since the last checkpoint, GPUs × time
	lossCounts   = 2
	mostCauses   = 64 // of a partition; what comes after them is otherCauses
	otherCauses  = "other causes"
	causeEvicted = "evicted: "
)

// loss is what a cause did to a partition's work.
func (b *Book) loss(partition, cause string) *Meter {
	key := partition + " " + cause
	if b.Losses[key] == nil && b.causes(partition) >= mostCauses {
		key = partition + " " + otherCauses
	}
	return meterOf(b.Losses, key, func() *Meter { return newMeter(lossFigures, lossCounts) })
}

func (b *Book) causes(partition string) int {
	n := 0
	for key := range b.Losses {
		if p, _ := cut(key); p == partition {
			n++
		}
	}
	return n
}

// work notes what interrupts work.
func (b *Book) work(at int64, now fleet.Instant, e event.Event) {
	switch e := e.(type) {
	case event.ReplicasLost:
		b.lost(at, now, e)
	case event.ReplicasEvicted:
		b.evicted(at, now, e)
	}
}

// lost undoes what the replicas did since the last checkpoint: of the whole
// workload, where a gang of it is broken.
func (b *Book) lost(at int64, now fleet.Instant, e event.ReplicasLost) {
	w, j := b.state.Workloads[e.ID], b.Jobs[e.ID]
	if w == nil || j == nil || w.State.Ended() {
		return
	}
	cause := b.causeAt(e.Node)
	if n := b.Nodes[e.Node]; n != nil {
		n.Interruptions++
		b.island(n.Partition, n.Island).count(at, islandInterruptions, 1)
	}
	b.interrupt(at, now, w, j, cause, e.Spots, breaks(w, e.Spots))
}

func (b *Book) causeAt(node string) string {
	if n := b.Nodes[node]; n != nil {
		return n.cause()
	}
	return noSignal
}

// breaks says whether replicas of a gang that must run together are among them.
func breaks(w *fleet.Workload, spots []fleet.Spot) bool {
	base := w.BaseRank()
	for _, s := range spots {
		if p := w.Pools[s.Pool]; p.Rank == base && !p.Elastic {
			return true
		}
	}
	return false
}

func (b *Book) evicted(at int64, now fleet.Instant, e event.ReplicasEvicted) {
	w, j := b.state.Workloads[e.ID], b.Jobs[e.ID]
	if w != nil && j != nil {
		b.interrupt(at, now, w, j, b.text(causeEvicted+e.Class), e.Spots, e.Whole)
	}
}

// interrupt charges what an interruption undoes to its cause.
func (b *Book) interrupt(at int64, now fleet.Instant, w *fleet.Workload, j *Job, cause string, spots []fleet.Spot, whole bool) {
	m := b.loss(j.Where, cause)
	if j.Since != 0 {
		gpus := gpusOf(w, spots)
		if whole {
			gpus = j.GPUs
		}
		m.count(at, lossUndone, j.undo(at, gpus, unsaved(w, now.Sub(j.Since))))
	}
	if !whole {
		return
	}
	if j.Since != 0 {
		m.count(at, lossBroken, 1)
		b.ran(at, w, j, true)
	}
	b.recover(at, j)
	j.Since, j.Work, j.Cause = 0, 0, cause
}

// undo takes away what so many GPUs of a job did in so much time, and at most
// their part of all that it did: some of them may have come later than others.
func (j *Job) undo(at, gpus, unsaved int64) int64 {
	j.pass(at)
	part := j.Work
	if gpus < j.GPUs {
		part = j.Work / j.GPUs * gpus
	}
	undone := min(part, gpus*unsaved)
	j.Work -= undone
	return undone
}

// pass counts what the job does up to a moment, while it runs.
func (j *Job) pass(at int64) {
	if j.Since != 0 {
		j.Work += j.GPUs * (at - j.At)
	}
	j.At = at
}

// unsaved is what ran since the last checkpoint, in milliseconds.
func unsaved(w *fleet.Workload, ran time.Duration) int64 {
	if w.CheckpointEvery > 0 {
		ran %= w.CheckpointEvery
	}
	return int64(ran / time.Millisecond)
}

func gpusOf(w *fleet.Workload, spots []fleet.Spot) int64 {
	n := 0
	for _, s := range spots {
		n += len(s.Nodes) * w.Pools[s.Pool].GPUs
	}
	return int64(n)
}

// recover ends what an interruption costs: the work runs again, or is over.
func (b *Book) recover(at int64, j *Job) {
	b.suffer(at, j, 0, 0)
	j.Cause = ""
}

func (b *Book) suffer(at int64, j *Job, still, again int64) {
	if j.Cause == "" {
		return
	}
	m := b.loss(j.Where, j.Cause)
	m.shift(at, lossStill, still-j.Still)
	m.shift(at, lossAgain, again-j.Again)
	j.Still, j.Again = still, again
}

// follow brings a workload's job in line with the state.
func (b *Book) follow(at int64, now fleet.Instant, id uint64) {
	w, j := b.state.Workloads[id], b.Jobs[id]
	if j == nil {
		if w == nil || w.At() == nil || holds(w) == 0 {
			return
		}
		j = &Job{Where: w.Where, Flex: w.Flexes()}
		b.Jobs[id] = j
	}
	if w != nil && w.State.Ended() {
		b.ran(at, w, j, false)
		j.Since = 0
	}
	if w == nil || w.State.Ended() && w.At() == nil {
		b.hold(at, j, "", 0)
		b.recover(at, j)
		delete(b.Jobs, id)
		return
	}
	b.hold(at, j, w.Where, holds(w))
	switch {
	case w.State == fleet.RunningW:
		b.recover(at, j)
		j.Flex = w.Flexes()
		if j.Since == 0 {
			j.Since, j.Work, j.At = now, 0, at
		}
	case w.State == fleet.Mending:
		b.suffer(at, j, j.GPUs, 0)
	case w.State == fleet.Pending || w.State == fleet.Starting:
		b.suffer(at, j, 0, int64(w.NeedsBase()))
		j.Since, j.Work = 0, 0
	case w.State.Ended():
		b.recover(at, j)
	}
}

// hold notes how many GPUs a job holds, and where.
func (b *Book) hold(at int64, j *Job, where string, gpus int64) {
	j.pass(at)
	if where != "" && where != j.Where {
		b.partition(j.Where).shift(at, Held, -j.GPUs)
		cause, still, again := j.Cause, j.Still, j.Again
		b.recover(at, j)
		j.Where, j.GPUs, j.Cause = where, 0, cause
		b.suffer(at, j, still, again)
	}
	b.partition(j.Where).shift(at, Held, gpus-j.GPUs)
	j.GPUs = gpus
}

// holds counts the GPUs that a workload's replicas hold, leaving ones included.
func holds(w *fleet.Workload) int64 {
	n := 0
	for i, p := range w.Pools {
		n += (w.InPhase(i, fleet.Running) + w.InPhase(i, fleet.Leaving)) * p.GPUs
	}
	return int64(n)
}
