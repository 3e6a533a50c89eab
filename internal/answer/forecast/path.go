package forecast

import (
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// path is one future on its way: a copy of the fleet in which the rules that
// decide live on, nothing new is submitted, and work ends when this path says.
type path struct {
	s        *fleet.State
	now      fleet.Instant
	length   lengths
	plans    plans
	lives    map[uint64]*life
	asked    map[uint64]bool // workloads that have not started yet
	starts   map[uint64]fleet.Instant
	steps    *int // decisions that are left, on all paths together
	stop     func() bool
	timely   bool    // time alone may change something here
	causes   []cause // what has happened on the path, where explains is set
	explains bool
	// passes says what a start rests on. Where it is set, a workload that the question is about leaves again as soon
	// as it starts, and changes nothing for the others.
	passes  func(p *path, id uint64) []Ground
	grounds map[uint64][]Ground // by workload, where passes is set
	passed  []uint64            // have started, and leave now
	until   string              // the rollout that the question is about, instead of workloads
}

// lengths says how long things take on a path; ok is false if that cannot be known.
type lengths interface {
	runtime(w *fleet.Workload, ran time.Duration) (total time.Duration, ok bool)
	repair(p *fleet.Partition, node int, down time.Duration) (total time.Duration, ok bool)
	visit(m *fleet.Maintained, gpu string, v fleet.Visit) time.Duration
}

// life is what one workload does on a path.
type life struct {
	runs  bool
	since fleet.Instant
	saved time.Duration // that no eviction takes away any more
	total time.Duration // it runs in all
	known bool          // total means something
	turn  int
	where string // the partition of its last run
}

// cause is something that happened on a path, for the grounds of an answer.
type cause struct {
	plan
	tick   bool
	events []event.Event
}

// newPath takes over a copy of a fleet at a moment.
func newPath(s *fleet.State, now fleet.Instant, asked map[uint64]bool, length lengths, steps *int) *path {
	p := &path{
		s: s, now: now, length: length, steps: steps,
		lives: make(map[uint64]*life, len(s.Workloads)), asked: map[uint64]bool{}, starts: map[uint64]fleet.Instant{}, grounds: map[uint64][]Ground{},
	}
	for id := range asked {
		p.asked[id] = true
	}
	for _, w := range s.Workloads {
		p.follow(w)
	}
	for _, in := range s.Partitions {
		p.planRepairs(in)
	}
	p.timely = p.timely || bidesTime(s)
	p.planVisits()
	return p
}

// outcome says why a path went no further.
type outcome int8

const (
	started outcome = iota // all who were asked about have, or the rollout is over
	still                  // nothing more will happen by itself
	tooFar                 // no decisions were left
)

// over says whether the path has come to what was asked.
func (p *path) over() bool {
	if p.until != "" {
		return p.s.Kept().Rollout(p.until).State != fleet.RolloutRunning
	}
	return len(p.asked) == 0
}

// live lets things happen until all who are asked about have started, or the rollout is over.
func (p *path) live() outcome {
	for !p.over() {
		due := p.due()
		switch {
		case due == fleet.Never:
			return still
		case *p.steps <= 0 || p.stop != nil && p.stop():
			return tooFar
		}
		p.now = max(p.now, due)
		if p.plans.due() > due {
			p.step(core.Tick{}, cause{tick: true})
			if p.s.NextAlarm() <= p.now {
				return tooFar // an alarm that rings for ever is no future
			}
			continue
		}
		p.happen(p.plans.next())
	}
	return started
}

// due is when something happens next. Where nothing but work that keeps to its
// maximum sets alarms, they would only tell that it has; most of the decisions
// of a path are spared so.
func (p *path) due() fleet.Instant {
	if due := p.plans.due(); !p.timely && due != fleet.Never {
		return due
	}
	return min(p.plans.due(), p.s.NextAlarm())
}

// bidesTime says whether a fleet waits for moments: minimum run times of flex, nodes
// that prove themselves, capacity in its dwell, holds.
func bidesTime(s *fleet.State) bool {
	if len(s.Holds) > 0 {
		return true
	}
	for _, in := range s.Partitions {
		if len(in.Downs) > 0 {
			return true
		}
		for _, n := range in.Nodes {
			if n.State != fleet.Healthy {
				return true
			}
		}
	}
	for _, w := range s.Workloads {
		if w.Flexes() && !w.State.Ended() {
			return true
		}
	}
	return false
}

// happen lets one plan come true.
func (p *path) happen(x plan) {
	switch x.what {
	case leaves:
		w := p.s.Workloads[x.id]
		if w == nil || w.GraceEnds > p.now {
			return
		}
		gone := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
		if len(gone) > 0 {
			p.step(core.ReportStopped{ID: x.id, Spots: gone}, cause{plan: x})
		}
	case ends:
		if p.lives[x.id].turn == x.turn {
			p.step(core.ReportFinished{ID: x.id}, cause{plan: x})
		}
	case returns:
		name := x.in.Nodes[x.id].Name
		p.step(core.SetNodes{Names: []string{name}, State: fleet.Probation, Signal: "forecast"}, cause{plan: x})
	case visited:
		p.endVisit(x)
	}
}

// step decides, as the engine would, and follows what comes of it.
func (p *path) step(c core.Command, why cause) {
	*p.steps--
	out, refusal := core.Step(p.s, core.Request{Command: c, Actor: core.System}, p.now)
	if refusal != nil {
		return // what has happened is never refused; a node that is gone may be
	}
	if p.explains {
		why.at, why.events = p.now, out.Record.Events
		p.causes = append(p.causes, why)
	}
	for _, e := range out.Record.Events {
		if v, ok := e.(event.VisitMoved); ok {
			p.planVisit(v.Partition, v.Visit)
		}
		if w := p.s.Workloads[event.Workload(e)]; w != nil {
			p.follow(w)
		}
	}
	p.pass()
}

// pass lets the workloads leave again that the question is about.
func (p *path) pass() {
	list := p.passed
	p.passed = nil
	for _, id := range list {
		p.grounds[id] = p.passes(p, id)
	}
	explains := p.explains
	p.explains = false // nothing rests on it
	for _, id := range list {
		p.step(core.ReportFinished{ID: id}, cause{})
	}
	p.explains = explains
}

// follow brings a workload's life in line with its state.
func (p *path) follow(w *fleet.Workload) {
	l := p.lives[w.ID]
	if l == nil {
		l = &life{}
		p.lives[w.ID] = l
	}
	if runs := w.State == fleet.RunningW; runs && !l.runs {
		p.begin(w, l)
	} else if !runs && l.runs {
		l.halt(w, p.now)
	}
	if leaving(w) && !w.Overdue() { // when overdue work leaves cannot be known
		p.plans.add(plan{at: max(p.now, w.GraceEnds), what: leaves, id: w.ID})
	}
}

// begin plans the end of a run. One that runs already when the path begins has
// run since it started.
func (p *path) begin(w *fleet.Workload, l *life) {
	l.runs, l.since, l.where = true, p.now, w.Where
	if l.turn == 0 {
		l.since = min(w.Started, p.now)
		l.total, l.known = p.length.runtime(w, p.now.Sub(l.since))
	}
	l.turn++
	if l.known {
		p.plans.add(plan{at: max(p.now, l.since.Add(max(0, l.total-l.saved))), what: ends, id: w.ID, turn: l.turn})
	}
	p.timely = p.timely || w.MaxRuntime > 0 && (!l.known || l.total > w.MaxRuntime)
	if p.asked[w.ID] {
		delete(p.asked, w.ID)
		p.starts[w.ID] = p.now
		if p.passes != nil {
			p.passed = append(p.passed, w.ID)
		}
	}
}

// halt keeps what was saved at the last checkpoint.
func (l *life) halt(w *fleet.Workload, now fleet.Instant) {
	l.runs = false
	l.turn++
	if ran := now.Sub(l.since); w.CheckpointEvery > 0 && ran > 0 {
		l.saved += ran - ran%w.CheckpointEvery
	}
}

func leaving(w *fleet.Workload) bool {
	for i := range w.Replicas {
		if w.InPhase(i, fleet.Leaving) > 0 {
			return true
		}
	}
	return false
}

// planRepairs plans the return of nodes that are out of service.
func (p *path) planRepairs(in *fleet.Partition) {
	for i, n := range in.Nodes {
		if !n.State.InRepair() {
			continue
		}
		if total, ok := p.length.repair(in, i, p.now.Sub(n.Since)); ok {
			p.plans.add(plan{at: max(p.now, n.Since.Add(total)), what: returns, id: uint64(i), in: in})
		}
	}
}
