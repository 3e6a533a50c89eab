package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// How many of a queue are drawn, and of how many of them it is asked when they start.
const (
	mostRunning = 12
	mostWaiting = 30
	MostAsked   = 12
)

// Queue is a queue as it is drawn: what runs, the latest below, then what waits, in turn.
type Queue struct {
	Rungs            []draw.Rung
	Running, Waiting int
	More             int // that are not drawn
	// Mixed says that turns repeat or skip: several queues are drawn as one.
	Mixed         bool
	from, now, to time.Time
	ends          []time.Time // of the bars
}

// Asks is what is asked of a waiting workload that is drawn: why it waits, and when it
// starts (nil: not known).
type Asks struct {
	Reason func(*musterv1.Workload) string
	When   func(*musterv1.Workload) *musterv1.WhenResponse
}

// QueueOf is the queue of a target at a moment, from the list of its workloads.
func QueueOf(target string, list []*musterv1.Workload, now time.Time, leads Leads, ask Asks) Queue {
	if leads == nil {
		leads = nowhere
	}
	q := Queue{from: now.Add(-10 * time.Minute), now: now, to: now.Add(10 * time.Minute)}
	running, waiting := apart(target, list)
	q.Running, q.Waiting = len(running), len(waiting)
	q.More = max(0, len(running)-mostRunning) + max(0, len(waiting)-mostWaiting)
	for _, w := range running[:min(len(running), mostRunning)] {
		q.runs(w, rung(w, leads))
	}
	if least := now.Add(-6 * time.Hour); q.from.Before(least) {
		q.from = least
	}
	for i, w := range waiting[:min(len(waiting), mostWaiting)] {
		r, reason := rung(w, leads), ask.Reason(w)
		r.Turn, r.Ink, r.Why = int(w.GetPosition()), reasonInk(reason), reason
		if i < MostAsked {
			q.starts(ask.When(w), &r)
		}
		q.Rungs = append(q.Rungs, r)
	}
	q.Mixed = mixed(waiting)
	q.to = q.until()
	return q
}

// Draw draws it as a ladder.
func (q Queue) Draw(w draw.Width) draw.SVG { return draw.Ladder(q.Rungs, q.from, q.now, q.to, w) }

// apart parts those of a target that run, by their start, from those that wait, by their turn.
func apart(target string, list []*musterv1.Workload) (running, waiting []*musterv1.Workload) {
	for _, w := range list {
		switch {
		case w.GetSpec().GetTarget() != target:
		case words.Waits(w.GetState()):
			waiting = append(waiting, w)
		default:
			running = append(running, w)
		}
	}
	slices.SortStableFunc(waiting, func(a, b *musterv1.Workload) int { return cmp.Compare(a.GetPosition(), b.GetPosition()) })
	slices.SortStableFunc(running, func(a, b *musterv1.Workload) int {
		return a.GetStarted().AsTime().Compare(b.GetStarted().AsTime())
	})
	return running, waiting
}

// mixed says whether the turns of those who wait, in order, are not 1, 2, 3 …; one that is starting has none.
func mixed(waiting []*musterv1.Workload) bool {
	next := int32(1)
	for _, w := range waiting {
		switch w.GetPosition() {
		case 0:
		case next:
			next++
		default:
			return true
		}
	}
	return false
}

// runs adds one that runs.
func (q *Queue) runs(w *musterv1.Workload, r draw.Rung) {
	r.Running, r.Since, r.Ink = true, w.GetStarted().AsTime(), HoldsInk(w.GetHolds())
	if w.GetHolds() == "" && w.GetSpec().GetTarget() == "flex" {
		r.Ink = draw.Flex // it is leaving
	}
	if d := w.GetSpec().GetMaxRuntime(); d != nil {
		r.Ends = r.Since.Add(d.AsDuration())
		q.ends = append(q.ends, r.Ends)
	}
	if r.Since.Before(q.from) {
		q.from = r.Since
	}
	q.Rungs = append(q.Rungs, r)
}

// starts says when one starts that waits; where that is not known, its reason stays.
func (q *Queue) starts(a *musterv1.WhenResponse, r *draw.Rung) {
	if a == nil {
		return
	}
	reason := r.Why
	if reason != "" {
		reason += ": "
	}
	r.Why = reason + "start not known"
	if f := a.GetForecast(); f.GetKnown() {
		r.P50, r.P90 = f.GetP50().AsTime(), f.GetP90().AsTime()
		q.ends = append(q.ends, r.P90)
	} else if a.GetAnswer() == "impossible" {
		r.Why = reason + "will not start by waiting"
	}
}

// How the axis of a queue ends: with the last of its bars, but where a few of them, a quarter
// at most, would make it so many times as long as the others need; those run off it.
const squeezed = 4

// until is the moment at which the axis ends, ten minutes to a week from now.
func (q *Queue) until() time.Time {
	least, most := q.now.Add(10*time.Minute), q.now.Add(7*24*time.Hour)
	if len(q.ends) == 0 {
		return least
	}
	ends := slices.Clone(q.ends)
	slices.SortFunc(ends, time.Time.Compare)
	last, usual := ends[len(ends)-1], latest(least, ends[(3*len(ends)+3)/4-1])
	if last.Sub(q.now) > squeezed*usual.Sub(q.now) {
		last = usual.Add(usual.Sub(q.now) / 4) // room for what is said of those
	}
	last = latest(last, least)
	if last.After(most) {
		return most
	}
	return last
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func rung(w *musterv1.Workload, leads Leads) draw.Rung {
	id := w.GetSpec().GetNamespace() + "/" + w.GetSpec().GetName()
	return draw.Rung{Name: id, Note: Shape(w.GetSpec()), Href: leads("/workload/" + id)}
}

// Shape is what a workload asks for: trainer 16×8, grader 2..64×1.
func Shape(s *musterv1.WorkloadSpec) string {
	n := func(x int32) string { return strconv.Itoa(int(x)) }
	var parts []string
	for _, p := range s.GetPools() {
		replicas := n(p.GetReplicas())
		if p.GetReplicas() == 0 {
			replicas = n(p.GetMin()) + ".." + n(p.GetMax())
		}
		parts = append(parts, p.GetName()+" "+replicas+"×"+n(p.GetGpus()))
	}
	return strings.Join(parts, ", ")
}
