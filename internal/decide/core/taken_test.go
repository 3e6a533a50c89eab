package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A cluster that people add by hand takes the name of one that is planned: that one says so at once.
func TestAPlannedClusterSaysAtOnceThatItsNameIsTaken(t *testing.T) {
	s, now := fleet.NewState(), moment(time.Hour)
	do := func(c core.Command) {
		t.Helper()
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, now); refusal != nil {
			t.Fatal(refusal)
		}
	}
	do(core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}}, Checkin: fleet.CheckinInventory}})
	do(core.PlanCluster{Record: recordOf("lynx", 4)})
	noted := func() fleet.ConditionStatus {
		c, _ := s.Life("lynx").Condition(fleet.SpecValid)
		return c.Status
	}
	if is := noted(); is != fleet.StatusTrue {
		t.Fatalf("its record is %s", is)
	}
	do(core.AddCluster{Name: "lynx"})
	v := core.Look(s, s.Life("lynx"), now)
	if is, want := noted(), v.Find(fleet.SpecValid).Status; is != want || want == fleet.StatusTrue {
		t.Errorf("with its name taken, its record is noted as %s, and looked at %s", is, want)
	}
}
