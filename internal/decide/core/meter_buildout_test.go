package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// accounted is a fleet whose cloud counts the meter cores alone, and which lynx was planned for by
// a blueprint of that meter; version 2 has another one, too.
func accounted(t *testing.T) (do func(time.Duration, core.Command) *core.Refusal, s *fleet.State) {
	t.Helper()
	s = fleet.NewState()
	do = func(at time.Duration, c core.Command) *core.Refusal {
		_, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, moment(at))
		return refusal
	}
	cores := fleet.Meter{Meter: "cores", PerNode: 96}
	record := recordOf("lynx", 4)
	for _, c := range []core.Command{
		core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{cores}, Checkin: fleet.CheckinInventory}},
		core.PlanCluster{Record: record},
		core.ReportCounts{Subscription: record.Subscription, Region: record.Region, Counts: []fleet.CloudCount{{Meter: "cores", Limit: 10_000}}},
		core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 2, Meters: []fleet.Meter{cores, {Meter: "h200", PerNode: 96}}, Checkin: fleet.CheckinInventory}},
	} {
		if refusal := do(0, c); refusal != nil {
			t.Fatal(refusal)
		}
	}
	return do, s
}

// A count of before a cluster asked for a meter says nothing of it: no person is asked to mend a
// blueprint that may be right.
func TestACountOfBeforeSaysNothingOfAMeter(t *testing.T) {
	do, s := accounted(t)
	record := s.Life("lynx").Record
	puma := recordOf("puma", 1)
	for _, c := range []core.Command{core.ChangeCluster{Record: record, Version: 2}, core.PlanCluster{Record: puma}} {
		if refusal := do(time.Minute, c); refusal != nil {
			t.Fatal(refusal)
		}
	}
	stands := func(want string, person bool) {
		t.Helper()
		for _, name := range []string{"lynx", "puma"} {
			if c, _ := s.Life(name).Condition(fleet.QuotaAvailable); c.Reason != want || c.Person != person {
				t.Errorf("%s: %s, person %v; want %s, %v", name, c.Reason, c.Person, want, person)
			}
		}
	}
	stands("NotRead", false)
	do(2*time.Minute, core.ReportCounts{Subscription: record.Subscription, Region: record.Region, Counts: []fleet.CloudCount{{Meter: "cores", Limit: 10_000}}})
	stands("NoMeter", true)
}

// A SKU that the outside would not have is mended in the record: nothing stands yet. Once something
// was begun, it stays.
func TestASKUIsMendedUntilSomethingIsBegun(t *testing.T) {
	do, s := accounted(t)
	op := s.Life("lynx").Step(fleet.StepPipeline).Operation
	refused := core.ReportOperation{Cluster: "lynx", Step: fleet.StepPipeline, ID: op.ID, Refused: true, State: fleet.OperationIntended, Class: fleet.ErrorFix, Error: "no such SKU"}
	begun := core.ReportOperation{Cluster: "lynx", Step: fleet.StepPipeline, ID: op.ID, State: fleet.OperationRunning}
	change := func(sku string) *core.Refusal {
		r := s.Life("lynx").Record
		r.SKU = sku
		return do(time.Minute, core.ChangeCluster{Record: r})
	}
	if refusal := change("one"); refusal == nil {
		t.Error("the SKU changes while the pipeline may be begun")
	}
	do(time.Minute, refused)
	if refusal := change("two"); refusal != nil || s.Life("lynx").Record.SKU != "two" {
		t.Errorf("nothing stands, and the SKU stays: %v", refusal)
	}
	do(time.Minute, begun)
	if refusal := change("three"); refusal == nil {
		t.Error("the SKU changes of what is built")
	}
}

// What a person let go on is not waited for again while the outside still shows the same block. A block elsewhere is another
// one, for a person to judge.
func TestTheSameBlockIsUnblockedOnce(t *testing.T) {
	s, now := built(t)
	op := s.Life("lynx").Step(fleet.StepJoin).Operation
	report := func(link string, unblocked bool) {
		t.Helper()
		_, refusal := core.Step(s, core.Request{Command: core.ReportOperation{Cluster: "lynx", Step: fleet.StepJoin, ID: op.ID, State: fleet.OperationBlocked, Link: link}, Actor: core.System}, now)
		if is := s.Life("lynx").Step(fleet.StepJoin).Operation.Unblocked; refusal != nil || is != unblocked {
			t.Errorf("blocked at %q: refused with %v, unblocked %v", link, refusal, is)
		}
	}
	report("https://runs/1", false)
	if _, refusal := core.Step(s, core.Request{Command: core.SteerCluster{Cluster: "lynx", Do: core.Unblock}, Actor: ops}, now); refusal != nil {
		t.Fatal(refusal)
	}
	report("https://runs/1", true)
	report("", true)
	report("https://runs/2", false)
}

// A look at the cloud that failed says nothing of its figures, whatever it brought: those of before stay, and the log has no
// others.
func TestALookThatFailedLeavesTheFigures(t *testing.T) {
	_, s := accounted(t)
	r := s.Life("lynx").Record
	failed := core.ReportCounts{Subscription: r.Subscription, Region: r.Region, Error: "timeout", Counts: []fleet.CloudCount{{Meter: "cores", Limit: 1}}}
	out, refusal := core.Step(s, core.Request{Command: failed, Actor: core.System}, moment(time.Minute))
	if refusal != nil {
		t.Fatal(refusal)
	}
	for _, e := range out.Record.Events {
		if counted, ok := e.(event.CloudCounted); ok && len(counted.Counts) > 0 {
			t.Errorf("the log has %+v", counted)
		}
	}
	if a := s.CloudAccount(r.Account()); a.Error != "timeout" || len(a.Counts) != 1 || a.Counts[0].Limit != 10_000 {
		t.Errorf("after a look that failed the account is %+v", a)
	}
}

// A cloud that agreed to a higher limit and does not count it is asked again a quarter of an hour later.
func TestACloudThatAgreedAndDoesNotCountIsAskedAgain(t *testing.T) {
	s := fleet.NewState()
	do := func(at time.Duration, c core.Command) {
		t.Helper()
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, moment(at)); refusal != nil {
			t.Fatal(refusal)
		}
	}
	r := recordOf("lynx", 4)
	counts := core.ReportCounts{Subscription: r.Subscription, Region: r.Region, Counts: []fleet.CloudCount{{Meter: "nd", Limit: 100}}}
	do(0, core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}}, Checkin: fleet.CheckinInventory, RequestQuota: true}})
	do(0, core.PlanCluster{Record: r})
	do(0, counts)
	asked := func() int { return s.Life("lynx").Step(fleet.StepQuota).Operation.Attempt }
	first := asked()
	do(time.Minute, core.ReportOperation{Cluster: "lynx", Step: fleet.StepQuota, ID: s.Life("lynx").Step(fleet.StepQuota).Operation.ID, State: fleet.OperationSucceeded})
	again := time.Minute + buildout.Fresh
	do(again-20*time.Second, core.Tick{}) // the count is old, and the cloud is read anew
	do(again-10*time.Second, counts)
	do(again-time.Second, core.Tick{})
	if first != 1 || asked() != 1 {
		t.Errorf("asked %d times at first, and %d times while it may still come to count", first, asked())
	}
	if do(again, core.Tick{}); asked() != 2 {
		t.Errorf("a quarter of an hour after it agreed it was asked %d times, want 2", asked())
	}
}
