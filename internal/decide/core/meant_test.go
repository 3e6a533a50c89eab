package core_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A mistyped name of anything that has one is answered with the name that may be meant.
func TestAMistypedNameIsAskedAbout(t *testing.T) {
	s := fleet.NewState()
	s.SetZone(fleet.Zone{Name: "launch"})
	s.SetRollout(fleet.Rollout{Name: "driver-580"})
	for got, want := range map[*core.Refusal]string{
		core.NoZone(s.Kept().Zones, "lanch"):  `there is no zone "lanch"; did you mean "launch"?`,
		core.NoZone(s.Kept().Zones, "autumn"): `there is no zone "autumn"; muster nfz list shows those there are`,
		core.NoRollout(s, "driver-508"):       `there is no rollout "driver-508"; did you mean "driver-580"?`,
		core.NoHaircut(s, "spring"):           `there is no saved haircut "spring"; muster haircut list shows those there are`,
	} {
		if !strings.HasSuffix(got.Message, want) {
			t.Errorf("%s\nwant %s", got.Message, want)
		}
	}
}

// A name of another kind, where a workload's is asked for, is answered with what it is and what shows it.
func TestANameThatIsNoWorkloadsIsTold(t *testing.T) {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "tiger"})
	s.AddPartition("tiger", "h200", 8)
	s.AddQuota(fleet.Quota{Path: "research/oak"})
	s.AddQuota(fleet.Quota{Path: "research"})
	s.AddRequest(fleet.QuotaRequest{ID: 5, Quota: "research/oak"})
	s.AddHold(fleet.Hold{ID: 7, Quota: "research/oak", Partition: "tiger/h200", GPUs: 8})
	s.Incidents = append(s.Incidents, &fleet.Incident{Name: "sev-1"})
	for _, told := range []struct{ namespace, name, want string }{
		{"research", "oak", "research/oak is a quota; muster quota show research/oak shows it"},
		{"root", "research", "research is a quota; muster quota show research shows it"},
		{"root", "tiger", "tiger is a cluster; muster cluster show tiger shows it"},
		{"tiger", "h200", "tiger/h200 is a partition; muster capacity tiger/h200 shows it"},
		{"root", "sev-1", "sev-1 is an incident; muster incident list --closed shows it"},
		{"root", "5", "5 is the number of a request for quota, which muster quota requests --all lists"},
		{"root", "7", "7 is the number of a hold, which muster quota hold lists"},
		{"root", "652", "652 is a number, and workloads have names, which muster job list shows; muster events --from 652 shows a version"},
		{"root", "nosuch", ""},
	} {
		if got := core.NotWork(s, told.namespace, told.name); got != told.want {
			t.Errorf("%s/%s: %q\nwant %q", told.namespace, told.name, got, told.want)
		}
	}
}
