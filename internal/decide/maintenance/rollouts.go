package maintenance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// rollouts moves the first rollout that can move: by a gate, a stage or a visit.
func (l *look) rollouts() (Action, bool) {
	for _, r := range l.m.Rollouts {
		if r.State != fleet.RolloutRunning || r.Joined != "" || !l.due(r) || l.stillCalm(r) {
			continue
		}
		if a, ok := l.withdrawn(r); ok {
			return a, true
		}
		o := l.outlook(r)
		if o.move != nil {
			return *o.move, true
		}
		watch := l.near(r)
		watch.Starts = fleet.Never // no work is asked to stop before all rollouts are calm
		l.calm[r.Name] = watch
	}
	return Action{}, false
}

// withdrawn abandons a rollout one of whose updates was taken back: what is left of
// its bundle was not what people asked for.
func (l *look) withdrawn(r *fleet.Rollout) (Action, bool) {
	for _, name := range r.Updates {
		if u := l.m.Update(name); u == nil || u.Record.Withdrawn != 0 {
			return l.ended(r, fleet.RolloutAbandoned, "update "+name+" was withdrawn"), true
		}
	}
	return Action{}, false
}

func (l *look) ended(r *fleet.Rollout, state fleet.RolloutState, why string) Action {
	return l.changed(r, func(r *fleet.Rollout) {
		if r.State, r.Why = state, why; state != fleet.RolloutPaused {
			r.Ended = l.now
		}
	})
}

func (l *look) changed(r *fleet.Rollout, edit func(*fleet.Rollout)) Action {
	c := *r
	edit(&c)
	return Action{Kind: MoveRollout, Rollout: c}
}

// Outlook is where a rollout stands: its stage, how many nodes are how far, and what it waits for.
type Outlook struct {
	State  fleet.RolloutState
	Stage  string
	Of     int // nodes of its scope
	Done   int
	Failed int
	Visits int // open ones
	Waits  []Wait
	// Targets are the configurations that its nodes are still to come to, with their verdicts.
	Targets []Target

	move *Action
}

// Target is a configuration that nodes are still to come to.
type Target struct {
	GPU     string
	Hash    string
	Runs    fleet.Runs `json:"-"` // what Hash stands for
	Verdict fleet.Verdict
	Nodes   int
	Zoned   int // of them, how many a zone keeps from a visit now
}

// Of says where a rollout stands.
func Of(s *fleet.State, r *fleet.Rollout, now fleet.Instant) Outlook {
	if r.Joined != "" {
		if into := s.Kept().Rollout(r.Joined); into != nil {
			r = into
		}
	}
	return newLook(s, now).outlook(r)
}

func stageName(n int) string {
	if n == 0 {
		return "canary"
	}
	return fmt.Sprintf("wave %d", n)
}

// outlook finds out once what a rollout does next, or why it does nothing.
func (l *look) outlook(r *fleet.Rollout) Outlook {
	o, known := l.stands[r]
	if !known {
		o = l.stand(r)
		l.stands[r] = o
	}
	return o
}

func (l *look) stand(r *fleet.Rollout) Outlook {
	c := l.counted(r)
	o := Outlook{State: r.State, Stage: stageName(r.Stage), Of: c.of, Done: c.done, Failed: c.failed, Visits: c.visits}
	if r.State == fleet.RolloutDone { // what a later one brought to its nodes takes nothing of that away
		o.Done = c.of - c.failed
		return o
	}
	o.Targets = l.targetsOf(c.pending)
	if r.State != fleet.RolloutRunning {
		return o
	}
	w := &waits{}
	o.move = l.gate(r, c, o.Targets)
	if o.move == nil {
		o.move = l.nextVisit(r, c, o.Targets, w)
	}
	o.Waits = w.sorted()
	if o.move == nil && c.visits == 0 {
		if o.State = fleet.RolloutWaiting; r.Began == 0 && len(o.Waits) > 0 && o.Waits[0].Code == NotBefore {
			o.State = fleet.RolloutPlanned
		}
	}
	return o
}

// targetsOf lists the configurations that pending nodes are to come to, in order of model and hash.
func (l *look) targetsOf(list []pending) []Target {
	var all []Target
	for _, x := range list {
		at := slices.IndexFunc(all, func(t Target) bool { return t.Hash == x.hash && t.GPU == x.p.GPU })
		if at < 0 {
			at = len(all)
			all = append(all, Target{GPU: x.p.GPU, Hash: x.hash, Runs: x.n.Runs.With(x.b.Brings...), Verdict: l.m.Verdict(x.p.GPU, x.hash)})
		}
		all[at].Nodes++
		if _, ok := l.zoned(x.p, x.n, x.b.Impact, x.b.Lasts+l.policy().Validation); ok {
			all[at].Zoned++
		}
	}
	slices.SortFunc(all, func(a, b Target) int { return strings.Compare(a.GPU+a.Hash, b.GPU+b.Hash) })
	return all
}

