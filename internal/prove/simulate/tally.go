package simulate

import (
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tally adds up what became of the workloads and the promises.
type tally struct {
	teams   map[string]*outcome // by namespace
	quotas  map[string]*promise // by path
	usable  gpuTime             // of the whole fleet
	ended   int                 // jobs, refused ones included
	refused int
	refusal string // the first one, with its place
}

// outcome is what became of a team's workloads.
type outcome struct {
	waits              []time.Duration // of those that have finished
	waited, completion float64         // their sums, in seconds
	evictions, mends   int
	held               GPUTime
	breaks             int
	broken             float64
}

// promise is how long a quota's grants were not backed whole.
type promise struct {
	unbacked int // GPUs, now
	since    fleet.Instant
	breaks   int
	hours    float64
}

func newTally() *tally {
	return &tally{teams: map[string]*outcome{}, quotas: map[string]*promise{}}
}

// note takes from a record what the report needs.
func (t *tally) note(r event.Record, s *fleet.State) {
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.WorkloadFinished:
			t.finish(s.Workloads[e.ID])
		case event.BackingAligned, event.GrantSet, event.GrantTransferred:
			t.weigh(r.At, s)
		case event.NodesAdded, event.NodeChanged:
			t.measure(r.At, s)
		}
	}
}

func (t *tally) finish(w *fleet.Workload) {
	o := t.team(w.Namespace)
	o.waits = append(o.waits, w.Waited)
	o.waited += w.Waited.Seconds()
	o.completion += w.Ended.Sub(w.Submitted).Seconds()
	o.suffer(w)
	t.ended++
}

func (o *outcome) suffer(w *fleet.Workload) {
	o.evictions += int(w.Evictions)
	o.mends += int(w.Mends)
}

func (o *outcome) add(p *outcome) {
	o.waits = append(o.waits, p.waits...)
	o.waited += p.waited
	o.completion += p.completion
	o.evictions += p.evictions
	o.mends += p.mends
	o.held = o.held.plus(p.held)
}

// broke adds what became of a quota's promise, if there is one.
func (o *outcome) broke(q *promise) {
	if q != nil {
		o.breaks += q.breaks
		o.broken += q.hours
	}
}

func (t *tally) team(name string) *outcome {
	o := t.teams[name]
	if o == nil {
		o = &outcome{}
		t.teams[name] = o
	}
	return o
}

func (t *tally) refuse(j trace.Job, no *core.Refusal) {
	if t.refused == 0 {
		t.refusal = (&trace.Error{File: j.File, Line: j.Line, Message: no.Error()}).Error()
	}
	t.refused++
	t.ended++
}

// weigh looks at how much of each quota's grants is backed.
func (t *tally) weigh(at fleet.Instant, s *fleet.State) {
	unbacked := map[string]int{}
	for _, p := range s.Partitions {
		for _, a := range p.Accounts {
			unbacked[a.Quota] += max(0, a.Grant-a.BackedGPUs())
		}
	}
	for path, gpus := range unbacked {
		q := t.quotas[path]
		if q == nil {
			q = &promise{since: at}
			t.quotas[path] = q
		}
		q.become(at, gpus)
	}
}

func (q *promise) become(at fleet.Instant, unbacked int) {
	if q.unbacked > 0 {
		q.hours += at.Sub(q.since).Hours()
	}
	if q.unbacked == 0 && unbacked > 0 {
		q.breaks++
	}
	q.unbacked, q.since = unbacked, at
}

// measure looks at how many GPUs can be used.
func (t *tally) measure(at fleet.Instant, s *fleet.State) {
	usable := 0
	for _, p := range s.Partitions {
		usable += p.Tally().Usable
	}
	t.usable.become(at, usable)
}

// close adds what is still open at the end.
func (t *tally) close(at fleet.Instant, s *fleet.State) {
	t.weigh(at, s)
	t.measure(at, s)
	for _, w := range s.Workloads {
		if !w.State.Ended() {
			t.team(w.Namespace).suffer(w)
		}
	}
}
