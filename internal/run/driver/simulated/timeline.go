package simulated

import (
	"container/heap"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// entry is something that will happen to a job, unless the job changes before.
type entry struct {
	at    fleet.Instant
	job   *job
	order uint64       // of being planned
	leave []fleet.Spot // replicas that will be gone; nil: the job ends
	plan  uint64       // the job's plan that the end belongs to
}

// stale says whether the job has changed since the entry was planned.
func (e entry) stale() bool {
	return e.job.forgotten || e.leave == nil && e.plan != e.job.plan
}

// timeline keeps entries in order of time; ties in order of the jobs' IDs.
type timeline struct {
	entries entries
	planned uint64
}

type entries []entry

func (t *timeline) plan(e entry) {
	t.planned++
	e.order = t.planned
	heap.Push(&t.entries, e)
}

// due is the moment of the next entry that is not stale, or Never.
func (t *timeline) due() fleet.Instant {
	for len(t.entries) > 0 && t.entries[0].stale() {
		heap.Pop(&t.entries)
	}
	if len(t.entries) == 0 {
		return fleet.Never
	}
	return t.entries[0].at
}

func (t *timeline) pop() entry { return heap.Pop(&t.entries).(entry) }

func (e entries) Len() int      { return len(e) }
func (e entries) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e entries) Less(i, j int) bool {
	a, b := e[i], e[j]
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.job.ID != b.job.ID:
		return a.job.ID < b.job.ID
	}
	return a.order < b.order
}
func (e *entries) Push(x any) { *e = append(*e, x.(entry)) }
func (e *entries) Pop() any {
	last := (*e)[len(*e)-1]
	(*e)[len(*e)-1] = entry{}
	*e = (*e)[:len(*e)-1]
	return last
}
