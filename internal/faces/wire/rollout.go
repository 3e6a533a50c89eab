package wire

import (
	"cmp"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// rolloutWhole is where a rollout stands, with what people asked of it.
func rolloutWhole(s *fleet.State, r *fleet.Rollout, now fleet.Instant) *musterv1.Rollout {
	row := view.RolloutAt(s, r, now)
	m := rollout(row)
	m.Plan, m.Joined = rolloutPlan(&r.RolloutPlan), r.Joined
	for _, t := range r.Trials {
		m.Canaries = append(m.Canaries, canary(t))
	}
	for _, t := range row.Targets {
		m.Combinations = append(m.Combinations, combination(t))
	}
	if r.Open() {
		rest, deadline := maintenance.RestOf(s, r, now)
		m.Rest, m.Deadline = length(rest), Instant(deadline)
	}
	return m
}

// RolloutEnd is when a rollout should be over.
func RolloutEnd(e forecast.End) *musterv1.RolloutEnd {
	m := &musterv1.RolloutEnd{P50: Instant(e.P50), P90: Instant(e.P90), Unknown: e.Unknown}
	for _, c := range e.Sooner {
		m.Sooner = append(m.Sooner, &musterv1.SoonerEnd{Change: c.Change, Zone: c.Zone, P50: Instant(c.P50)})
	}
	return m
}

func rolloutPlan(p *fleet.RolloutPlan) *musterv1.RolloutPlan {
	m := &musterv1.RolloutPlan{
		CanaryNodes: int32(p.Canary.Nodes), Soak: length(p.Canary.Soak), CanaryAuto: p.Canary.Auto, PerIsland: int32(p.Limits.PerIsland),
		PerPartition: int32(p.Limits.PerPartition), Racks: p.Limits.Racks, AllowedFailures: int32(p.Limits.Failures), Bisect: p.Bisect,
	}
	for _, w := range p.Waves {
		m.Waves = append(m.Waves, int32(w))
	}
	return m
}

func canary(t fleet.Trial) *musterv1.Canary {
	m := &musterv1.Canary{Node: t.Node, Gpu: t.GPU, Updates: t.Updates, Configuration: t.Hash, Until: Instant(t.Until), Why: cmp.Or(t.Excused, t.Why)}
	switch {
	case t.Excused != "":
		m.State = "excused"
	case t.Ended && t.Passed:
		m.State = "passed"
	case t.Ended:
		m.State = "failed"
	case t.Until != 0:
		m.State = "soaking"
	default:
		m.State = "visited"
	}
	return m
}

func combination(t maintenance.Target) *musterv1.Combination {
	return &musterv1.Combination{Gpu: t.GPU, Configuration: t.Hash, Runs: t.Runs.String(), Verdict: string(t.Verdict), Nodes: int32(t.Nodes), Zoned: int32(t.Zoned)}
}

// RolloutNodes says of every node of a rollout's scope how far it is.
func RolloutNodes(s *fleet.State, r *fleet.Rollout, now fleet.Instant) (list []*musterv1.RolloutNode) {
	for _, c := range maintenance.CellsOf(s, r, now) {
		m := &musterv1.RolloutNode{Node: c.Node.Name, Partition: c.Partition.ID, Island: c.Partition.Islands[c.Node.Island].Name, State: string(c.Stands)}
		if c.Wait.Code != "" {
			m.Wait = waitReason(c.Wait)
		}
		list = append(list, m)
	}
	return list
}

// Piles is what piles up behind a zone.
func Piles(s *fleet.State, z *fleet.Zone, now fleet.Instant) (list []*musterv1.Combination) {
	for _, p := range maintenance.PilesOf(s, z, now) {
		m := combination(p.Target)
		m.Rollout, m.Takes = p.Rollout, length(p.Takes)
		list = append(list, m)
	}
	return list
}

// The most names of nodes and of work that one row of planned work has.
const (
	mostPlannedNodes = 64
	mostPlannedWork  = 20
)

// PlannedWork is the planned work that concerns those who ask.
func PlannedWork(s *fleet.State, f view.PlannedFor, now fleet.Instant) (list []*musterv1.PlannedWork) {
	for _, w := range view.PlannedWorks(s, f, now) {
		list = append(list, &musterv1.PlannedWork{
			Of: w.Of, Rollout: w.Rollout, Provider: w.Provider, State: string(w.State), Impact: string(w.Impact), Updates: w.Updates,
			Nodes: int32(len(w.Nodes)), Names: first(w.Nodes, mostPlannedNodes), Begins: Instant(w.Begins), Ends: Instant(w.Ends),
			Workloads: first(w.Workloads, mostPlannedWork), Becomes: w.Becomes, Help: w.Help,
		})
	}
	return list
}

func first(list []string, most int) []string { return slices.Clip(list[:min(len(list), most)]) }

// ReadWorkloadName reads NAMESPACE/NAME.
func ReadWorkloadName(field, text string) (namespace, name string, err error) {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok || namespace == "" || name == "" {
		return "", "", Wrong(field, "is NAMESPACE/NAME")
	}
	return namespace, name, nil
}
