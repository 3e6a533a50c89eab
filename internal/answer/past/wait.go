package past

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Reason is why a workload waits: the code of its first blocker, the cluster that
// it is about, and the part of the whole that the waiting belongs to.
type Reason struct {
	Code, Cluster, Part string
}

// Waiter is a workload that waits now.
type Waiter struct {
	Key  string // of the meter that it stands in
	GPUs int64  // it needs to start
}

// await begins, changes or ends a workload's waiting.
func (b *Book) await(at int64, now fleet.Instant, id uint64) {
	w := b.state.Workloads[id]
	if w == nil || w.State != fleet.Pending && w.State != fleet.Starting {
		b.stand(at, id, "", 0)
		return
	}
	b.stand(at, id, b.waitKey(w, b.reason(w, now)), int64(w.NeedsBase()))
}

// stand moves a workload's GPUs from one meter of waiting to another.
func (b *Book) stand(at int64, id uint64, key string, gpus int64) {
	old, waits := b.Waits[id]
	if old.Key == key && old.GPUs == gpus {
		return
	}
	if waits {
		b.Waited[old.Key].shift(at, 0, -old.GPUs)
		delete(b.Waits, id)
	}
	if key == "" {
		return
	}
	meterOf(b.Waited, key, func() *Meter {
		m := newMeter(1, 0)
		m.Coarse = true
		return m
	}).shift(at, 0, gpus)
	b.Waits[id] = Waiter{b.text(key), gpus}
}

// waitKey names the meter of waiting that a workload's GPUs stand in: quotas, codes and parts
// have no spaces. waitedOf reads it.
func (b *Book) waitKey(w *fleet.Workload, r Reason) string {
	return strings.Join([]string{r.Cluster, w.Target, r.Code, r.Part}, " ")
}

// reason is why a workload waits. Work that asks for the same from the same queue
// waits for the same: one of it is asked for all, about once an hour.
func (b *Book) reason(w *fleet.Workload, now fleet.Instant) Reason {
	key := alike(w)
	r, known := b.Asked[key]
	if !known {
		r = reasonOf(b.state, w, now)
		b.Asked[key] = r
	}
	return r
}

// alike names the group of work to which a workload belongs.
func alike(w *fleet.Workload) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %s %s %s %s", w.State, w.Target, w.Partition, w.Namespace, w.Priority)
	if w.Paused {
		s.WriteString(" paused")
	}
	for _, p := range w.Pools {
		fmt.Fprintf(&s, " %d×%d..%d %s", p.GPUs, p.Min, p.Max, p.Reach)
	}
	return s.String()
}

// reasonOf asks the rules that decide.
func reasonOf(s *fleet.State, w *fleet.Workload, now fleet.Instant) Reason {
	list := explain.Why(s, w, now)
	if len(list) == 0 {
		return Reason{Code: "none", Part: string(reason.Moment)}
	}
	r := Reason{Code: string(list[0].Code), Part: string(reason.Moment)}
	r.Cluster, _, _ = strings.Cut(list[0].Partition, "/")
	for _, blocker := range list {
		if part := reason.Of(blocker.Code).Part; part != reason.Moment {
			r.Part = string(part)
			break
		}
	}
	return r
}

// How the reasons of all that waits are asked anew: beside each record a few, so that
// no reader of the book waits for long, and all are asked within some minutes.
const (
	askedBeside = 16
	askedWithin = 10 * 60 * 1000 // milliseconds
)

// askAgain begins to ask for the reasons of all that waits anew, unless it still does. The full hour calls it. An
// event that changes why much work waits, and whose change may not be told up to an hour late, calls it too.
func (b *Book) askAgain(at int64) {
	if len(b.Again) > 0 {
		return
	}
	clear(b.Asked)
	b.AskedAt = at
	for id := range b.Waits {
		b.Again = append(b.Again, id)
	}
	slices.Sort(b.Again)
	b.askSome(at)
}

// askSome asks for the reasons of the next few whose turn it is.
func (b *Book) askSome(at int64) {
	some := max(askedBeside, int(int64(len(b.Again))*(at-b.AskedAt)/askedWithin))
	some = min(some, len(b.Again))
	for _, id := range b.Again[:some] {
		if _, waits := b.Waits[id]; waits {
			b.await(at, fleet.Instant(at*1e6), id)
		}
	}
	b.Again = b.Again[some:]
}

func cut(key string) (first, rest string) {
	first, rest, _ = strings.Cut(key, " ")
	return first, rest
}
