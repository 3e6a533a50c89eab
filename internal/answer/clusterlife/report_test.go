package clusterlife_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// yard is a fleet in which a thousand clusters of one cloud account are built, in all phases.
type yard struct {
	testing.TB
	s    *fleet.State
	now  fleet.Instant
	took map[string][]time.Duration // to decide, by what is reported
}

// do decides a command, and keeps how long that took.
func (y *yard) do(what string, c core.Command) {
	y.Helper()
	began := time.Now()
	_, refusal := core.Step(y.s, core.Request{Command: c, Actor: core.System}, y.now)
	y.took[what] = append(y.took[what], time.Since(began))
	if refusal != nil {
		y.Fatal(what, refusal)
	}
}

// order is the steps that are operations, in the order of a cluster's life.
var order = []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices}

// newYard lets every fifth cluster wait for cores, and the others come as far as a
// step each: the last are in production.
func newYard(tb testing.TB) *yard {
	s, now := many(tb)
	y := &yard{TB: tb, s: s, now: now, took: map[string][]time.Duration{}}
	y.do("counts", core.ReportCounts{Subscription: "s", Region: "east", Counts: []fleet.CloudCount{{Meter: "cores", Limit: 100_000}, {Meter: "nd", Limit: 8000}}})
	for i := range 800 {
		y.advance(fmt.Sprintf("c%04d", i), i%(len(order)+1))
	}
	return y
}

// advance brings a cluster as many steps on.
func (y *yard) advance(name string, steps int) {
	y.now = y.now.Add(time.Second)
	l := y.s.Life(name)
	for _, step := range order[:steps] {
		op := l.Step(step).Operation
		y.do("begun", core.ReportOperation{Cluster: name, Step: step, ID: op.ID, State: fleet.OperationRunning})
		y.do("succeeded: "+string(step), core.ReportOperation{Cluster: name, Step: step, ID: op.ID, State: fleet.OperationSucceeded})
	}
	if steps == len(order) {
		seen := []fleet.StepEvidence{}
		for _, step := range []fleet.Step{fleet.StepProjects, fleet.StepDependencies, fleet.StepHealth} {
			seen = append(seen, fleet.StepEvidence{Step: step, Holds: true, Generation: 1})
		}
		y.do("evidence", core.ReportEvidence{Cluster: name, Seen: seen})
	}
}

// Among a thousand clusters of one account, what is seen of one costs the look at that one.
func TestAReportCostsOneLook(t *testing.T) {
	y := newYard(t)
	phases := map[buildout.Phase]int{}
	began := time.Now()
	for _, c := range clusterlife.All(y.s, y.now) {
		phases[c.Verdict.Phase]++
	}
	t.Logf("all of them looked at in %s: %v", time.Since(began), phases)
	if phases[buildout.Planned] != 200 || phases[buildout.InProduction] != 133 || phases[buildout.Provisioned] == 0 {
		t.Errorf("phases %v", phases)
	}
	var all []time.Duration
	for _, what := range slices.Sorted(maps.Keys(y.took)) {
		list := y.took[what]
		all = append(all, list...)
		slices.SortFunc(list, cmp.Compare)
		t.Logf("%-24s %5d decided, p50 %9s, p99 %9s, most %9s", what, len(list), list[len(list)/2], list[len(list)*99/100], list[len(list)-1])
	}
	slices.SortFunc(all, cmp.Compare)
	t.Logf("all: p50 %s, p99 %s, most %s", all[len(all)/2], all[len(all)*99/100], all[len(all)-1])
	if p50 := all[len(all)/2]; p50 > 2*time.Millisecond { // far above what a look takes: a report that walks over all clusters
		t.Errorf("half of the reports take more than %s", p50)
	}
}

// A report that comes when hundreds of clusters are late at once waits for few of them. The others
// are said to be late at the same moment, by ticks of their own.
func TestAReportDoesNotWaitForAllThatAreLate(t *testing.T) {
	y := newYard(t)
	late := func() (n int) {
		for _, l := range y.s.Lives {
			if slices.ContainsFunc(l.Conditions, func(c fleet.ClusterCondition) bool { return c.Late != 0 }) {
				n++
			}
		}
		return n
	}
	y.now = y.now.Add(200 * time.Hour)
	op := y.s.Life("c0001").Step(fleet.StepScaleSets).Operation
	was := map[string]string{}
	for _, l := range y.s.Lives {
		was[l.Record.Name] = fmt.Sprint(l.Conditions)
	}
	y.do("report", core.ReportOperation{Cluster: "c0001", Step: fleet.StepScaleSets, ID: op.ID, State: fleet.OperationRunning})
	n := 0
	for _, l := range y.s.Lives {
		if fmt.Sprint(l.Conditions) != was[l.Record.Name] {
			n++
		}
	}
	if n < 2 || n > 25 {
		t.Errorf("one report changed %d clusters", n)
	}
	ticks := 0
	for ; y.s.NextAlarm() <= y.now; ticks++ {
		y.do("tick", core.Tick{})
	}
	if n := late(); n < 500 || ticks < 20 {
		t.Errorf("after %d ticks at the same moment %d clusters are late", ticks, n)
	}
}
