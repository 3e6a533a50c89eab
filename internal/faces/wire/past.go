package wire

import (
	"time"

	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ScopeHealth is the health of a scope over a window.
func ScopeHealth(b *past.Book, h past.Health) *musterv1.ScopeHealth {
	out := &musterv1.ScopeHealth{
		Scope: h.Scope, Covered: WindowLived(b, h.Covered), Availability: h.Availability(),
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

// NodePast is how a node did over a window.
func NodePast(n past.Node, is *fleet.Node) *musterv1.NodePast {
	out := &musterv1.NodePast{
		Node: n.Node, Partition: n.Partition, Island: n.Island, State: string(is.State), Since: Instant(is.Since),
		Failures: int32(n.Failures), Down: Span(n.Down), LastFailure: Moment(n.LastFailure),
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

// Spread is the spread of some lengths of time.
func Spread(s past.Spread) *musterv1.Spread {
	return &musterv1.Spread{Mean: Span(s.Mean), P50: Span(s.P50), P90: Span(s.P90)}
}

// Repair is how long repairs took, by stage.
func Repair(r past.Repair) *musterv1.RepairTimes {
	out := &musterv1.RepairTimes{
		Scope: r.Scope, Cause: r.Cause, Repaired: int32(r.Repaired), Open: int32(r.Open), Faded: int32(r.Faded), Total: Spread(r.Total),
	}
	for i, s := range r.Stages {
		out.Stages = append(out.Stages, &musterv1.StageTimes{Stage: past.Stage(i).String(), Times: Spread(s)})
	}
	return out
}

// Attained is what a cluster attained of its three targets.
func Attained(b *past.Book, a past.Attained, aims fleet.Targets) []*musterv1.Target {
	covered := WindowLived(b, a.Covered)
	whole := a.Uptime.Wanted()
	out := []*musterv1.Target{
		budget("availability", Share(aims.Availability), a.Installed, a.Down, a.DownBy),
		budget("uptime", Share(aims.Uptime), whole, a.Uptime.Owed(), a.LostBy),
		repairTarget(a, aims.MTTR),
	}
	for _, t := range out {
		t.Cluster, t.Covered = a.Cluster, covered
	}
	return out
}

// budget is a target that is a share of GPU-time: what may be lost is its budget.
func budget(what string, target float64, whole, lost int64, by []past.Burned) *musterv1.Target {
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

// FlexOutlook is how likely flex of a size is to last.
func FlexOutlook(o past.Outlook) *musterv1.FlexOutlook {
	out := &musterv1.FlexOutlook{
		Partition: o.Partition, Gpus: int32(o.GPUs), Runs: int32(o.Runs), SizesFrom: int32(o.Of), SizesTo: int32(o.To),
		MeanFlex: int32(o.MeanFlex), MeanUsed: int32(o.MeanUsed), KnownSince: Moment(o.Since),
	}
	for _, one := range o.Odds {
		out.Odds = append(out.Odds, &musterv1.FlexOdds{Lasts: Span(one.Lasts), Odds: one.Odds, Unknown: !one.Known})
	}
	return out
}

// FrontierPoint is what one buffer policy would have kept and held back.
func FrontierPoint(t past.Trial) *musterv1.FrontierPoint {
	point := &musterv1.FrontierPoint{Kind: t.Policy.Kind, Issued: int64(t.Issued), Broken: int64(t.Broken), MeanBuffer: t.Buffer}
	if trial.KeepsShare(t.Policy.Kind) {
		point.Share = int32(t.Policy.Share*1000 + 0.5)
	} else {
		point.Confidence = int32(t.Policy.Confidence*1000 + 0.5)
	}
	return point
}

// Promises is how promises of one kind were kept.
func Promises(p view.Promises) *musterv1.Promises {
	m := &musterv1.Promises{
		Partition: p.Partition, Island: p.Island, HorizonHours: int32(p.Horizon), InForce: p.InForce,
		Issued: int64(p.Issued()), Kept: int64(p.Kept), Broken: int64(p.Broken), Open: int64(p.Open),
	}
	if !p.Mixed {
		m.Policy = Buffer(p.Policy)
	}
	if p.Policy.Learns() {
		m.Claimed = proto.Float64(Share(p.Policy.Confidence))
	}
	if judged := p.Kept + p.Broken; judged > 0 {
		m.Realised = proto.Float64(float64(p.Kept) / float64(judged))
	}
	if p.Installed > 0 {
		m.MeanBuffer = float64(p.HeldBack) / float64(p.Installed)
	}
	return m
}

// LostNode is a node that a broken promise lacked.
func LostNode(l past.Loss) *musterv1.LostNode {
	return &musterv1.LostNode{Node: l.Node, Island: l.Island, State: string(l.State), Cause: l.Cause, Since: Moment(l.Since)}
}
