package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What an operation waits for outside is said while it runs, and told once.
func TestARunningOperationSaysWhatItWaitsFor(t *testing.T) {
	s, now := built(t)
	op := s.Life("lynx").Step(fleet.StepJoin).Operation
	report := core.ReportOperation{Cluster: "lynx", Step: fleet.StepJoin, ID: op.ID, State: fleet.OperationRunning, Error: "3 of 4 nodes are ready"}
	for n, want := range []int{1, 0} {
		if out, refusal := core.Step(s, core.Request{Command: report, Actor: core.System}, now); refusal != nil || len(out.Record.Events) < want || want == 0 && len(out.Record.Events) > 0 {
			t.Fatalf("report %d: %v, %v", n, out.Record.Events, refusal)
		}
	}
	says := func() buildout.Condition {
		v := core.Look(s, s.Life("lynx"), now)
		return *v.Find(fleet.NodesReady)
	}
	if c := says(); c.Holds() || c.Reason != "Running" || c.Message != report.Error {
		t.Errorf("it says %+v", c)
	}
	report.Error = ""
	if _, refusal := core.Step(s, core.Request{Command: report, Actor: core.System}, now); refusal != nil {
		t.Fatal(refusal)
	}
	if c := says(); c.Message != "" {
		t.Errorf("it still says %q", c.Message)
	}
}

// A cluster whose nodes its own API server shows goes into production without nodes that are
// made up; one that does not gets those of its record.
func TestNodesThatAClusterReportsAreNotMadeUp(t *testing.T) {
	for link, want := range map[string]int{fleet.LinkKubernetes + "lynx": 0, "simulated://lynx": 4} {
		s, now := built(t)
		do := func(c core.Command) {
			t.Helper()
			if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, now); refusal != nil {
				t.Fatal(refusal)
			}
		}
		for _, step := range []fleet.Step{fleet.StepJoin, fleet.StepValidation, fleet.StepServices} {
			op := s.Life("lynx").Step(step).Operation
			do(core.ReportOperation{Cluster: "lynx", Step: step, ID: op.ID, State: fleet.OperationSucceeded, Link: link})
		}
		var seen []fleet.StepEvidence
		for _, step := range []fleet.Step{fleet.StepProjects, fleet.StepDependencies, fleet.StepHealth} {
			seen = append(seen, fleet.StepEvidence{Step: step, Holds: true, Generation: 1, At: now})
		}
		do(core.ReportEvidence{Cluster: "lynx", Seen: seen})
		l, p := s.Life("lynx"), s.Partition("lynx/h200")
		if l.Course.Produced == 0 || p == nil || len(p.Nodes) != want {
			t.Fatalf("with link %s: produced at %d, partition %v", link, l.Course.Produced, p)
		}
		if v := core.Look(s, l, now.Add(time.Minute)); v.Waits() != nil || v.Degraded {
			t.Errorf("with link %s it waits for %+v", link, v.Waits())
		}
	}
}
