package scenario

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Behave says what the executor does with updates from now on: with all of them together in
// one visit, on some nodes or on all.
type Behave struct {
	Updates []string
	Nodes   []string
	Fails   bool
	Takes   time.Duration // below 0: what the update says
}

func (Behave) request(*fleet.State) (core.Request, error) { return core.Request{}, nil }

func behave(v yamlfile.Value) Action {
	f := v.Fields("update", "nodes", "outcome", "takes")
	b := Behave{Updates: oneOrMore(f.At("update")), Takes: -1}
	if f.Has("nodes") {
		b.Nodes = nodeNames(f.At("nodes"))
	}
	if f.Has("outcome") {
		b.Fails = f.At("outcome").Word("failed", "passed") == "failed"
	}
	if f.Has("takes") {
		b.Takes = f.At("takes").Duration()
	}
	return b
}

// executor carries out visits: it takes exactly what an update says, and passes, unless the
// story says otherwise. What it does follows from the state alone, so that a restart loses nothing.
type executor struct{ behaviours []Behave }

func (x *executor) learn(b Behave) { x.behaviours = append(x.behaviours, b) }

// concerns says whether a behaviour is about a visit.
func (b Behave) concerns(v *fleet.Visit) bool {
	for _, u := range b.Updates {
		if !slices.Contains(v.Updates, u) {
			return false
		}
	}
	return len(b.Nodes) == 0 || slices.Contains(b.Nodes, v.Node)
}

// fails is what the last behaviour for the same updates says; one failure is enough.
func (x *executor) fails(v *fleet.Visit) bool {
	said := map[string]bool{}
	for i := len(x.behaviours) - 1; i >= 0; i-- {
		b := x.behaviours[i]
		if key := strconv.Quote(b.key()); b.concerns(v) && !said[key] {
			if said[key] = true; b.Fails {
				return true
			}
		}
	}
	return false
}

func (b Behave) key() string {
	key := ""
	for _, u := range slices.Sorted(slices.Values(b.Updates)) {
		key += strconv.Quote(u)
	}
	return key
}

// takes is how long the work of a visit takes.
func (x *executor) takes(m *fleet.Maintained, v *fleet.Visit) time.Duration {
	for i := len(x.behaviours) - 1; i >= 0; i-- {
		b := x.behaviours[i]
		if b.Takes < 0 || !b.concerns(v) {
			continue
		}
		rest := says(m, v)
		for _, name := range b.Updates {
			rest -= m.Update(name).Lasts
		}
		if len(b.Updates) == 0 {
			rest = 0
		}
		return rest + b.Takes
	}
	return says(m, v)
}

// says is how long the updates of a visit say that it takes, whatever others took.
func says(m *fleet.Maintained, v *fleet.Visit) (sum time.Duration) {
	for _, name := range v.Updates {
		sum += m.Update(name).Lasts
	}
	if len(v.Updates) == 0 {
		return v.Lasts
	}
	return sum
}

// due is when the executor has something to say of a visit, or Never.
func (x *executor) due(m *fleet.Maintained, v *fleet.Visit) fleet.Instant {
	switch v.State {
	case fleet.VisitWorking:
		return v.Since.Add(x.takes(m, v))
	case fleet.VisitChecking:
		return v.Since.Add(v.Checks)
	default:
		return fleet.Never
	}
}

// says is what the executor says of a visit that is due.
func (x *executor) says(v *fleet.Visit) core.ReportVisit {
	r := core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: core.Passed}
	switch {
	case x.fails(v):
		r.Outcome, r.Why = core.Failed, "the executor says so"
	case v.State == fleet.VisitWorking && v.Checks > 0:
		r.Outcome = core.Worked
	}
	return r
}

// openVisits lists the visits that are under way.
func openVisits(s *fleet.State) (list []*fleet.Visit) {
	for _, ref := range s.Kept().Open {
		list = append(list, s.Partition(ref.Partition).Nodes[ref.Node].Visit)
	}
	return list
}

// visitsDue is when the executor next has something to say.
func (w *world) visitsDue() fleet.Instant {
	due := fleet.Never
	w.engine.Read(func(s *fleet.State) {
		for _, v := range openVisits(s) {
			due = min(due, w.executor.due(s.Kept(), v))
		}
	})
	return due
}

// visit lets the executor say what is due.
func (w *world) visit(ctx context.Context) error {
	var said []core.ReportVisit
	w.engine.Read(func(s *fleet.State) {
		for _, v := range openVisits(s) {
			if w.executor.due(s.Kept(), v) <= w.now {
				said = append(said, w.executor.says(v))
			}
		}
	})
	for _, c := range said {
		if err := w.mustDo(ctx, core.Request{Command: c, Actor: core.Reporter}); err != nil {
			return err
		}
	}
	return nil
}

// maintained finds the figures of what planned work keeps.
func (t *telling) maintained(s *fleet.State, e Expectation) (func(figure string) any, bool) {
	m, now := s.Kept(), t.world.now
	var row any
	switch e.Subject {
	case "rollout":
		if r := m.Rollout(e.Name); r != nil {
			row = view.RolloutAt(s, r, now)
		}
	case "nfz":
		if z := m.Zone(e.Name); z != nil {
			row = view.ZoneAt(s, z, now)
		}
	case "update":
		if u := m.Update(e.Name); u != nil {
			row = view.UpdateOf(s, u)
		}
	case "maintenance":
		if o := m.Notice(e.Name); o != nil {
			row = view.MaintenanceAt(s, o, now)
		}
	default:
		return nil, false
	}
	return func(figure string) any {
		if row == nil {
			return "no such " + e.Subject
		}
		return plain(field(row, figure))
	}, true
}

// plain is a figure as a story names it.
func plain(x any) any {
	switch x := x.(type) {
	case bool:
		return strconv.FormatBool(x)
	case fleet.Runs:
		texts := map[string]string{}
		for _, c := range x {
			texts[c.Name] = c.Version
		}
		return texts
	}
	return x
}

func waitCodes() []string {
	var words []string
	for _, c := range maintenance.Codes() {
		words = append(words, string(c))
	}
	return words
}

// parsePercent reads a number of percent with at most one decimal.
func parsePercent(text string) (fleet.Permille, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return fleet.PermilleOf(x / 100), err == nil && x >= 0 && x <= 100
}

// Among is a code that must be one of those there are.
type Among string

func (a Among) met(actual any) bool {
	list, ok := actual.([]string)
	return ok && slices.Contains(list, string(a))
}

func (a Among) String() string { return string(a) + " among them" }

// Texts are texts by name, of which those that are not named may be anything. None at
// all: there are none.
type Texts map[string]string

func (x Texts) met(actual any) bool {
	m, ok := actual.(map[string]string)
	if len(x) == 0 {
		return ok && len(m) == 0
	}
	for name, text := range x {
		ok = ok && m[name] == text
	}
	return ok
}

func (x Texts) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(x)) {
		parts = append(parts, name+": "+x[name])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func readTexts(v yamlfile.Value) Want {
	x := Texts{}
	for _, e := range v.Entries() {
		x[e.Key] = e.Value.Text()
	}
	return x
}
