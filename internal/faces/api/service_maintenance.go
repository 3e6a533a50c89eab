package api

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// GetMaintenance says where all planned work stands.
func (s maintenanceService) GetMaintenance(ctx context.Context, m *musterv1.GetMaintenanceRequest) (*musterv1.GetMaintenanceResponse, error) {
	out := &musterv1.GetMaintenanceResponse{}
	x, err := s.searchTime(m.GetSearch(), playingOn)
	if err != nil {
		return nil, err
	}
	show, plays := s.read, playsOn(m) && s.triable(false)
	if plays && m.GetAsOf() != nil {
		show = s.private
	}
	seen, err := show(ctx, m.GetAsOf(), func(state *fleet.State, now fleet.Instant) error {
		out = wire.Maintenance(state, now)
		err := inFull(callerOf(ctx), state, m, out, now)
		if r := openRollout(out, m.GetRollout()); r != nil && plays && m.GetAsOf() != nil && err == nil {
			r.End = x.toldEnd(state, m.GetRollout(), now, func() bool { return ctx.Err() != nil })
		}
		callerOf(ctx).leaveOut(state, out)
		return err
	})
	out.Seen = seen
	if r := openRollout(out, m.GetRollout()); r != nil && plays && m.GetAsOf() == nil && err == nil {
		err = s.addEnd(ctx, x, r, out)
	}
	return out, err
}

// playingOn is how long the rest of a rollout is played through for one question.
const playingOn = 2 * time.Second

// playsOn says whether a question asks when a rollout should end.
func playsOn(m *musterv1.GetMaintenanceRequest) bool {
	return m.GetRollout() != "" && (m.GetSearch() == nil || m.GetSearch().AsDuration() != 0)
}

// openRollout is the rollout of a name, if it is open.
func openRollout(out *musterv1.GetMaintenanceResponse, name string) *musterv1.Rollout {
	for _, r := range out.GetRollouts() {
		if r.GetName() == name && r.GetState() != string(fleet.RolloutDone) && r.GetState() != string(fleet.RolloutAbandoned) {
			return r
		}
	}
	return nil
}

// addEnd adds when a rollout should end, without the zones that the caller is not shown.
func (s maintenanceService) addEnd(ctx context.Context, x *searchTime, r *musterv1.Rollout, out *musterv1.GetMaintenanceResponse) error {
	end, err := s.ends.of(ctx, rolloutAsked{r.GetName(), x.length}, out.GetSeen().GetVersion(), s.now(), s.playedNow(ctx, x, r.GetName()))
	if err != nil {
		return err
	}
	r.End = shownEnd(end, out.GetZones())
	return nil
}

// leaveOut takes out of planned work what says the names of work that the caller may not read: zones
// over it, and for which work a rollout waits.
func (c *caller) leaveOut(state *fleet.State, out *musterv1.GetMaintenanceResponse) {
	hidden := c.hiddenZones(state)
	out.Zones = slices.DeleteFunc(out.GetZones(), func(z *musterv1.Zone) bool { return hidden[z.GetName()] })
	for _, n := range out.GetNotices() {
		unread := func(zone string) bool { return hidden[zone] }
		n.Conflicts, n.BlockedBy = slices.DeleteFunc(n.GetConflicts(), unread), slices.DeleteFunc(n.GetBlockedBy(), unread)
		c.unnamed(state, n.GetBlockedBy())
	}
	for _, r := range out.GetRollouts() {
		if r.GetEnd() != nil {
			r.End.Sooner = slices.DeleteFunc(r.GetEnd().GetSooner(), func(c *musterv1.SoonerEnd) bool { return hidden[c.GetZone()] })
		}
		waits := slices.Clone(r.GetWaits())
		for _, n := range r.GetNodes() {
			if n.GetWait() != nil {
				waits = append(waits, n.GetWait())
			}
		}
		for _, w := range waits {
			if namespace, name, of := strings.Cut(w.GetWho(), "/"); w.GetCode() == string(maintenance.InUse) && of && !c.seesNamed(state, namespace, name) {
				w.Who = ""
			}
			if hidden[w.GetZone()] {
				w.Zone = ""
			}
		}
	}
}

