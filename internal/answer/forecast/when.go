package forecast

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// When says when a waiting workload should start, if nothing new is submitted
// and nothing else breaks; what usually comes on top is in the book's
// correction. It changes nothing, and its work is bounded by Options.Steps.
func When(s *fleet.State, w *fleet.Workload, now fleet.Instant, o Options) Answer {
	if !waits(w) {
		return unknown(Ground{Kind: NotWaiting, Name: name(w)})
	}
	if grounds, ready := notReady(s, w); !ready {
		return unknown(grounds...)
	}
	part := func() *fleet.State { return around(s, []*fleet.Workload{w}, o.Most) }
	base := prepared(part, part, max(now, s.Time))
	if base == nil {
		return unknown(Ground{Kind: TooFar})
	}
	f := newForecast(base, []uint64{w.ID}, max(now, s.Time), o.withDefaults(s, now))
	f.walk()
	return f.answer(w.ID)
}

// All forecasts every workload that waits, in order of ID, on the same paths:
// moments only, without what they rest on.
func All(s *fleet.State, now fleet.Instant, o Options) []Asked {
	var ids []uint64
	for id, w := range s.Workloads {
		if !waits(w) {
			continue
		}
		if _, ready := notReady(s, w); ready {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	now = max(now, s.Time)
	whole := func() *fleet.State { return excerpt(s, func(*fleet.Partition) bool { return true }) }
	f := newForecast(prepared(whole, whole, now), ids, now, o.withDefaults(s, now))
	f.walk()
	list := make([]Asked, len(ids))
	for i, id := range ids {
		list[i] = f.ask(id)
	}
	return list
}

// withDefaults are the options with what the caller left out.
func (o Options) withDefaults(s *fleet.State, now fleet.Instant) Options {
	if o.History == nil {
		o.History = Learn(s, now)
	}
	if o.Paths <= 0 {
		o.Paths = DefaultPaths
	}
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	if o.Arena == nil {
		o.Arena = &fleet.Arena{}
	}
	return o
}

func unknown(grounds ...Ground) Answer { return Answer{Unknown: grounds} }

func name(w *fleet.Workload) string { return w.Namespace + "/" + w.Name }

// waits says whether there is a start to forecast.
func waits(w *fleet.Workload) bool { return !w.State.Ended() && w.State != fleet.RunningW }

// notReady says why nothing can start in any place of a workload: no cluster
// there decides anything now, or there is no place at all.
func notReady(s *fleet.State, w *fleet.Workload) (grounds []Ground, ready bool) {
	for _, p := range places(s, w) {
		c := s.Cluster(p.Cluster)
		if p.Halted() == "" && (c == nil || !c.Stale && c.Mode == fleet.Enforce) {
			return nil, true
		}
		grounds = append(grounds, Ground{Kind: NotReady, Name: p.Cluster})
	}
	if len(grounds) == 0 {
		grounds = []Ground{{Kind: NothingAhead}}
	}
	return grounds, false
}

// forecast is one question while it is answered.
type forecast struct {
	base       *fleet.State
	now        fleet.Instant
	ids        []uint64
	asked      map[uint64]bool
	options    Options
	correction correction
	starts     map[uint64][]fleet.Instant // by path; Never where a path does not know
	cutShort   bool                       // some path had to stop early: its steps were used up
	came       Progress                   // how far the paths came
	apart      bool                       // alternatives: each leaves as soon as it starts, see Together
	grounds    map[uint64][][]Ground      // by path, what its start rests on; only of alternatives
}

func newForecast(base *fleet.State, ids []uint64, now fleet.Instant, o Options) *forecast {
	f := &forecast{base: base, now: now, ids: ids, asked: map[uint64]bool{}, options: o, starts: map[uint64][]fleet.Instant{}, grounds: map[uint64][][]Ground{}}
	f.options.Paths = affordable(base, o)
	f.came.Of = f.options.Paths
	f.correction = o.Book.correction(now)
	for _, id := range ids {
		f.asked[id] = true
	}
	return f
}

// prepared is a copy of a fleet in which the planners have already found out which
// work finds no room now, so that no path tries it again. Where deciding now changes
// something it is the fleet undecided instead: every path begins with that change. It is
// nil where there is no copy.
func prepared(copied, undecided func() *fleet.State, now fleet.Instant) *fleet.State {
	tried := copied()
	if tried == nil {
		return nil
	}
	if out, refusal := core.Step(tried, core.Request{Command: core.Tick{}, Actor: core.System}, now); refusal == nil && len(out.Record.Events) == 0 {
		return tried
	}
	return undecided()
}

// fewestPaths are enough for an answer.
const fewestPaths = 5

// affordable is how many paths half of the steps pay for: copying a fleet for a
// path costs about as much as one decision for every so many things in it.
func affordable(base *fleet.State, o Options) int {
	const copied = 10
	things := len(base.Workloads)
	for _, p := range base.Partitions {
		things += len(p.Nodes)
	}
	return min(o.Paths, max(fewestPaths, o.Steps/2/(things/copied+1)))
}

// walk goes all paths, and stops where enough of them failed for the answer to
// be "not known" whatever the others say. Where time is up, the paths that were
// gone to their ends count, if they are enough.
func (f *forecast) walk() {
	for n := 0; n < f.options.Paths; n++ {
		asked := f.open()
		if len(asked) == 0 {
			return
		}
		p, how := f.path(f.drawn(n), asked, f.apart)
		f.note(p, how)
		if how == tooFar && n >= fewestPaths && f.stopped() {
			f.options.Paths = n
			return
		}
		f.cutShort = f.cutShort || how == tooFar
		for id := range asked {
			f.starts[id] = append(f.starts[id], p.startOf(id))
			f.grounds[id] = append(f.grounds[id], p.grounds[id])
		}
	}
}

// note keeps how far a path came.
func (f *forecast) note(p *path, how outcome) {
	if how == tooFar {
		f.came.Until = max(f.came.Until, p.now)
	} else {
		f.came.Played++
	}
}

// tooFar is the answer of a search that had to stop early.
func (f *forecast) tooFar() Answer {
	a := unknown(Ground{Kind: TooFar})
	a.Came = f.came
	return a
}

// open are the workloads whose answer is not settled yet: too few paths failed.
func (f *forecast) open() map[uint64]bool {
	asked := map[uint64]bool{}
	for _, id := range f.ids {
		if len(f.ids) > 1 && !f.apart || f.failed(id) < f.options.Paths-rank(f.options.Paths, 90) {
			asked[id] = true
		}
	}
	return asked
}

func (f *forecast) stopped() bool { return f.options.Stop != nil && f.options.Stop() }

func (f *forecast) drawn(n int) lengths { return drawn{f.options.History, n, f.options.Paths} }

// path goes one path, with an equal part of the steps.
func (f *forecast) path(l lengths, asked map[uint64]bool, explains bool) (*path, outcome) {
	steps := max(1, f.options.Steps/f.options.Paths)
	imagined := f.base.ForkInto(f.options.Arena) // the path before is over
	imagined.StopLearning()
	p := newPath(imagined, f.now, asked, l, &steps)
	p.explains, p.stop = explains, f.options.Stop
	if f.apart {
		p.passes = f.restsOn
	}
	how := p.live()
	return p, how
}

// startOf is when a workload started on the path, or Never.
func (p *path) startOf(id uint64) fleet.Instant {
	if at, ok := p.starts[id]; ok {
		return at
	}
	return fleet.Never
}

func (f *forecast) failed(id uint64) int {
	n := 0
	for _, at := range f.starts[id] {
		if at == fleet.Never {
			n++
		}
	}
	return n
}

// rank is the place, from 0, of a percentile among so many in order.
func rank(n, percent int) int { return (n*percent+99)/100 - 1 }

// ask is the answer about one workload without what it rests on.
func (f *forecast) ask(id uint64) Asked {
	a := Asked{Workload: id, At: f.now}
	sorted := slices.Clone(f.starts[id])
	slices.Sort(sorted)
	last := rank(f.options.Paths, 90)
	if last >= len(sorted) || sorted[last] == fleet.Never {
		a.Answer = f.unknown()
		return a
	}
	a.raw = moments{sorted[rank(f.options.Paths, 50)], sorted[last]}
	said := f.correction.apply(a.raw, f.now)
	a.Answer = Answer{Known: true, P50: said[0], P90: said[1]}
	return a
}

// unknown is the answer where the paths do not know, and no names are wanted.
func (f *forecast) unknown() Answer {
	if f.cutShort {
		return f.tooFar()
	}
	return unknown(Ground{Kind: NothingAhead})
}

// answer is all of the answer about one workload.
func (f *forecast) answer(id uint64) Answer {
	a := f.ask(id).Answer
	if !a.Known {
		return f.why(id)
	}
	middle := f.middle(id)
	if p, how := f.path(f.drawn(middle), f.asked, true); how == started {
		a.RestsOn = f.restsOn(p, id)
	}
	if p, _ := f.path(declared{}, f.asked, false); p.startOf(id) != fleet.Never {
		a.Latest = p.startOf(id)
	}
	return a
}

// middle is the first path on which a workload starts at the median.
func (f *forecast) middle(id uint64) int {
	sorted := slices.Clone(f.starts[id])
	slices.Sort(sorted)
	return slices.Index(f.starts[id], sorted[rank(f.options.Paths, 50)])
}
