package judge_test

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A world is a small fleet that lives through a script, with a stand-in for its
// cluster, while the judge looks at every decision.
type world struct {
	s      *fleet.State
	now    fleet.Instant
	script []line
	court  *court
}

// broken is a rule that a decision has broken.
type broken struct {
	rule, detail string
	record       event.Record
}

func newWorld(c *court) *world {
	return &world{s: fleet.NewState(), now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), court: c}
}

// mostEvictions is how many evictions may follow one line of a script.
const mostEvictions = 100

// mostSteps is how many looks and reports may follow one line of a script.
const mostSteps = 10_000

// play takes one line of a script, after all that happens before its time.
func (w *world) play(l line) (b *broken) {
	defer func() {
		if r := recover(); r != nil {
			b = &broken{rule: "no panic", detail: fmt.Sprint(r)}
		}
	}()
	w.script = append(w.script, l)
	due := w.now.Add(l.after)
	if b := w.passTime(due); b != nil {
		return b
	}
	w.now = due
	if l.finish == "" {
		return w.step(l.do)
	}
	for _, v := range w.s.Workloads {
		if v.Name == l.finish && v.Started != 0 && !v.State.Ended() {
			return w.step(core.ReportFinished{ID: v.ID})
		}
	}
	return nil
}

// passTime reports victims gone when their grace ends, and rings alarms.
func (w *world) passTime(until fleet.Instant) *broken {
	steps := 0
	for was := w.court.evictions; ; steps++ {
		if steps > mostSteps {
			return &broken{rule: "time goes on", detail: fmt.Sprintf("at %s there is always another look", w.now.Time())}
		}
		if w.court.evictions-was > mostEvictions {
			return &broken{rule: "evictions come to an end", detail: "they do not, without a new event"}
		}
		at, do := w.nextHappening()
		if do == nil || at > until {
			return nil
		}
		w.now = max(w.now, at)
		if b := w.step(do); b != nil {
			return b
		}
	}
}

func (w *world) nextHappening() (at fleet.Instant, do core.Command) {
	at, do = w.s.NextAlarm(), core.Tick{}
	if at == fleet.Never {
		do = nil
	}
	for _, v := range byID(w.s) {
		leaving := v.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
		if len(leaving) > 0 && v.GraceEnds < at {
			at, do = v.GraceEnds, core.ReportStopped{ID: v.ID, Spots: leaving}
		}
	}
	return at, do
}

