package maintenance_test

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of several zones over a node that one is named which lasts longest: until then nothing begins, whichever was added first.
func TestTheZoneThatLastsLongestIsNamed(t *testing.T) {
	for _, hours := range [][]int{{5, 20, 10}, {20, 10, 5}, {5, 10, 20}} {
		y := neighbours(t, 0, 8)
		y.do(core.MoveRollout{Name: "a", State: fleet.RolloutPaused})
		y.do(core.MoveRollout{Name: "b", State: fleet.RolloutPaused})
		for len(y.s.Kept().Open) > 0 {
			y.visited()
		}
		for i, h := range hours {
			y.do(core.AddZone{Zone: fleet.Zone{
				Name: []string{"x", "y", "z"}[i], Scope: []string{"fleet", "t", "t/g/a"}[i],
				Spans:      []fleet.Span{{From: y.now, To: y.now.Add(time.Duration(h) * time.Hour)}},
				ZoneRecord: fleet.ZoneRecord{Reason: "r", Owner: "o", Link: "l"},
			}})
		}
		y.now = y.now.Add(2 * time.Minute) // the canary's soak is over
		y.do(core.MoveRollout{Name: "a", State: fleet.RolloutRunning})
		until := y.s.Kept().Zones[longest(hours)]
		waits := maintenance.Of(y.s, y.s.Kept().Rollout("a"), y.now).Waits
		if len(waits) != 1 || waits[0].Code != maintenance.NoFlyZone || waits[0].Nodes != 3 || waits[0].Zone != until.Name || waits[0].Until != until.Spans[0].To {
			t.Errorf("zones of %v hours: the rollout waits for %+v, not for %s", hours, waits, until.Name)
		}
	}
}

// A zone conflicts with what is still to come inside it: a deadline of an update that its nodes lack, and an announced
// maintenance of its nodes. What was taken back or has passed conflicts no more. The figure counts what the board names.
func TestAZoneConflictsWithWhatIsStillToCome(t *testing.T) {
	y := neighbours(t, 0, 8)
	in := func(hours int) fleet.Instant { return y.now.Add(time.Duration(hours) * time.Hour) }
	y.must(core.AddUpdate{Update: fleet.NodeUpdate{
		Name: "due", Component: fleet.Component{Name: "c", Version: "2"}, Impact: fleet.ImpactRestart, Lasts: time.Minute, Deadline: in(5),
	}})
	for _, o := range [][2]string{{"inside", "t-g-a-001"}, {"inside-too", "t-g-a-004"}, {"beside", "t-g-b-001"}, {"cancelled", "t-g-a-002"}} {
		y.must(core.AddNotice{Name: o[0], Nodes: []string{o[1]}, Starts: in(6), Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true})
	}
	y.must(core.AddNotice{Name: "after", Nodes: []string{"t-g-a-003"}, Starts: in(20), Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true})
	y.must(core.CancelNotice{Name: "cancelled"})
	y.must(core.AddZone{Zone: fleet.Zone{
		Name: "z", Scope: "t/g/a", Spans: []fleet.Span{{From: in(4), To: in(10)}}, ZoneRecord: fleet.ZoneRecord{Reason: "r", Owner: "o", Link: "l"},
	}})
	z := y.s.Kept().Zones[0]
	if named := maintenance.BoardOf(y.s, z, y.now).Conflicts; !slices.Equal(named, []string{"due", "inside", "inside-too"}) {
		t.Errorf("the board names %v", named)
	}
	if n := maintenance.Conflicts(y.s, z, y.now); n != 3 {
		t.Errorf("%d conflicts are counted, want 3", n)
	}
	if n := maintenance.Conflicts(y.s, z, in(5)); n != 2 {
		t.Errorf("after the deadline %d conflicts are counted, want the maintenances alone", n)
	}
	y.must(core.WithdrawUpdate{Name: "due"})
	if n := maintenance.Conflicts(y.s, z, y.now); n != 2 {
		t.Errorf("without the update %d conflicts are counted, want 2", n)
	}
}

