package core_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What stands at a limit is taken, and what is one step beyond it is refused with these words; "": taken.
func TestLimitsAreWhatTheySay(t *testing.T) {
	for what, c := range map[string]struct {
		command core.Command
		refused string
	}{
		"a hold that ends now":                {core.PlaceHold{Quota: "oak", Partition: "t/g", GPUs: 8, Until: moment(time.Hour)}, "still to come"},
		"a hold that ends soon":               {core.PlaceHold{Quota: "oak", Partition: "t/g", GPUs: 8, Until: moment(time.Hour + time.Minute)}, ""},
		"a grant that ends now":               {core.SetGrant{Quota: "oak", Partition: "t/g", GPUs: 8, Until: moment(time.Hour)}, "would have ended already"},
		"a grant that ends soon":              {core.SetGrant{Quota: "oak", Partition: "t/g", GPUs: 8, Until: moment(time.Hour + time.Minute)}, ""},
		"work of as many pools as may be":     {job("ns", "w", "oak", fleet.Mid, pools(core.MaxPools)...), ""},
		"work of one pool more":               {job("ns", "w", "oak", fleet.Mid, pools(core.MaxPools+1)...), "1 to 32 pools, not 33"},
		"work with a second pool of no GPUs":  {job("ns", "w", "oak", fleet.Mid, pool("a", 0, 1, 1), pool("b", 0, 0, 1)), "pool"},
		"work with two pools of one name":     {job("ns", "w", "oak", fleet.Mid, pool("a", 0, 1, 1), pool("a", 0, 1, 1)), "two pools are named"},
		"a submitter at too great length":     {core.Submit{Spec: fleet.Spec{Namespace: "ns", Name: "w", User: strings.Repeat("x", core.MaxText+1), Target: "oak", Priority: fleet.Mid, Pools: pools(1)}}, "the submitter has"},
		"the most important work":             {job("ns", "w", "oak", fleet.Critical, pools(1)...), ""},
		"more important than that":            {job("ns", "w", "oak", fleet.Critical-1, pools(1)...), "unknown priority"},
		"work without a grace":                {core.Submit{Spec: fleet.Spec{Namespace: "ns", Name: "w", Target: "oak", Priority: fleet.Mid, Pools: pools(1)}}, ""},
		"work of a grace before its end":      {core.Submit{Spec: fleet.Spec{Namespace: "ns", Name: "w", Target: "oak", Priority: fleet.Mid, Grace: -1, Pools: pools(1)}}, "a duration is negative"},
		"GPUs that do nothing":                {core.MeasureUsage{Of: []core.Measured{{Namespace: "ns", Name: "w", SM: 0, Tensor: fleet.Unmeasured, Network: 0}}}, ""},
		"GPUs that do less than nothing":      {core.MeasureUsage{Of: []core.Measured{{Namespace: "ns", Name: "w", SM: -2}}}, "it is 0 to 1000 thousandths"},
		"GPUs that do all they can":           {core.MeasureUsage{Of: []core.Measured{{Namespace: "ns", Name: "w", SM: 1000}}}, ""},
		"an island of no nodes":               {core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "b", Nodes: 0}}}, ""},
		"an island of less than none":         {core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "b", Nodes: -1}}}, "can be added at once"},
		"a grant beyond what can be kept":     {core.SetGrant{Quota: "oak", Partition: "t/g", GPUs: 64}, "at most 16 more fit"},
		"a record of an island without node":  {record(1, 0), "island a0 has 0 nodes"},
		"a record of an island of one":        {record(1, 1), ""},
		"a record of an island of very many":  {record(1, core.MaxNodesPerCommand+1), "1 to 200000 are possible"},
		"a record of as many islands":         {record(core.MaxListed, 1), ""},
		"a record of one island more":         {record(core.MaxListed+1, 1), "has 65 islands; it has 1 to 64"},
		"a record of no island":               {record(0, 1), "has 0 islands"},
		"why a node is tight, at length":      {tightFor(core.MaxText, "a pod"), ""},
		"why a node is tight, at more length": {tightFor(core.MaxText+1, "a pod"), "a footprint, or why a node is tight"},
		"a node made tight by nobody's pod":   {tightFor(1, strings.Repeat("x", core.MaxText+1)), "a footprint, or why a node is tight"},
	} {
		t.Run(what, func(t *testing.T) {
			st := smallFleet(t, 4)
			st.quota(0, "oak", 1, 0)
			st.quota(0, "half", 0, 0)
			st.do(0, core.SetGrant{Quota: "half", Partition: "t/g", GPUs: 4}, core.AddBlueprint{Blueprint: fleet.Blueprint{
				Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "m", PerNode: 1}}, Checkin: fleet.CheckinPerson, Mode: fleet.Enforce, Ready: 700,
			}})
			st.by(time.Hour, ops, c.command, c.refused)
		})
	}
}

