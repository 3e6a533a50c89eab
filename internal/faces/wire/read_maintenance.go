package wire

import (
	"errors"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/recurrence"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadUpdate reads the command that makes an update known.
func ReadUpdate(m *musterv1.NodeUpdate) (core.Command, error) {
	u := fleet.NodeUpdate{
		Name: m.GetName(), Component: fleet.Component{Name: m.GetComponent(), Version: m.GetVersion()}, GPUs: m.GetGpus(),
		Impact: fleet.Impact(m.GetImpact()), Executor: m.GetExecutor(),
	}
	var err error
	if u.Lasts, err = ReadDuration("update.lasts", m.GetLasts()); err != nil {
		return nil, err
	}
	if u.Freeze, err = ReadDuration("update.freeze", m.GetFreeze()); err != nil {
		return nil, err
	}
	if m.GetNotBefore() != nil {
		if u.NotBefore, err = ReadInstant("update.not_before", m.GetNotBefore()); err != nil {
			return nil, err
		}
	}
	if m.GetDeadline() != nil {
		if u.Deadline, err = ReadInstant("update.deadline", m.GetDeadline()); err != nil {
			return nil, err
		}
	}
	return core.AddUpdate{Update: u}, nil
}

// ReadRollout reads the command that starts a rollout.
func ReadRollout(m *musterv1.StartRolloutRequest) (core.Command, error) {
	soak, err := ReadDuration("soak", m.GetSoak())
	if err != nil {
		return nil, err
	}
	plan := fleet.RolloutPlan{
		Scope: m.GetScope(), Nodes: m.GetNodes(), Updates: m.GetUpdates(), Bisect: m.GetBisect(),
		Canary: fleet.CanaryRule{Nodes: int(m.GetCanaryNodes()), Soak: soak, Auto: m.GetCanaryAuto()},
		Limits: fleet.VisitLimit{PerIsland: int(m.GetPerIsland()), PerPartition: int(m.GetPerPartition()), Racks: m.GetRacks(), Failures: -1},
	}
	if m.AllowedFailures != nil {
		plan.Limits.Failures = int(m.GetAllowedFailures())
	}
	for _, w := range m.GetWaves() {
		plan.Waves = append(plan.Waves, fleet.Permille(w))
	}
	return core.StartRollout{Name: m.GetName(), Plan: plan}, nil
}

// ReadZone reads the command that adds a no-fly zone. A recurrence is drawn out here.
func ReadZone(m *musterv1.Zone) (core.Command, error) {
	z := fleet.Zone{
		Name: m.GetName(), Scope: m.GetScope(), Recur: m.GetRecur(), TimeZone: m.GetTimeZone(),
		ZoneRecord: fleet.ZoneRecord{Reason: m.GetReason(), Owner: m.GetOwner(), Link: m.GetLink()},
	}
	if m.GetWorkload() != "" {
		var ok bool
		if z.Namespace, z.Workload, ok = strings.Cut(m.GetWorkload(), "/"); !ok || z.Scope != "" {
			return nil, Wrong("zone.workload", "is NAMESPACE/NAME, and a zone over a workload has no scope")
		}
	}
	for _, b := range m.GetBlocks() {
		z.Blocks = append(z.Blocks, fleet.Impact(b))
	}
	from, err := ReadInstant("zone.from", m.GetFrom())
	if err != nil {
		return nil, err
	}
	to, err := ReadInstant("zone.to", m.GetTo())
	if err != nil {
		return nil, err
	}
	if z.Spans, err = recurrence.Spans(z.Recur, z.TimeZone, fleet.Span{From: from, To: to}); err != nil {
		return nil, misdrawn(err)
	}
	return core.AddZone{Zone: z}, nil
}

// misdrawn names the field of a zone by which its occurrences cannot be drawn out.
func misdrawn(err error) error {
	var is *recurrence.Error
	if errors.As(err, &is) {
		return Wrong("zone."+is.Field, "%s", is.Text)
	}
	return Wrong("zone", "%v", err)
}

// ReadNotice reads the command that announces a maintenance.
func ReadNotice(m *musterv1.Notice) (core.Command, error) {
	starts, err := ReadInstant("notice.starts", m.GetStarts())
	if err != nil {
		return nil, err
	}
	lasts, err := ReadDuration("notice.lasts", m.GetLasts())
	if err != nil {
		return nil, err
	}
	freeze, err := ReadDuration("notice.freeze", m.GetFreeze())
	return core.AddNotice{
		Name: m.GetName(), Nodes: m.GetNodes(), Starts: starts, Lasts: lasts, Impact: fleet.Impact(m.GetImpact()), Freeze: freeze, Provider: m.GetProvider(),
	}, err
}