// unnamed takes the names of work that the caller may not read out of what holds the visits of a maintenance back.
func (c *caller) unnamed(state *fleet.State, blockedBy []string) {
	const inUse = string(maintenance.InUse)
	for i, by := range blockedBy {
		who, is := strings.CutPrefix(by, inUse+" (")
		if namespace, name, of := strings.Cut(strings.TrimSuffix(who, ")"), "/"); is && of && !c.seesNamed(state, namespace, name) {
			blockedBy[i] = inUse
		}
	}
}

// hiddenZones are the names of those that the caller may not read.
func (c *caller) hiddenZones(state *fleet.State) map[string]bool {
	hidden := map[string]bool{}
	for _, z := range state.Kept().Zones {
		if !c.seesZone(state, z) {
			hidden[z.Name] = true
		}
	}
	return hidden
}

// inFull adds the nodes of the rollout and what piles up behind the zone that a request names.
func inFull(c *caller, s *fleet.State, m *musterv1.GetMaintenanceRequest, out *musterv1.GetMaintenanceResponse, now fleet.Instant) error {
	if name := m.GetRollout(); name != "" {
		at := slices.IndexFunc(s.Kept().Rollouts, func(r *fleet.Rollout) bool { return r.Name == name })
		if at < 0 {
			return core.NoRollout(s, name)
		}
		out.Rollouts[at].Nodes = wire.RolloutNodes(s, s.Kept().Rollouts[at], now)
	}
	if name := m.GetZone(); name != "" {
		at := slices.IndexFunc(s.Kept().Zones, func(z *fleet.Zone) bool { return z.Name == name && c.seesZone(s, z) })
		if at < 0 {
			seen := slices.DeleteFunc(slices.Clone(s.Kept().Zones), func(z *fleet.Zone) bool { return !c.seesZone(s, z) })
			return core.NoZone(seen, name)
		}
		out.Zones[at].Piles = wire.Piles(s, s.Kept().Zones[at], now)
	}
	return nil
}

// PlannedWork says which planned work concerns a place, a node, a quota or a workload.
func (s maintenanceService) PlannedWork(ctx context.Context, m *musterv1.PlannedWorkRequest) (*musterv1.PlannedWorkResponse, error) {
	out := &musterv1.PlannedWorkResponse{}
	seen, err := s.study(ctx, m.GetAsOf(), func(state *fleet.State, now fleet.Instant) error {
		f, err := s.plannedFor(ctx, state, m)
		if err == nil {
			out.Works = wire.PlannedWork(state, f, now)
		}
		return err
	})
	out.Seen = seen
	return out, err
}

// plannedFor finds whom planned work is asked for.
func (s maintenanceService) plannedFor(ctx context.Context, state *fleet.State, m *musterv1.PlannedWorkRequest) (f view.PlannedFor, err error) {
	f = view.PlannedFor{Scope: m.GetScope(), Node: m.GetNode(), Quota: m.GetQuota(), Sees: callerOf(ctx).reads(state)}
	switch {
	case set(m.GetScope(), m.GetNode(), m.GetQuota(), m.GetWorkload()) > 1:
		return f, wire.Wrong("scope", "stands beside a node, a quota or a workload; name one of them")
	case f.Scope != "" && f.Scope != "fleet":
		err = knownScope(state, f.Scope)
	case f.Node != "":
		if p, _ := state.FindNode(f.Node); p == nil {
			err = noNode(state, f.Node)
		}
	case f.Quota != "":
		err = knownQuota(state, f.Quota)
	case m.GetWorkload() != "":
		var namespace, name string
		if namespace, name, err = wire.ReadWorkloadName("workload", m.GetWorkload()); err == nil {
			f.Workload, err = s.find(ctx, state, namespace, name)
		}
	}
	return f, err
}

// set counts the texts that say something.
func set(list ...string) (n int) {
	for _, text := range list {
		if text != "" {
			n++
		}
	}
	return n
}

// AddUpdate makes an update known.
func (s maintenanceService) AddUpdate(ctx context.Context, m *musterv1.AddUpdateRequest) (*musterv1.AddUpdateResponse, error) {
	c, err := wire.ReadUpdate(m.GetUpdate())
	w, err := s.written(ctx, m, c, err)
	return &musterv1.AddUpdateResponse{Written: w}, err
}

