package forecast

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// End says when a rollout is over, if nothing new is submitted and nothing else breaks (maintenance §3).
type End struct {
	Known    bool
	P50, P90 fleet.Instant
	Unknown  string // why it is not known
	TooFar   bool   // it is not known because the time or the steps were used up
	Sooner   []Sooner
}

// Sooner is a change with which a rollout ends sooner.
type Sooner struct {
	Change string
	Zone   string // the zone that it would end; "": it is another change
	P50    fleet.Instant
}

// RolloutPaths is how many futures are tried of a rollout, where Options say nothing: each plays all of its visits.
const RolloutPaths = 9

// EndOf says when a rollout is over, unless it is out of reach of the steps (WithinReach). It plays the rest of it through on copies of the whole fleet with the rules that decide
// (core.Step), where visits take as long as others did. What would make it sooner is tried in the same way.
func EndOf(s *fleet.State, name string, now fleet.Instant, o Options) End {
	r := s.Kept().Rollout(name)
	if r != nil && r.Joined != "" {
		r = s.Kept().Rollout(r.Joined)
	}
	if r == nil || r.State != fleet.RolloutRunning {
		return End{Unknown: "it does not run"}
	}
	o.Paths = cmp.Or(o.Paths, RolloutPaths)
	now = max(now, s.Time)
	if !WithinReach(s, r.Name, now, cmp.Or(o.Steps, DefaultSteps)) {
		return outOfReach()
	}
	e := &ending{rollout: r.Name, now: now, options: o.withDefaults(s, now)}
	e.base = prepared(s.Fork, func() *fleet.State { return s }, now)
	return e.answer()
}

// ending is the question for the end of one rollout while it is answered.
type ending struct {
	base    *fleet.State
	rollout string
	now     fleet.Instant
	options Options
}

func (e *ending) answer() End {
	var ends []fleet.Instant
	for n := range e.options.Paths {
		if n >= fewestPaths && e.stopped() {
			break
		}
		p, how := e.play(n, nil)
		if how == tooFar {
			return outOfReach()
		}
		if how == still {
			return End{Unknown: e.stuck(p), Sooner: e.sooner(fleet.Never)}
		}
		ends = append(ends, p.now)
	}
	slices.Sort(ends)
	p50 := ends[rank(len(ends), 50)]
	return End{Known: true, P50: p50, P90: ends[rank(len(ends), 90)], Sooner: e.sooner(p50)}
}

func (e *ending) stopped() bool { return e.options.Stop != nil && e.options.Stop() }

// play goes one path to the end of the rollout, after a change.
func (e *ending) play(n int, change func(*fleet.State)) (*path, outcome) {
	imagined := e.base.Fork()
	imagined.StopLearning()
	if change != nil {
		change(imagined)
	}
	steps := max(1, e.options.Steps/e.options.Paths)
	p := newPath(imagined, e.now, nil, drawn{e.options.History, n, e.options.Paths}, &steps)
	p.until, p.timely, p.stop = e.rollout, true, e.options.Stop
	p.step(core.Tick{}, cause{tick: true})
	how := p.live()
	return p, how
}

// stuck says what the rollout still waits for on a path on which nothing more happens by itself.
func (e *ending) stuck(p *path) string {
	o := maintenance.Of(p.s, p.s.Kept().Rollout(e.rollout), p.now)
	var reasons []string
	for _, w := range o.Waits {
		reasons = append(reasons, fmt.Sprintf("for %s %s (%s)", text.Count(w.Nodes, "node"), stuckWhile[w.Code], w.Code))
	}
	if len(reasons) == 0 {
		return "nothing that is known to come ends it"
	}
	return "after all that is known to come it still waits " + strings.Join(reasons, ", ")
}

// stuckWhile says of nodes that are never visited on a path what they are like.
var stuckWhile = map[maintenance.Code]string{
	maintenance.Stale:             "whose cluster does not report",
	maintenance.Unproven:          "whose new configuration no canary has proven",
	maintenance.Soaking:           "while a canary soaks",
	maintenance.NoFlyZone:         "under a no-fly zone",
	maintenance.WouldBreakPromise: "without which a promise would be broken",
	maintenance.Limit:             "above the limits of the rollout",
	maintenance.InUse:             "with work that has no known end",
	maintenance.NotBefore:         "whose update may not begin yet",
	maintenance.OutOfService:      "that are suspect or under another maintenance",
}

// worthSaying is how much sooner an end must be to be told.
const worthSaying = time.Minute

// sooner tries changes on the first path, and keeps those with which the rollout ends sooner: what helps most first.
func (e *ending) sooner(than fleet.Instant) (list []Sooner) {
	for _, c := range e.changes() {
		if e.stopped() {
			break
		}
		if p, how := e.play(0, c.make); how == started && p.now < than.Add(-worthSaying) {
			list = append(list, Sooner{Change: c.says, Zone: c.zone, P50: p.now})
		}
	}
	slices.SortStableFunc(list, func(a, b Sooner) int { return cmp.Compare(a.P50, b.P50) })
	return list
}

// change is something that might make a rollout end sooner.
type change struct {
	says, zone string
	make       func(*fleet.State)
}

func (e *ending) changes() []change {
	list := []change{{says: "twice as many nodes visited at a time", make: e.doubleLimits}}
	for _, z := range e.base.Kept().Zones {
		if z.Ended == 0 && slices.ContainsFunc(z.Spans, func(s fleet.Span) bool { return s.To > e.now }) {
			list = append(list, change{says: "no-fly zone " + z.Name + " ends now", zone: z.Name, make: func(s *fleet.State) { e.endZone(s, z.Name) }})
		}
	}
	if work := e.inTheWay(e.base); len(work) > 0 {
		says := "the owners of " + text.Count(len(work), "workload") + " on its nodes agree to stop now"
		list = append(list, change{says: says, make: e.agreeAll})
	}
	return list
}

func (e *ending) doubleLimits(s *fleet.State) {
	r := *s.Kept().Rollout(e.rollout)
	r.Limits.PerIsland, r.Limits.PerPartition, r.Limits.Share = 2*r.Limits.PerIsland, 2*r.Limits.PerPartition, min(1000, 2*r.Limits.Share)
	s.SetRollout(r)
}

func (e *ending) endZone(s *fleet.State, name string) {
	z := *s.Kept().Zone(name)
	z.Ended = e.now
	s.SetZone(z)
}

func (e *ending) agreeAll(s *fleet.State) {
	for _, w := range e.inTheWay(s) {
		s.SetAgreement(fleet.Agreement{ID: w.ID, At: e.now})
	}
}

// inTheWay lists in-quota work on nodes that the rollout still has to visit.
func (e *ending) inTheWay(s *fleet.State) (work []*fleet.Workload) {
	for _, c := range maintenance.CellsOf(s, s.Kept().Rollout(e.rollout), e.now) {
		if c.Stands != maintenance.NodeWaits {
			continue
		}
		for _, at := range c.Node.Residents() {
			if w := at.Workload; !w.Flexes() && w.State == fleet.RunningW && !slices.Contains(work, w) {
				work = append(work, w)
			}
		}
	}
	return work
}
