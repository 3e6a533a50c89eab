package wire

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Maintenance is where all planned work stands.
func Maintenance(s *fleet.State, now fleet.Instant) *musterv1.GetMaintenanceResponse {
	m := s.Kept()
	out := &musterv1.GetMaintenanceResponse{}
	for _, u := range m.Updates {
		out.Updates = append(out.Updates, nodeUpdate(u, view.UpdateOf(s, u)))
	}
	for _, r := range m.Rollouts {
		out.Rollouts = append(out.Rollouts, rolloutWhole(s, r, now))
	}
	for _, z := range m.Zones {
		out.Zones = append(out.Zones, zone(z, view.ZoneAt(s, z, now)))
	}
	for _, o := range m.Notices {
		out.Notices = append(out.Notices, notice(o, view.MaintenanceAt(s, o, now)))
	}
	for _, ref := range m.Open {
		if p := s.Partition(ref.Partition); p != nil {
			out.Visits = append(out.Visits, visit(p, p.Nodes[ref.Node].Visit))
		}
	}
	for _, b := range view.Drift(s) {
		out.Configurations = append(out.Configurations, &musterv1.Configuration{
			Partition: b.Partition, Configuration: b.Hash, Runs: b.Runs, Nodes: int32(b.Nodes), Lacks: b.Lacks, Since: Instant(b.Since),
			UntestedByProvider: int32(b.UntestedByProvider),
		})
	}
	return out
}

func nodeUpdate(u *fleet.NodeUpdate, row view.Update) *musterv1.NodeUpdate {
	m := &musterv1.NodeUpdate{
		Name: u.Name, Component: u.Component.Name, Version: u.Component.Version, Gpus: u.GPUs, Impact: string(u.Impact),
		Freeze: length(u.Freeze), Lasts: length(u.Lasts), NotBefore: Instant(u.NotBefore), Deadline: Instant(u.Deadline), Executor: u.Executor,
		Counts: string(row.Impact), Pending: int32(row.Pending), Verdict: string(row.Verdict), Added: Instant(row.Added), Withdrawn: Instant(row.Withdrawn),
	}
	for _, l := range row.Measured {
		m.Measured = append(m.Measured, &musterv1.MeasuredLength{Gpu: l.GPU, Visits: int32(len(l.Took)), P50: length(l.P50), P90: length(l.P90)})
	}
	return m
}

func rollout(row view.Rollout) *musterv1.Rollout {
	m := &musterv1.Rollout{
		Name: row.Rollout, Scope: row.Scope, Updates: row.Updates, State: string(row.State), Stage: row.Stage,
		Of: int32(row.Of), Done: int32(row.Done), Failed: int32(row.Failed), Visits: int32(row.Visits), Why: row.Why, By: row.By,
		Added: Instant(row.Added), Began: Instant(row.Began), Ended: Instant(row.Ended), Culprit: row.Culprit,
	}
	for _, w := range row.Reasons {
		m.Waits = append(m.Waits, waitReason(w))
	}
	return m
}

func waitReason(w maintenance.Wait) *musterv1.WaitReason {
	return &musterv1.WaitReason{
		Code: string(w.Code), Nodes: int32(w.Nodes), Node: w.Node, Until: Instant(w.Until), Zone: w.Zone, Who: w.Who, Missing: int32(w.Short),
	}
}

func zone(z *fleet.Zone, row view.Zone) *musterv1.Zone {
	m := &musterv1.Zone{
		Name: z.Name, Scope: z.Scope, From: Instant(row.From), To: Instant(row.To), Recur: z.Recur, TimeZone: z.TimeZone,
		Reason: z.Reason, Owner: z.Owner, Link: z.Link, By: z.By, Ended: Instant(z.Ended),
		Active: row.Active, Blocked: row.BlockedNames, Behind: int32(row.Behind), Untested: int32(row.Untested), Conflicts: row.ConflictNames,
		Oldest: Instant(row.Oldest), Quota: row.Quota, QuotaDays: int32(row.Days), QuotaDaysLimit: int32(row.DaysLimit),
	}
	if z.Workload != "" {
		m.Workload = z.Namespace + "/" + z.Workload
	}
	for _, b := range z.Blocks {
		m.Blocks = append(m.Blocks, string(b))
	}
	return m
}

func notice(o *fleet.Notice, row view.Maintenance) *musterv1.Notice {
	return &musterv1.Notice{
		Name: o.Name, Nodes: o.Nodes, Starts: Instant(o.Starts), Lasts: length(o.Lasts), Impact: string(o.Impact), Freeze: length(o.Freeze), Provider: o.Provider,
		State: row.State, BlockedBy: blockedBy(row.Waits), Conflicts: row.Conflicts, By: o.By,
	}
}

// blockedBy says what holds visits back: the zone, or the kind of reason with the work or quota behind it.
func blockedBy(list []maintenance.Wait) (texts []string) {
	for _, w := range list {
		if w.Who == "" || w.Zone != "" {
			texts = append(texts, w.By())
		} else {
			texts = append(texts, w.By()+" ("+w.Who+")")
		}
	}
	return texts
}

func visit(p *fleet.Partition, v *fleet.Visit) *musterv1.Visit {
	return &musterv1.Visit{
		Node: v.Node, Partition: p.ID, State: string(v.State), Of: strings.TrimSpace(v.Rollout + " " + v.Notice), Impact: string(v.Impact),
		Canary: v.Canary, Began: Instant(v.Began), Ends: Instant(v.Ends()), Updates: v.Updates,
	}
}