// gate is a move between visits: a canary failed, a wave had too many failures, a stage is over,
// all is done.
func (l *look) gate(r *fleet.Rollout, c census, targets []Target) *Action {
	switch {
	case r.Hunt != nil:
		return l.hunt(r)
	case slices.ContainsFunc(targets, func(t Target) bool { return t.Verdict == fleet.Rejected }):
		return l.canaryFailed(r)
	case r.Stage > 0 && c.failed-r.Faults > allowedFailures(r, c):
		a := l.ended(r, fleet.RolloutPaused, fmt.Sprintf("gate: %s failed in %s, %s are allowed", text.Count(c.failed-r.Faults, "node"), stageName(r.Stage), text.Group(allowedFailures(r, c))))
		return &a
	case c.visits > 0:
		return nil
	case r.Stage == 0 && !slices.ContainsFunc(targets, untested) && !soaks(r):
		return l.stage(r, 1, c)
	case len(c.pending) == 0 && !soaks(r):
		a := l.ended(r, fleet.RolloutDone, "")
		return &a
	case r.Stage > 0 && r.Stage < len(r.Waves) && c.done+c.failed >= waveEnds(r, c):
		return l.stage(r, r.Stage+1, c)
	}
	return nil
}

func untested(t Target) bool { return t.Verdict == fleet.Untested }

// soaks says whether a canary of the rollout is under way.
func soaks(r *fleet.Rollout) bool {
	return slices.ContainsFunc(r.Trials, func(t fleet.Trial) bool { return !t.Ended })
}

func (l *look) stage(r *fleet.Rollout, to int, c census) *Action {
	a := l.changed(r, func(r *fleet.Rollout) {
		if r.Stage == 0 {
			r.Base = c.done + c.failed
		}
		r.Stage, r.Faults = to, c.failed
	})
	return &a
}

// waveEnds is how many nodes are done or failed when the present wave is over.
func waveEnds(r *fleet.Rollout, c census) int {
	share := 1000
	if r.Stage <= len(r.Waves) {
		share = int(r.Waves[r.Stage-1])
	}
	rest := max(0, c.of-r.Base)
	return r.Base + (rest*share+999)/1000
}

// waveFull says whether the present wave has all its visits: no other begins before these have ended.
func waveFull(r *fleet.Rollout, c census) bool { return c.done+c.failed+c.visits >= waveEnds(r, c) }

// allowedFailures is how many nodes of a wave may fail.
func allowedFailures(r *fleet.Rollout, c census) int {
	if r.Limits.Failures >= 0 {
		return r.Limits.Failures
	}
	return max(1, (waveEnds(r, c)-r.Base)*2/100)
}

// canaryFailed searches for the updates that fail, where several are in the bundle and people
// asked for it; else the rollout pauses.
func (l *look) canaryFailed(r *fleet.Rollout) *Action {
	if r.Bisect && len(r.Updates) > 1 {
		a := l.changed(r, func(r *fleet.Rollout) { r.Hunt = newHunt(r.Updates) })
		return &a
	}
	why := "gate: a canary failed"
	for _, t := range r.Trials {
		if t.Ended && !t.Passed && !voided(t) {
			why = "gate: canary " + t.Node + " failed: " + t.Why
		}
	}
	if len(r.Updates) > 1 {
		why += "; bisect would find which of the updates fail"
	}
	a := l.ended(r, fleet.RolloutPaused, why)
	return &a
}

// nextVisit is the visit that begins next: of a canary while something is to be proven, else
// of the wave. What keeps nodes from it goes into w.
func (l *look) nextVisit(r *fleet.Rollout, c census, targets []Target, w *waits) *Action {
	if r.Hunt != nil {
		return l.huntVisit(r, c, w)
	}
	if r.Stage == 0 {
		return l.canaryVisit(r, c, targets, w)
	}
	if waveFull(r, c) {
		return nil
	}
	best := l.choose(r, c.pending, w, func(x pending) (Wait, bool) {
		return Wait{Code: Unproven}, x.proven
	})
	if best == nil {
		return nil
	}
	return l.visit(r, *best, false)
}