// tightFor is a report of a tight node with a reason of some length, and the pod that has what is short.
func tightFor(length int, pod string) core.ReportFit {
	full := event.TightNode{Node: "t-g-a-001", Why: strings.Repeat("w", length), By: []string{pod}}
	return core.ReportFit{Partition: "t/g", Footprint: "cpu 64", Tight: []event.TightNode{full}}
}

func pools(n int) (list []fleet.Pool) {
	for i := range n {
		list = append(list, pool(fmt.Sprint("p", i), i, 1, 1))
	}
	return list
}

func record(islands, nodes int) core.PlanCluster {
	r := fleet.ClusterRecord{Name: "lynx", Subscription: "s", Region: "east", GPU: "g", Priority: fleet.Mid, Blueprint: "nd"}
	for i := range islands {
		r.Islands = append(r.Islands, fleet.RecordIsland{Name: fmt.Sprint("a", i), Nodes: nodes})
	}
	return core.PlanCluster{Record: r}
}

// A role is granted with a reason, a moment to come and a priority that there is.
func TestRolesAreGrantedWithinLimits(t *testing.T) {
	st := smallFleet(t, 1)
	highest := func(p fleet.Priority) *fleet.Priority { return &p }
	for _, c := range []struct {
		grant   core.GrantRole
		refused string
	}{
		{core.GrantRole{Until: moment(time.Hour)}, "would end before it begins"},
		{core.GrantRole{Until: moment(2 * time.Hour)}, ""},
		{core.GrantRole{Highest: highest(fleet.Critical - 1)}, "unknown priority"},
		{core.GrantRole{Highest: highest(fleet.Low + 1)}, "unknown priority"},
		{core.GrantRole{Highest: highest(fleet.Critical)}, ""},
		{core.GrantRole{Highest: highest(fleet.Low)}, ""},
		{core.GrantRole{}, ""},
	} {
		c.grant.Subject, c.grant.Role = fleet.Principal{Kind: fleet.UserPrincipal, Name: "ada"}, fleet.Researcher
		st.by(time.Hour, ops, c.grant, c.refused)
	}
}

// A role that is granted as it is held already is not written again; one that differs in anything that counts is.
func TestARoleThatIsHeldIsNotGrantedAgain(t *testing.T) {
	st := smallFleet(t, 1)
	highest := func(p fleet.Priority) *fleet.Priority { return &p }
	for i, c := range []struct {
		hour    int
		grant   core.GrantRole
		written bool
	}{
		{1, core.GrantRole{}, true},
		{1, core.GrantRole{}, false},
		{1, core.GrantRole{Scope: fleet.Scope{Namespace: "oak"}}, true},
		{1, core.GrantRole{Highest: highest(fleet.Mid)}, true},
		{1, core.GrantRole{Highest: highest(fleet.Mid)}, false},
		{1, core.GrantRole{Highest: highest(fleet.Low)}, true},
		{1, core.GrantRole{Until: moment(3 * time.Hour)}, true},
		{2, core.GrantRole{Until: moment(3 * time.Hour)}, false},
		{2, core.GrantRole{Until: moment(4 * time.Hour)}, true},
		{5, core.GrantRole{}, true}, // it had ended
	} {
		c.grant.Subject, c.grant.Role = fleet.Principal{Kind: fleet.UserPrincipal, Name: "ada"}, fleet.Researcher
		r := core.Request{Command: c.grant, Actor: ops, Reason: "she joins"}
		out, refusal := core.Step(st.s, r, moment(time.Duration(c.hour)*time.Hour))
		if refusal != nil || slices.ContainsFunc(out.Record.Events, func(e event.Event) bool { return e.Kind() == event.RoleGranted{}.Kind() }) != c.written {
			t.Errorf("grant %d: %v (%v), want it written: %v", i+1, out.Record.Events, refusal, c.written)
		}
	}
	if _, refusal := core.Step(st.s, core.Request{Command: core.GrantRole{Subject: fleet.Principal{Kind: fleet.UserPrincipal, Name: "ada"}, Role: fleet.Researcher}, Actor: ops}, moment(5*time.Hour)); refusal == nil || refusal.Code != core.ReasonNeeded {
		t.Errorf("what is held already is asked for without a reason: %v", refusal)
	}
}