// WithdrawUpdate takes an update back.
func (s maintenanceService) WithdrawUpdate(ctx context.Context, m *musterv1.WithdrawUpdateRequest) (*musterv1.WithdrawUpdateResponse, error) {
	w, err := s.written(ctx, m, core.WithdrawUpdate{Name: m.GetName()}, nil)
	return &musterv1.WithdrawUpdateResponse{Written: w}, err
}

// StartRollout begins a rollout as soon as it may.
func (s maintenanceService) StartRollout(ctx context.Context, m *musterv1.StartRolloutRequest) (*musterv1.StartRolloutResponse, error) {
	c, err := wire.ReadRollout(m)
	x, wrong := s.searchTime(m.GetSearch(), playingOn)
	w, err := s.written(ctx, m, c, cmp.Or(err, wrong))
	if err == nil && w.GetDryRun() {
		w.Notes = append(w.Notes, s.planNotes(ctx, m, c, x)...)
	}
	if err == nil && !w.GetDryRun() {
		s.engine.Read(func(state *fleet.State) { w.Notes = append(w.Notes, noneFits(state, m.GetName(), state.Time)...) })
	}
	return &musterv1.StartRolloutResponse{Written: w}, err
}

// MoveRollout pauses a rollout, lets it run again, or abandons it.
func (s maintenanceService) MoveRollout(ctx context.Context, m *musterv1.MoveRolloutRequest) (*musterv1.MoveRolloutResponse, error) {
	w, err := s.written(ctx, m, core.MoveRollout{Name: m.GetName(), State: fleet.RolloutState(m.GetState()), NotTheUpdate: m.GetNotTheUpdate()}, nil)
	return &musterv1.MoveRolloutResponse{Written: w}, err
}

// AddZone adds a no-fly zone.
func (s maintenanceService) AddZone(ctx context.Context, m *musterv1.AddZoneRequest) (*musterv1.AddZoneResponse, error) {
	c, err := wire.ReadZone(m.GetZone())
	w, err := s.written(ctx, m, c, err)
	return &musterv1.AddZoneResponse{Written: w}, err
}

// EndZone ends a zone now.
func (s maintenanceService) EndZone(ctx context.Context, m *musterv1.EndZoneRequest) (*musterv1.EndZoneResponse, error) {
	w, err := s.written(ctx, m, core.EndZone{Name: m.GetName()}, nil)
	return &musterv1.EndZoneResponse{Written: w}, err
}

// AddNotice announces a maintenance at a fixed moment.
func (s maintenanceService) AddNotice(ctx context.Context, m *musterv1.AddNoticeRequest) (*musterv1.AddNoticeResponse, error) {
	c, err := wire.ReadNotice(m.GetNotice())
	w, err := s.written(ctx, m, c, err)
	return &musterv1.AddNoticeResponse{Written: w}, err
}

// CancelNotice takes an announced maintenance back.
func (s maintenanceService) CancelNotice(ctx context.Context, m *musterv1.CancelNoticeRequest) (*musterv1.CancelNoticeResponse, error) {
	w, err := s.written(ctx, m, core.CancelNotice{Name: m.GetName()}, nil)
	return &musterv1.CancelNoticeResponse{Written: w}, err
}

// AgreeToStop says that a workload may be stopped as a whole at a moment.
func (s maintenanceService) AgreeToStop(ctx context.Context, m *musterv1.AgreeToStopRequest) (*musterv1.AgreeToStopResponse, error) {
	at, err := wire.ReadInstant("at", m.GetAt())
	w, err := s.written(ctx, m, core.AgreeToStop{Namespace: m.GetNamespace(), Name: m.GetName(), At: at}, err)
	return &musterv1.AgreeToStopResponse{Written: w}, err
}

// ReportVisit says how the visit of a node went.
func (s maintenanceService) ReportVisit(ctx context.Context, m *musterv1.ReportVisitRequest) (*musterv1.ReportVisitResponse, error) {
	w, err := s.written(ctx, m, core.ReportVisit{Node: m.GetNode(), Outcome: m.GetOutcome(), Why: m.GetWhy()}, nil)
	return &musterv1.ReportVisitResponse{Written: w}, err
}