// canaryVisit begins a canary for the first configuration that lacks one: in the scope, or
// where nothing can begin there and people allow it, outside.
func (l *look) canaryVisit(r *fleet.Rollout, c census, targets []Target, w *waits) *Action {
	for _, t := range targets {
		if t.Verdict != fleet.Untested {
			continue
		}
		under, passed, until := soaking(r, t.GPU, t.Hash)
		if under+passed >= r.Canary.Nodes {
			w.add(Wait{Code: Soaking, Until: until})
			continue
		}
		of := slices.DeleteFunc(slices.Clone(c.pending), func(x pending) bool {
			return x.hash != t.Hash || x.p.GPU != t.GPU || provesNothing(x.n)
		})
		best := l.choose(r, of, w, nil)
		if best == nil && r.Canary.Auto {
			best = l.choose(r, l.outside(r, r.Updates, t), &waits{}, nil)
		}
		if best != nil {
			return l.visit(r, *best, true)
		}
		if under > 0 {
			w.add(Wait{Code: Soaking, Until: until})
		}
	}
	return nil
}

// provesNothing says whether a node is no canary: it is in repair, or serves with dead GPUs.
func provesNothing(n *fleet.Node) bool { return n.State.InRepair() || n.State == fleet.Degraded }

// outside lists the nodes outside the scope on which a configuration can be proven: of the same
// model, without in-quota work, and with no other rollout over them.
func (l *look) outside(r *fleet.Rollout, updates []string, t Target) []pending {
	var list []pending
	var known targets
	for _, p := range l.s.Partitions {
		if p.GPU != t.GPU {
			continue
		}
		b := BundleFor(l.m, updates, p.GPU)
		for i, n := range p.Nodes {
			if n.Owner() != nil || provesNothing(n) || r.Covers(p, n) || n.Visit != nil && !n.Visit.State.Ended() || n.Runs.Has(b.Brings) {
				continue
			}
			if to := known.of(l.m, p.GPU, n.Runs, &b); to.hash == t.Hash && !l.claimed(r, p, n) {
				list = append(list, pending{p: p, at: i, n: n, b: &b, target: to})
			}
		}
	}
	return list
}

// claimed says whether another open rollout has the node.
func (l *look) claimed(r *fleet.Rollout, p *fleet.Partition, n *fleet.Node) bool {
	return slices.ContainsFunc(l.m.Rollouts, func(o *fleet.Rollout) bool { return o != r && o.Open() && o.Joined == "" && o.Covers(p, n) })
}

// choose is the node that is visited first, of those that may be visited now.
func (l *look) choose(r *fleet.Rollout, list []pending, w *waits, also func(pending) (Wait, bool)) *pending {
	var best *pending
	var first rank
	for i := range list {
		x := &list[i]
		why, ok := l.mayBegin(r, *x, also)
		if !ok {
			why.Node = x.n.Name
			w.add(why)
			if !why.declared {
				l.until(r, why.Until)
			}
			if why.Code == InUse {
				l.besides(r, *x, w)
			}
			continue
		}
		k, _, _ := l.rated(x.n, !disturbs(x.n, x.b), l.urgent(r, x))
		if len(l.m.Stops) > 0 && l.stopped(x.p, x.at) {
			k.class = min(k.class, isStopped)
		}
		if best == nil || k.compare(first) < 0 {
			best, first = x, k
		}
	}
	return best
}

// until keeps when a reason ends that keeps a node from its visit: the first that is still to come.
func (l *look) until(r *fleet.Rollout, at fleet.Instant) {
	if was, known := l.soon[r.Name]; at > l.now && (!known || at < was) {
		l.soon[r.Name] = at
	}
}

// mayBegin says whether a visit of the node may begin now.
func (l *look) mayBegin(r *fleet.Rollout, x pending, also func(pending) (Wait, bool)) (Wait, bool) {
	if x.b.NotBefore > l.now {
		return Wait{Code: NotBefore, Until: x.b.NotBefore}, false
	}
	if v := x.n.Visit; v != nil && !v.State.Ended() {
		return Wait{Code: Limit}, false // another visit of the node is under way
	}
	if also != nil {
		if why, ok := also(x); !ok {
			return why, false
		}
	}
	if hit, ok := l.zoned(x.p, x.n, x.b.Impact, x.b.Lasts+l.policy().Validation); ok {
		return Wait{Code: NoFlyZone, Zone: hit.zone.Name, Until: hit.span.To}, false
	}
	if _, why, ok := l.rated(x.n, !disturbs(x.n, x.b), l.urgent(r, &x)); !ok {
		return why, false
	}
	if why, ok := l.led(r, x); !ok {
		return why, false
	}
	return l.allowed(r, x)
}

func (l *look) visit(r *fleet.Rollout, x pending, canary bool) *Action {
	a := l.begin(x.p, x.at, x.b)
	a.Visit.Rollout, a.Visit.Canary = r.Name, canary
	if canary {
		a.Visit.Soak = r.Canary.Soak
	}
	return &a
}