// Who has the role break-glass breaks the glass with a reason, and only who signed in.
func TestTheGlassIsBrokenByWhoSignedInAndSaysWhy(t *testing.T) {
	st := smallFleet(t, 1)
	eve := core.Actor{Name: "user:eve", User: "eve", Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: "eve"}}
	st.by(time.Hour, eve, core.BreakGlass{}, "may not become admin")
	st.by(time.Hour, ops, core.GrantRole{Subject: eve.Principal, Role: fleet.BreakGlass}, "")
	st.by(time.Hour, ops, core.BreakGlass{}, "did not sign in")
	if _, refusal := core.Step(st.s, core.Request{Command: core.BreakGlass{}, Actor: eve}, moment(time.Hour)); refusal == nil || refusal.Code != core.ReasonNeeded {
		t.Errorf("without a reason: %v", refusal)
	}
	st.by(time.Hour, eve, core.BreakGlass{}, "")
	if rights := access.Rights(st.s, access.Who{Principal: eve.Principal}, moment(time.Hour)); !access.May(rights, access.BindRoles, access.Place{}) {
		t.Error("the glass is broken, and eve is no admin")
	}
	st.by(time.Hour, ops, core.GrantRole{Subject: eve.Principal, Role: fleet.Admin}, "")
	st.by(time.Hour, eve, core.BreakGlass{}, "is an admin already")
}

// Work that was seen on a cluster is taken over, with the groups of its people, once Muster decides there.
func TestWorkIsTakenOverWhereMusterDecides(t *testing.T) {
	st := smallFleet(t, 1)
	w := job("ns@t", "w", fleet.Flex, fleet.Mid, pools(1)...).Spec
	w.Groups = []string{fleet.SeenOn("t")}
	st.do(0, core.SetMode{Cluster: "t", Mode: fleet.Observe}, core.Observe{Spec: w, Partition: "t/g", On: []core.Seen{{Node: "t-g-a-001"}}})
	adopt := core.Adopt{Namespace: "ns@t", Name: "w", Groups: []string{"team", "team"}}
	st.by(time.Hour, ops, adopt, "no cluster in mode enforce")
	st.do(time.Hour, core.SetMode{Cluster: "t", Mode: fleet.Shadow}, core.SetMode{Cluster: "t", Mode: fleet.Enforce})
	st.by(time.Hour, ops, adopt, "")
	if groups := st.s.Workload("ns@t", "w").Groups; strings.Join(groups, " ") != fleet.SeenOn("t")+" team" {
		t.Errorf("taken over with the groups %q", groups)
	}
	st.by(time.Hour, ops, core.Adopt{Namespace: "ns", Name: "other"}, "no workload ns/other")
}

// What work holds on one node makes no room for it on another.
func TestWorkIsNotSeenWhereOthersHoldTooManyGPUs(t *testing.T) {
	st := smallFleet(t, 2)
	on := func(nodes ...string) (list []core.Seen) {
		for _, n := range nodes {
			list = append(list, core.Seen{Node: n})
		}
		return list
	}
	pair := job("ns@t", "pair", fleet.Flex, fleet.Mid, pool("p", 0, 4, 2)).Spec
	five := job("ns@t", "five", fleet.Flex, fleet.Mid, pool("p", 0, 5, 1)).Spec // 3 GPUs are left beside it
	st.do(0, core.SetMode{Cluster: "t", Mode: fleet.Observe},
		core.Observe{Spec: pair, Partition: "t/g", On: on("t-g-a-001", "t-g-a-001")},
		core.Observe{Spec: five, Partition: "t/g", On: on("t-g-a-002")})
	st.by(time.Hour, ops, core.Observe{Spec: pair, Partition: "t/g", On: on("t-g-a-001", "t-g-a-002")}, "has no room for 4 GPUs")
	st.by(time.Hour, ops, core.Observe{Spec: pair, Partition: "t/g", On: on("t-g-a-001", "t-g-a-001")}, "")
}

