package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A role in one cluster is for what is there. A command that names things of several clusters takes the right in each of
// them, and one that names nothing takes it in the whole fleet. A refusal says where the right lacks.
func TestARoleInOneClusterIsForWhatIsThere(t *testing.T) {
	st := smallFleet(t, 2)
	st.do(0, job("ns", "w", fleet.Flex, fleet.Mid, pools(1)...), core.AddCluster{Name: "lion"}, core.AddPartition{Cluster: "lion", GPU: "g"},
		core.AddIslands{Partition: "lion/g", Islands: []core.NewIsland{{Name: "a", Nodes: 1}}})
	engineer := core.Actor{
		Name: "user:amy", User: "amy", Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: "amy"},
		Brings: []access.Grant{access.GrantOf(fleet.FleetEngineer, fleet.Scope{Cluster: "t"}), access.GrantOf(fleet.Monitor, fleet.Scope{Cluster: "t"})},
	}
	measured := func(names ...string) (c core.MeasureUsage) {
		for _, name := range names {
			c.Of = append(c.Of, core.Measured{Namespace: "ns", Name: name, SM: 500, Tensor: fleet.Unmeasured, Network: fleet.Unmeasured})
		}
		return c
	}
	for _, c := range []struct {
		command core.Command
		refused string
	}{
		{core.SetNodes{Names: []string{"t-g-a-002"}, State: fleet.Quarantined}, ""},
		{core.SetNodes{Names: []string{"lion-g-a-001"}, State: fleet.Quarantined}, "no role of user:amy reaches cluster lion"},
		{core.SetNodes{Names: []string{"t-g-a-001", "lion-g-a-001"}, State: fleet.Quarantined}, "no role of user:amy reaches cluster lion"},
		{core.SetNodes{State: fleet.Quarantined}, "no role of user:amy reaches the whole fleet"},
		{measured("w"), ""},
		{measured("w", "unknown"), "no role of user:amy reaches the whole fleet"},
		{measured(), "no role of user:amy reaches the whole fleet"},
	} {
		st.by(time.Hour, engineer, c.command, c.refused)
	}
}
