package api

import (
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file describes the past in messages.

func healthOf(h past.Health) *musterv1.ScopeHealth {
	out := &musterv1.ScopeHealth{
		Scope: h.Scope, Covered: windowOf(h.Covered), Availability: h.Availability(),
		InstalledGpuHours: past.Hours(h.Installed), UsableGpuHours: past.Hours(h.Usable), NodeHours: map[string]float64{},
		Failures: int32(h.Failures), FailuresPer_1000NodeDays: h.FailureRate(), Interruptions: int32(h.Interruptions),
		DownGpuHours: past.Hours(h.Installed - h.Usable), UndoneGpuHours: past.Hours(h.Undone),
		PromisesIssued: int32(h.Issued), PromisesKept: int32(h.Kept), PromisesBroken: int32(h.Broken),
	}
	for s, v := range h.States {
		if v != 0 {
			out.NodeHours[string(s)] = past.Hours(v)
		}
	}
	return out
}

func nodePast(n past.Node, is *fleet.Node) *musterv1.NodePast {
	out := &musterv1.NodePast{
		Node: n.Node, Partition: n.Partition, Island: n.Island, State: string(is.State), Since: timestamp(is.Since),
		Failures: int32(n.Failures), Down: span(n.Down), LastFailure: moment(n.LastFailure),
		FailuresEver: int32(n.Total), InterruptionsEver: int32(n.Interruptions),
	}
	switch {
	case is.State == fleet.Healthy:
	case n.Cause != "":
		out.Cause = n.Cause
	default:
		out.Cause = fleet.OutageCause(is.Signal)
	}
	return out
}

func spreadOf(s past.Spread) *musterv1.Spread {
	return &musterv1.Spread{Mean: span(s.Mean), P50: span(s.P50), P90: span(s.P90)}
}

func repairOf(r past.Repair) *musterv1.RepairTimes {
	out := &musterv1.RepairTimes{
		Scope: r.Scope, Cause: r.Cause, Repaired: int32(r.Repaired), Open: int32(r.Open), Faded: int32(r.Faded), Total: spreadOf(r.Total),
	}
	for i, s := range r.Stages {
		out.Stages = append(out.Stages, &musterv1.StageTimes{Stage: past.Stage(i).String(), Times: spreadOf(s)})
	}
	return out
}

// attained is what a cluster attained of its three targets.
func attained(a past.Attained, aims fleet.Targets) []*musterv1.Target {
	covered := windowOf(a.Covered)
	whole := a.Uptime.Held + a.Uptime.Again
	out := []*musterv1.Target{
		budget1("availability", share(aims.Availability), a.Installed, a.Down, a.DownBy),
		budget1("uptime", share(aims.Uptime), whole, a.Uptime.Lost(), a.LostBy),
		repairTarget(a, aims.MTTR),
	}
	for _, t := range out {
		t.Cluster, t.Covered = a.Cluster, covered
	}
	return out
}

// budget1 is a target that is a share of GPU-time: what may be lost is its budget.
func budget1(what string, target float64, whole, lost int64, by []past.Burned) *musterv1.Target {
	t := &musterv1.Target{
		What: what, Target: target, Attained: 1, Empty: whole == 0,
		BudgetGpuHours: (1 - target) * past.Hours(whole), BurnedGpuHours: past.Hours(lost),
	}
	if whole > 0 {
		t.Attained = max(0, 1-float64(lost)/float64(whole))
	}
	t.Met = t.Attained >= target
	for _, b := range by {
		if b.GPUs > 0 {
			t.BurnedBy = append(t.BurnedBy, &musterv1.Burn{Cause: b.Cause, GpuHours: past.Hours(b.GPUs), Count: int32(b.Count)})
		}
	}
	return t
}

// repairTarget says for each cause how many days of the mean are its own.
func repairTarget(a past.Attained, aim time.Duration) *musterv1.Target {
	n := a.Repair.Repaired
	t := &musterv1.Target{What: "mttr", Target: aim.Hours() / 24, Attained: past.Days(a.Repair.Total.Mean), Empty: n == 0}
	t.Met = n == 0 || t.Attained <= t.Target
	for _, r := range a.RepairBy {
		if r.Repaired > 0 {
			days := past.Days(r.Total.Mean) * float64(r.Repaired) / float64(n)
			t.BurnedBy = append(t.BurnedBy, &musterv1.Burn{Cause: r.Cause, Days: days, Count: int32(r.Repaired)})
		}
	}
	return t
}
