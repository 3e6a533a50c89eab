package api

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The windows that questions about the past have where they name none.
const (
	month     = 30 * 24 * time.Hour
	quarter   = 90 * 24 * time.Hour
	fourWeeks = 28 * 24 * time.Hour
)

// windowed is a request about a window of the past.
type windowed interface {
	GetAsOf() *timestamppb.Timestamp
	GetSince() *timestamppb.Timestamp
}

// ask answers a question from the book of the past, once it has heard all that
// was decided before the question.
func (s pastService) ask(ctx context.Context, m windowed, usual time.Duration, fn func(b *past.Book, w past.Window, now int64)) (*musterv1.Seen, error) {
	var state uint64
	now := fleet.InstantOf(s.now())
	s.engine.Look(func(st *fleet.State) { state, now = st.Seq, max(now, st.Time) })
	at := now
	if m.GetAsOf() != nil {
		var err error
		if at, err = s.past(m.GetAsOf()); err != nil {
			return nil, err
		}
		if err := s.before(ctx, at); err != nil {
			return nil, err
		}
	}
	from := max(0, at.Add(-usual))
	if m.GetSince() != nil {
		var err error
		if from, err = wire.ReadInstant("since", m.GetSince()); err != nil {
			return nil, err
		}
	}
	if from >= at {
		return nil, wire.Wrong("since", "is %s, which is not before the end of the window, %s", clock(from), clock(at))
	}
	err := s.book.Read(ctx, state, func(b *past.Book) {
		fn(b, past.Window{From: int64(from) / 1e6, To: int64(at) / 1e6}, int64(now)/1e6)
	})
	return s.seen(state, at), err
}

func clock(at fleet.Instant) string { return at.Time().Format("2006-01-02 15:04:05Z") }

// Standing says how each part of the fleet fared in a window.
func (s pastService) Standing(ctx context.Context, m *musterv1.StandingRequest) (*musterv1.StandingResponse, error) {
	out := &musterv1.StandingResponse{}
	if err := s.knownNow(named(knownScope, m.GetScope())); err != nil {
		return nil, err
	}
	seen, err := s.ask(ctx, m, month, func(b *past.Book, w past.Window, now int64) {
		for _, h := range b.Health(m.GetScope(), level(m.GetBy(), past.ByPartition), w, now) {
			out.Scopes = append(out.Scopes, wire.ScopeHealth(b, h))
		}
	})
	out.Seen = seen
	return out, err
}

func level(word string, otherwise past.Level) past.Level {
	if word == "" {
		return otherwise
	}
	return past.Level(word)
}

// Repairs says how long repairs took, stage by stage.
func (s pastService) Repairs(ctx context.Context, m *musterv1.RepairsRequest) (*musterv1.RepairsResponse, error) {
	out := &musterv1.RepairsResponse{}
	if err := s.knownNow(named(knownScope, m.GetScope())); err != nil {
		return nil, err
	}
	seen, err := s.ask(ctx, m, month, func(b *past.Book, w past.Window, now int64) {
		out.Window = wire.Window(w)
		for _, r := range b.Repairs(m.GetScope(), level(m.GetBy(), past.ByCluster), true, w, now) {
			out.Repairs = append(out.Repairs, wire.Repair(r))
		}
	})
	out.Seen = seen
	return out, err
}

// Targets says what each cluster attained of its targets.
func (s pastService) Targets(ctx context.Context, m *musterv1.TargetsRequest) (*musterv1.TargetsResponse, error) {
	out := &musterv1.TargetsResponse{}
	if err := s.knownNow(named(knownCluster, m.GetCluster())); err != nil {
		return nil, err
	}
	aims, there, err := s.targetsInForce(ctx, m.GetAsOf())
	if err != nil {
		return nil, err
	}
	seen, err := s.ask(ctx, m, month, func(b *past.Book, w past.Window, now int64) {
		for _, a := range b.Attained(m.GetCluster(), w, now) {
			if m.GetAsOf() != nil && !there(a.Cluster) && a.Installed == 0 {
				continue // it came to the fleet later
			}
			out.Targets = append(out.Targets, wire.Attained(b, a, aims(a.Cluster))...)
		}
	})
	out.Seen = seen
	return out, err
}

// targetsInForce says what a cluster should attain at a moment, and whether it was there then.
func (s *service) targetsInForce(ctx context.Context, asOf *timestamppb.Timestamp) (aims func(cluster string) fleet.Targets, there func(cluster string) bool, err error) {
	of := map[string]fleet.Targets{}
	var others fleet.Targets
	_, err = s.read(ctx, asOf, func(state *fleet.State, _ fleet.Instant) error {
		others = state.TargetsOf("")
		for _, c := range state.Clusters {
			of[c.Name] = state.TargetsOf(c.Name)
		}
		return nil
	})
	there = func(cluster string) bool { _, was := of[cluster]; return was }
	return func(cluster string) fleet.Targets {
		if t, ok := of[cluster]; ok {
			return t
		}
		return others
	}, there, err
}

// Waiting says who waited for what, week by week.
func (s pastService) Waiting(ctx context.Context, m *musterv1.WaitingRequest) (*musterv1.WaitingResponse, error) {
	out := &musterv1.WaitingResponse{}
	if err := s.knownNow(named(knownCluster, m.GetCluster())); err != nil {
		return nil, err
	}
	seen, err := s.ask(ctx, m, fourWeeks, func(b *past.Book, w past.Window, now int64) {
		for _, one := range b.Waiting(m.GetCluster(), m.GetQuota(), w, now) {
			out.Rows = append(out.Rows, &musterv1.WaitedFor{
				Week: wire.Moment(one.Week), Cluster: one.Cluster, Quota: one.Quota, Reason: one.Code, Part: one.Part, GpuHours: past.Hours(one.GPUs),
			})
		}
	})
	if err == nil && len(out.GetRows()) == 0 { // of a quota that is gone the past is still known
		err = s.knownNow(named(knownTarget, m.GetQuota()))
	}
	out.Seen = seen
	return out, err
}

// QuotaUse says what quotas had and used in a window, and their highest usage.
func (s pastService) QuotaUse(ctx context.Context, m *musterv1.QuotaUseRequest) (*musterv1.QuotaUseResponse, error) {
	out := &musterv1.QuotaUseResponse{}
	if err := s.knownNow(named(knownScope, m.GetScope())); err != nil {
		return nil, err
	}
	seen, err := s.ask(ctx, m, quarter, func(b *past.Book, w past.Window, now int64) {
		for _, u := range b.Usage(m.GetQuota(), m.GetScope(), w, now) {
			out.Quotas = append(out.Quotas, &musterv1.QuotaUsed{
				Quota: u.Quota, Partition: u.Partition, Covered: wire.WindowLived(b, u.Covered),
				AssignedGpuHours: past.Hours(u.Assigned), BackedGpuHours: past.Hours(u.Backed), UnbackedGpuHours: past.Hours(u.Unbacked),
				UsedGpuHours: past.Hours(u.Usage), HighestUse: int32(u.Peak),
			})
		}
	})
	if err == nil && len(out.GetQuotas()) == 0 {
		err = s.knownNow(named(knownQuota, m.GetQuota()))
	}
	out.Seen = seen
	return out, err
}