// An update is withdrawn once; to withdraw it again changes nothing.
func TestAnUpdateIsWithdrawnOnce(t *testing.T) {
	st := smallFleet(t, 1)
	st.do(0, core.AddUpdate{Update: fleet.NodeUpdate{Name: "u", Component: fleet.Component{Name: "c", Version: "2"}, Impact: fleet.ImpactNone, Lasts: time.Minute}})
	for _, at := range []time.Duration{time.Hour, 2 * time.Hour} {
		st.do(at, core.WithdrawUpdate{Name: "u"})
		if is := st.s.Kept().Update("u").Record.Withdrawn; is != moment(time.Hour) {
			t.Errorf("withdrawn at %v, want %v", is, moment(time.Hour))
		}
	}
	st.by(time.Hour, ops, core.WithdrawUpdate{Name: "v"}, "no update")
}

// A cluster in which anybody has a grant of even one GPU is not retired.
func TestOneGrantedGPUKeepsAClusterFromRetiring(t *testing.T) {
	st := smallFleet(t, 1)
	st.do(0, core.AddBlueprint{Blueprint: fleet.Blueprint{
		Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "m", PerNode: 1}}, Checkin: fleet.CheckinPerson, Mode: fleet.Enforce, Ready: 700,
	}}, record(1, 1), core.AddCluster{Name: "lynx"}, core.AddPartition{Cluster: "lynx", GPU: "g"},
		core.AddIslands{Partition: "lynx/g", Islands: []core.NewIsland{{Name: "a0", Nodes: 1}}},
		core.CreateQuota{Path: "oak"}, core.SetGrant{Quota: "oak", Partition: "lynx/g", GPUs: 1})
	st.by(time.Hour, ops, core.SteerCluster{Cluster: "lynx", Do: core.Retire}, "1 GPU of cluster lynx is assigned to oak (1 in lynx/g)")
	st.do(time.Hour, core.SetGrant{Quota: "oak", Partition: "lynx/g"})
	st.by(time.Hour, ops, core.SteerCluster{Cluster: "lynx", Do: core.Retire}, "")
	// From then on nothing new starts there: no quota comes, and no mode in which work would.
	st.by(time.Hour, ops, core.SetGrant{Quota: "oak", Partition: "lynx/g", GPUs: 1}, "cluster lynx is being retired")
	st.by(time.Hour, ops, core.SetMode{Cluster: "lynx", Mode: fleet.Observe}, "")
	st.by(time.Hour, ops, core.SetMode{Cluster: "lynx", Mode: fleet.Shadow}, "cluster lynx is being retired")
}

// A rollout of which people say only what it brings begins with two nodes, and goes on as carefully as the contract says.
func TestARolloutIsCarefulWithoutBeingTold(t *testing.T) {
	st := smallFleet(t, 4)
	st.do(0, core.AddUpdate{Update: fleet.NodeUpdate{Name: "u", Component: fleet.Component{Name: "c", Version: "2"}, Impact: fleet.ImpactRestart, Lasts: time.Minute}},
		core.StartRollout{Name: "r", Plan: fleet.RolloutPlan{Scope: "t/g", Updates: []string{"u"}}})
	p := st.s.Kept().Rollout("r").RolloutPlan
	if p.Canary != (fleet.CanaryRule{Nodes: 2, Soak: 24 * time.Hour}) || !slices.Equal(p.Waves, []fleet.Permille{50, 250, 1000}) || p.Limits.PerIsland != 2 || p.Limits.Share != 50 {
		t.Errorf("canary %+v, waves %v, limits %+v", p.Canary, p.Waves, p.Limits)
	}
}

// Where work was seen, a cluster that goes to mode enforce starts nothing and takes nothing away until it has said which of
// that work is Muster's. In the modes before nothing is decided there anyway.
func TestAClusterWithSeenWorkReportsBeforeMusterDecides(t *testing.T) {
	st := smallFleet(t, 1)
	w := job("ns@t", "w", fleet.Flex, fleet.Mid, pools(1)...).Spec
	w.Groups = []string{fleet.SeenOn("t")}
	st.do(0, core.SetMode{Cluster: "t", Mode: fleet.Observe}, core.Observe{Spec: w, Partition: "t/g", On: []core.Seen{{Node: "t-g-a-001"}}})
	for mode, silent := range map[fleet.Mode]bool{fleet.Shadow: false, fleet.Enforce: true} {
		tried := tale{t, st.s.Clone()}
		tried.do(time.Hour, core.SetMode{Cluster: "t", Mode: fleet.Shadow}, core.SetMode{Cluster: "t", Mode: mode})
		if is := tried.s.Cluster("t").Stale; is != silent {
			t.Errorf("in mode %s its reports are awaited: %v, want %v", mode, is, silent)
		}
	}
}

