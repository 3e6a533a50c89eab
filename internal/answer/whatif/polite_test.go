package whatif_test

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// advised are the quotas that a search proposes as targets, and the reaches.
func (st *story) advised(name string) (targets []string, reaches []fleet.Reach) {
	c := st.s.Clone()
	w := c.Workload("oak", name)
	for _, change := range whatif.Changes(c, w, st.why(name), st.now, whatif.Budget{}).Changes {
		switch change.Kind {
		case whatif.Target:
			targets = append(targets, change.Quota)
		case whatif.Reach:
			reaches = append(reaches, change.Reach)
		}
	}
	return targets, reaches
}

// A quota without an access list takes everybody's work. Advice names it to its own team alone.
func TestAdviceSendsNoWorkToQuotasOfOtherTeams(t *testing.T) {
	for _, one := range []struct {
		name string
		do   []core.Command
		want bool
	}{
		{"an open quota of others", nil, false},
		{"the access list names the user", []core.Command{core.SetAccess{Path: "u", Access: fleet.Access{Users: []string{"ada"}}}}, true},
		{"the access list names the namespace", []core.Command{core.SetAccess{Path: "u", Access: fleet.Access{Namespaces: []string{"oak"}}}}, true},
		{"the access list names others", []core.Command{core.SetAccess{Path: "u", Access: fleet.Access{Users: []string{"eve"}}}}, false},
		{"the user answers for it", []core.Command{core.SetOwner{Path: "u", Owner: "ada"}}, true},
		{"the team has work there", []core.Command{submits("there", "u")}, true},
	} {
		t.Run(one.name, func(t *testing.T) {
			st := tell(t, map[string]int{"t/x": 16, "u": 40})
			st.nodes("first", "t/x", 2, 0)
			st.must(one.do...)
			st.nodes("waits", "t/x", 2, 0)
			if targets, _ := st.advised("waits"); slices.Contains(targets, "u") != one.want {
				t.Errorf("advice names the targets %v; u among them: want %v", targets, one.want)
			}
		})
	}
}

func submits(name, target string) core.Command {
	return core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: "oak", User: "ada", Target: target, Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}}
}

// A gang that is to stand in one island needs its network, however many nodes are free elsewhere.
func TestAdviceNeverSpreadsAGangOverIslands(t *testing.T) {
	st := tell(t, map[string]int{"t/x": 64})
	st.must(core.Submit{Spec: fleet.Spec{
		Name: "wide", Namespace: "oak", User: "ada", Target: "t/x", Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 6, Max: 6, Reach: fleet.ReachIsland}},
	}})
	if _, reaches := st.advised("wide"); len(reaches) > 0 {
		t.Errorf("advice for a gang of one island: reach %v", reaches)
	}
}
