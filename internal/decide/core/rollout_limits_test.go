package core_test

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// withUpdate is a fleet to which update u can be rolled out.
func withUpdate(t *testing.T) tale {
	st := smallFleet(t, 4)
	st.do(0, core.AddUpdate{Update: fleet.NodeUpdate{Name: "u", Component: fleet.Component{Name: "c", Version: "2"}, Impact: fleet.ImpactNone, Lasts: 5 * time.Minute}})
	return st
}

func planned(edit func(*fleet.RolloutPlan)) core.StartRollout {
	p := fleet.RolloutPlan{Updates: []string{"u"}, Scope: "t"}
	edit(&p)
	return core.StartRollout{Name: "r", Plan: p}
}

// The stages and limits of a rollout are taken up to their bounds, and refused one step beyond.
func TestStagesOfARolloutHaveBounds(t *testing.T) {
	const canary, soak, waves, limits = "a canary has 1 to 100 nodes", "it is at most 90 days", "growing shares", "let one node be visited"
	for what, c := range map[string]struct {
		edit    func(*fleet.RolloutPlan)
		refused string
	}{
		"the usual":                {func(*fleet.RolloutPlan) {}, ""},
		"a canary of one":          {func(p *fleet.RolloutPlan) { p.Canary.Nodes = 1 }, ""},
		"a canary of less":         {func(p *fleet.RolloutPlan) { p.Canary.Nodes = -1 }, canary},
		"a canary of 100":          {func(p *fleet.RolloutPlan) { p.Canary.Nodes = 100 }, ""},
		"a canary of 101":          {func(p *fleet.RolloutPlan) { p.Canary.Nodes = 101 }, canary},
		"the shortest soak":        {func(p *fleet.RolloutPlan) { p.Canary.Soak = 1 }, ""},
		"a negative soak":          {func(p *fleet.RolloutPlan) { p.Canary.Soak = -1 }, soak},
		"a soak of 90 days":        {func(p *fleet.RolloutPlan) { p.Canary.Soak = 90 * 24 * time.Hour }, ""},
		"a longer soak":            {func(p *fleet.RolloutPlan) { p.Canary.Soak = 90*24*time.Hour + 1 }, soak},
		"one wave":                 {func(p *fleet.RolloutPlan) { p.Waves = []fleet.Permille{1000} }, ""},
		"a wave of a thousandth":   {func(p *fleet.RolloutPlan) { p.Waves = []fleet.Permille{1, 1000} }, ""},
		"a wave of nothing":        {func(p *fleet.RolloutPlan) { p.Waves = []fleet.Permille{0, 1000} }, waves},
		"waves that do not end":    {func(p *fleet.RolloutPlan) { p.Waves = []fleet.Permille{50, 999} }, waves},
		"waves that shrink":        {func(p *fleet.RolloutPlan) { p.Waves = []fleet.Permille{500, 50, 1000} }, waves},
		"20 waves":                 {func(p *fleet.RolloutPlan) { p.Waves = slices.Repeat([]fleet.Permille{1000}, 20) }, ""},
		"21 waves":                 {func(p *fleet.RolloutPlan) { p.Waves = slices.Repeat([]fleet.Permille{1000}, 21) }, waves},
		"one node of an island":    {func(p *fleet.RolloutPlan) { p.Limits.PerIsland = 1 }, ""},
		"no node of an island":     {func(p *fleet.RolloutPlan) { p.Limits.PerIsland = -1 }, limits},
		"one node of a partition":  {func(p *fleet.RolloutPlan) { p.Limits.PerPartition = 1 }, ""},
		"no node of a partition":   {func(p *fleet.RolloutPlan) { p.Limits.PerPartition = -1 }, limits},
		"a share of all":           {func(p *fleet.RolloutPlan) { p.Limits.Share = 1000 }, ""},
		"a share of more than all": {func(p *fleet.RolloutPlan) { p.Limits.Share = 1001 }, limits},
		"a negative share":         {func(p *fleet.RolloutPlan) { p.Limits.Share = -1 }, limits},
		"nodes and no scope":       {func(p *fleet.RolloutPlan) { p.Scope, p.Nodes = "", []string{"t-g-a-001"} }, ""},
		"nodes and a scope":        {func(p *fleet.RolloutPlan) { p.Nodes = []string{"t-g-a-001"} }, "not both"},
		"the whole fleet":          {func(p *fleet.RolloutPlan) { p.Scope = "fleet" }, ""},
		"no update":                {func(p *fleet.RolloutPlan) { p.Updates = nil }, "1 to"},
		"the same update twice":    {func(p *fleet.RolloutPlan) { p.Updates = []string{"u", "u"} }, "both bring c"},
	} {
		t.Run(what, func(t *testing.T) { withUpdate(t).by(time.Minute, ops, planned(c.edit), c.refused) })
	}
}

// What people do not say of a rollout is as the contract has it (maintenance §3); what they say stays.
func TestARolloutHasTheContractsStages(t *testing.T) {
	st := withUpdate(t)
	st.by(time.Minute, ops, planned(func(*fleet.RolloutPlan) {}), "")
	r := st.s.Kept().Rollout("r")
	if r.Canary.Nodes != 2 || r.Canary.Soak != 24*time.Hour || !slices.Equal(r.Waves, []fleet.Permille{50, 250, 1000}) ||
		r.Limits.PerIsland != 2 || r.Limits.Share != 50 || r.Limits.PerPartition != 0 {
		t.Errorf("it is %+v", r.RolloutPlan)
	}
	st = withUpdate(t)
	st.by(time.Minute, ops, planned(func(p *fleet.RolloutPlan) {
		p.Canary.Nodes, p.Canary.Soak, p.Waves, p.Limits.PerIsland, p.Limits.PerPartition = 1, time.Hour, []fleet.Permille{1000}, 3, 4
	}), "")
	r = st.s.Kept().Rollout("r")
	if r.Canary.Nodes != 1 || r.Canary.Soak != time.Hour || len(r.Waves) != 1 || r.Limits.PerIsland != 3 || r.Limits.PerPartition != 4 || r.Limits.Share != 0 {
		t.Errorf("what was said became %+v", r.RolloutPlan)
	}
}