// A node has 1 to 64 GPUs, and 8 where nothing is said.
func TestANodeHasAPossibleNumberOfGPUs(t *testing.T) {
	st := smallFleet(t, 1)
	for gpus, why := range map[int]string{-1: "a node has 1 to 64", 0: "", 1: "", 64: "", 65: "a node has 1 to 64"} {
		model := fmt.Sprintf("m%d", gpus+1)
		st.by(time.Hour, ops, core.AddPartition{Cluster: "t", GPU: model, GPUsPerNode: gpus}, why)
		if p := st.s.Partition("t/" + model); p != nil && p.GPUsPerNode != cmp.Or(gpus, 8) {
			t.Errorf("of %d GPUs asked for, a node has %d", gpus, p.GPUsPerNode)
		}
	}
}

// A grant that does not fit is refused with what would be assigned, and with how much of that is held for others.
func TestAnOverpromiseNamesWhatIsHeld(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "oak", 1, 0)
	st.quota(0, "elm", 0, 0)
	ask := core.SetGrant{Quota: "oak", Partition: "t/g", GPUs: 40}
	st.by(time.Hour, ops, ask, "t/g would have 40 GPUs assigned and can sustain 32")
	st.do(time.Hour, core.PlaceHold{Quota: "elm", Partition: "t/g", GPUs: 16, Until: moment(24 * time.Hour)})
	st.by(time.Hour, ops, ask, "t/g would have 56 GPUs assigned (with 16 held) and can sustain 32; at most 8 more fit")
}

// A grant that does not fit is refused with the partitions of the same GPU model that have room for it.
func TestAnOverpromiseNamesWhereThereIsRoom(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "oak", 1, 0)
	st.do(0, core.AddCluster{Name: "u"}, core.AddPartition{Cluster: "u", GPU: "g"}, core.AddPartition{Cluster: "u", GPU: "other"})
	for _, in := range []string{"u/g", "u/other"} {
		st.do(0, core.AddIslands{Partition: in, Islands: []core.NewIsland{{Name: "i-" + in[2:], Nodes: 8}}})
	}
	st.by(time.Hour, ops, core.SetGrant{Quota: "oak", Partition: "t/g", GPUs: 40}, "; at most 24 more fit; u/g has room for 32 GPUs more; lower another grant")
	st.by(time.Hour, ops, core.SetGrant{Quota: "oak", Partition: "t/g", GPUs: 400}, "can sustain 32; at most 24 more fit; lower another grant")
}

// A partition that is written where the quota belongs is no name for a new quota.
func TestSwappedArgumentsOfAGrantAreToldAsThat(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "oak", 1, 0)
	st.by(time.Hour, ops, core.SetGrant{Quota: "t/g", Partition: "oak", GPUs: 8}, `"t/g" is a partition and "oak" a quota: they are swapped, write the quota first`)
	for _, partition := range []string{"t/g", "t/h"} {
		_, refusal := core.Step(st.s, core.Request{Command: core.SetGrant{Quota: "t/g", Partition: partition, GPUs: 8}, Actor: ops}, moment(time.Hour))
		if refusal == nil || strings.Contains(refusal.Message, "quota create") {
			t.Errorf("a grant to a partition is refused with %v", refusal)
		}
	}
}

// Of several holds the one that is named ends.
func TestTheHoldThatIsNamedEnds(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "oak", 1, 0)
	for range 3 {
		st.do(0, core.PlaceHold{Quota: "oak", Partition: "t/g", GPUs: 8, Until: moment(24 * time.Hour)})
	}
	named := st.s.Holds[1].ID
	st.by(time.Hour, ops, core.ReleaseHold{ID: named}, "")
	st.by(time.Hour, ops, core.ReleaseHold{ID: named}, "there is no hold")
	if len(st.s.Holds) != 2 || st.s.Holds[0].ID == named || st.s.Holds[1].ID == named {
		t.Errorf("after hold %d was released there are %+v", named, st.s.Holds)
	}
}