func byID(s *fleet.State) []*fleet.Workload {
	var list []*fleet.Workload
	for _, w := range s.Workloads {
		list = append(list, w)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// step carries out a command, and lets the court judge what was decided.
func (w *world) step(c core.Command) *broken {
	before := w.s.Clone()
	out, _ := core.Step(w.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, w.now)
	if b := w.court.judge(before, w.s, out.Record, w.now); b != nil {
		b.record = out.Record
		return b
	}
	return nil
}

// replay plays a script from the beginning.
func replay(script []line) (*world, *broken) {
	w := newWorld(newCourt(featuresAsked()))
	for _, l := range script {
		if b := w.play(l); b != nil {
			return w, b
		}
	}
	return w, nil
}

// shrink leaves lines out of a script, and makes what is submitted simpler, as
// long as it breaks the same rule.
func shrink(script []line, rule string) []line {
	breaks := func(tried []line) bool {
		_, b := replay(tried)
		return b != nil && b.rule == rule
	}
	script = apart(script)
	for again := true; again; {
		again = false
		for i := len(script) - 1; i >= 0; i-- {
			tried := append(append([]line(nil), script[:i]...), script[i+1:]...)
			if i+1 < len(script) {
				tried[i].after += script[i].after
			}
			if breaks(tried) {
				script, again = tried, true
				continue
			}
			for _, l := range simpler(script[i]) {
				tried := append([]line(nil), script...)
				if tried[i] = l; breaks(tried) {
					script, again = tried, true
					break
				}
			}
		}
	}
	return script
}

// apart tells a batch as single lines.
func apart(script []line) []line {
	var list []line
	for _, l := range script {
		b, is := l.do.(core.Batch)
		if !is {
			list = append(list, l)
			continue
		}
		for i, c := range b.Commands {
			one := line{do: c}
			if i == 0 {
				one.after = l.after
			}
			list = append(list, one)
		}
	}
	return list
}

// simpler lists submissions that ask for a little less than one does.
func simpler(l line) []line {
	c, is := l.do.(core.Submit)
	if !is {
		return nil
	}
	var list []line
	try := func(edit func(s *fleet.Spec)) {
		s := c.Spec
		s.Pools = append([]fleet.Pool(nil), s.Pools...)
		edit(&s)
		if specText(s) != specText(c.Spec) {
			list = append(list, line{after: l.after, do: core.Submit{Spec: s}})
		}
	}
	for i := range c.Spec.Pools {
		if len(c.Spec.Pools) > 1 {
			try(func(s *fleet.Spec) { s.Pools = append(s.Pools[:i], s.Pools[i+1:]...) })
		}
		try(func(s *fleet.Spec) { s.Pools[i].Max, s.Pools[i].Elastic = s.Pools[i].Min, false })
		if p := c.Spec.Pools[i]; p.Min > 1 && !p.Elastic {
			try(func(s *fleet.Spec) { s.Pools[i].Min--; s.Pools[i].Max-- })
		}
		if p := c.Spec.Pools[i]; p.Elastic && p.Max > p.Min+1 {
			try(func(s *fleet.Spec) { s.Pools[i].Max-- })
		}
		try(func(s *fleet.Spec) { s.Pools[i].Rank = 0 })
		try(func(s *fleet.Spec) { s.Pools[i].Reach = fleet.ReachAny })
	}
	try(func(s *fleet.Spec) { s.CheckpointEvery = 0 })
	try(func(s *fleet.Spec) { s.Grace = 0 })
	try(func(s *fleet.Spec) { s.Priority = fleet.Mid })
	return list
}

// tell prints a broken run, made as small as it can be.
func tell(seed int64, script []line, b *broken) string {
	var t strings.Builder
	small := shrink(script, b.rule)
	w, again := replay(small)
	if again == nil {
		w, again, small = &world{s: fleet.NewState()}, b, script
	}
	fmt.Fprintf(&t, "seed %d: %s: %s\n", seed, again.rule, again.detail)
	for i, l := range small {
		fmt.Fprintf(&t, "  %2d %v\n", i+1, l)
	}
	fmt.Fprintf(&t, "the last line led to%s\n%s", eventsText(again.record), partitionText(w.s))
	return t.String()
}

func eventsText(r event.Record) string {
	var b strings.Builder
	for _, e := range r.Events {
		fmt.Fprintf(&b, "\n    %s %+v", e.Kind(), e)
	}
	return b.String()
}

// partitionText shows the partition, node by node and quota by quota.
func partitionText(s *fleet.State) string {
	p := s.Partition(here)
	if p == nil {
		return ""
	}
	var b strings.Builder
	for _, a := range p.Accounts {
		fmt.Fprintf(&b, "    %s: grant %d, backing %v, waiting:%s\n", a.Quota, a.Grant, a.Backing, waitingText(a.Queue()))
	}
	for _, ns := range p.Namespaces() {
		fmt.Fprintf(&b, "    flex of %s: %d, waiting:%s\n", ns, p.FlexOf(ns).Staying, waitingText(p.FlexOf(ns).Queue()))
	}
	for i, n := range p.Nodes {
		fmt.Fprintf(&b, "    %2d %s %s:", i, n.Name, n.State)
		for _, r := range n.Residents() {
			fmt.Fprintf(&b, " %s/%d %dgpu %s %s", r.Workload.Name, r.Pool, r.GPUs(), r.Workload.Priority, []string{"reserved", "running", "leaving"}[r.Phase])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func waitingText(list []fleet.Waiting) (t string) {
	for _, it := range list {
		t += fmt.Sprintf(" %s/%d(%v)", it.Workload.Name, it.Pool, it.Workload.Priority)
	}
	return t
}