// Announced work on a node is planned until its visit begins, is under way until that ends, and then is no more.
func TestAnAnnouncedVisitIsPlannedOnce(t *testing.T) {
	y := neighbours(t, 0, 8)
	starts := y.now.Add(48 * time.Hour)
	y.must(core.AddNotice{Name: "host", Nodes: []string{"t-g-a-003", "t-g-a-004"}, Starts: starts, Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true})
	planned := func() (states []fleet.VisitState) {
		for _, x := range maintenance.PlansOf(y.s, y.now, func(_ *fleet.Partition, n *fleet.Node) bool { return n.Name == "t-g-a-003" }) {
			if x.Notice != nil {
				states = append(states, x.State)
			}
		}
		return states
	}
	for _, step := range []struct {
		when string
		do   func()
		want []fleet.VisitState
	}{
		{"before it", func() {}, []fleet.VisitState{fleet.VisitAnnounced}},
		{"while it is worked on", func() { y.now = starts; y.must(core.Tick{}) }, []fleet.VisitState{fleet.VisitWorking}},
		{"when it is over", func() { y.must(core.ReportVisit{Node: "t-g-a-003", Outcome: core.Passed}) }, nil},
	} {
		if step.do(); !slices.Equal(planned(), step.want) {
			t.Errorf("%s it is planned as %v, want %v", step.when, planned(), step.want)
		}
	}
}

// What remains to a rollout ends by the earliest deadline of what its nodes lack; without one there is none.
func TestTheRestHasTheEarliestDeadline(t *testing.T) {
	y := neighbours(t, 0, 8)
	y.must(core.AddPartition{Cluster: "t", GPU: "h"})
	y.must(core.AddIslands{Partition: "t/h", Islands: []core.NewIsland{{Name: "a", Nodes: 8}}})
	at := func(hours int) fleet.Instant { return y.now.Add(time.Duration(hours) * time.Hour) }
	starts := func(name string, updates ...string) fleet.Instant {
		y.must(core.StartRollout{Name: name, Plan: fleet.RolloutPlan{
			Scope: "t/h", Updates: updates, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Minute}, Waves: []fleet.Permille{1000},
			Limits: fleet.VisitLimit{PerIsland: 1, Failures: -1},
		}})
		_, deadline := maintenance.RestOf(y.s, y.s.Kept().Rollout(name), y.now)
		y.must(core.MoveRollout{Name: name, State: fleet.RolloutAbandoned})
		return deadline
	}
	for name, deadline := range map[string]fleet.Instant{"none": 0, "late": at(300), "soon": at(200)} {
		y.must(core.AddUpdate{Update: fleet.NodeUpdate{
			Name: name, Component: fleet.Component{Name: name, Version: "2"}, GPUs: []string{"h"}, Impact: fleet.ImpactNone, Lasts: time.Minute, Deadline: deadline,
		}})
	}
	for name, c := range map[string]struct {
		updates []string
		want    fleet.Instant
	}{"r0": {[]string{"none"}, 0}, "r1": {[]string{"late"}, at(300)}, "r2": {[]string{"late", "none", "soon"}, at(200)}} {
		if got := starts(name, c.updates...); got != c.want {
			t.Errorf("with the updates %v the deadline is %v, want %v", c.updates, got, c.want)
		}
	}
}

// The days that an owner may set aside are those of a quarter of the calendar, in UTC: it begins with its first moment, and
// the moment after its last is the next one's.
func TestAQuarterIsOfTheCalendar(t *testing.T) {
	at := func(year, month, day int) fleet.Instant {
		return fleet.InstantOf(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC))
	}
	for _, c := range []struct{ moment, from, to fleet.Instant }{
		{at(2026, 1, 1), at(2026, 1, 1), at(2026, 4, 1)},
		{at(2026, 4, 1) - 1, at(2026, 1, 1), at(2026, 4, 1)},
		{at(2026, 4, 1), at(2026, 4, 1), at(2026, 7, 1)},
		{at(2026, 8, 15), at(2026, 7, 1), at(2026, 10, 1)},
		{at(2027, 1, 1) - 1, at(2026, 10, 1), at(2027, 1, 1)},
	} {
		if q := maintenance.QuarterOf(c.moment); q.From != c.from || q.To != c.to {
			t.Errorf("%v is in the quarter from %v to %v", c.moment.Time(), q.From.Time(), q.To.Time())
		}
	}
}

func longest(hours []int) (at int) {
	for i, h := range hours {
		if h > hours[at] {
			at = i
		}
	}
	return at
}
