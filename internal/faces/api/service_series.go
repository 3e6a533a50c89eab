package api

import (
	"context"
	"errors"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// retold is how many records are lived through again for a series; for more of
// them, or of so large a fleet that even finding its state of then takes long, the book's
// means must do.
const retold = 20_000

// QuotaSeries is what a quota, with those under it, had and used, moment by moment.
func (s seriesService) QuotaSeries(ctx context.Context, m *musterv1.QuotaSeriesRequest) (*musterv1.QuotaSeriesResponse, error) {
	from, to, err := s.stretch(ctx, m)
	if err != nil {
		return nil, err
	}
	out := &musterv1.QuotaSeriesResponse{Window: &musterv1.Window{From: wire.Instant(from), To: wire.Instant(to)}}
	first, err := s.engine.SeqAt(ctx, from)
	if err != nil {
		return nil, err
	}
	if out.Seen, err = s.read(ctx, m.GetAsOf(), func(now *fleet.State, _ fleet.Instant) error {
		out.Means = now.Seq > first+retold || large(now)
		if now.Quota(m.GetQuota()) == nil {
			return core.NoQuota(now, m.GetQuota())
		}
		return knownPartition(now, m.GetPartition())
	}); err != nil {
		return nil, err
	}
	points := orElse(m.GetPoints(), 60)
	if out.Means {
		return out, s.means(ctx, m, out, from, to, points)
	}
	state, err := s.engine.StateAt(ctx, from)
	if err != nil {
		return nil, err
	}
	return out, s.retell(ctx, m, out, state, from, to, points)
}

// stretch is the window of a series: never before the log begins.
func (s seriesService) stretch(ctx context.Context, m windowed) (from, to fleet.Instant, err error) {
	s.engine.Look(func(state *fleet.State) { to = max(fleet.InstantOf(s.now()), state.Time) })
	if m.GetAsOf() != nil {
		if to, err = s.past(m.GetAsOf()); err != nil {
			return 0, 0, err
		}
	}
	from = to.Add(-24 * time.Hour)
	if m.GetSince() != nil {
		if from, err = wire.ReadInstant("since", m.GetSince()); err != nil {
			return 0, 0, err
		}
	}
	if from >= to {
		return 0, 0, wire.Wrong("since", "is %s, which is not before the end of the window, %s", clock(from), clock(to))
	}
	err = s.engine.Records(ctx, 0, func(r event.Record) error {
		from = max(from, r.At)
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return min(from, to-1), to, err
}

// retell lives through the window once more, and looks as often as is asked.
func (s seriesService) retell(ctx context.Context, m *musterv1.QuotaSeriesRequest, out *musterv1.QuotaSeriesResponse, state *fleet.State, from, to fleet.Instant, points int) error {
	step, next := max(1, (to-from)/fleet.Instant(points)), from
	look := func(until fleet.Instant) {
		for ; next <= until; next += step {
			out.Series = sampled(out.Series, state, m, next)
		}
	}
	err := s.engine.Records(ctx, state.Seq+1, func(r event.Record) error {
		if r.At > to {
			return errFound
		}
		look(min(r.At-1, to))
		gapsOf(out.GetWindow(), r, from)
		core.ApplyRecord(state, r)
		return nil
	})
	if err != nil && !errors.Is(err, errFound) {
		return err
	}
	look(to)
	return nil
}

// gapsOf notes a time in which no server ran, if a record tells of one.
func gapsOf(w *musterv1.Window, r event.Record, from fleet.Instant) {
	for _, e := range r.Events {
		if e, ok := e.(event.ServerStarted); ok {
			w.Gaps = append(w.Gaps, &musterv1.Window{From: wire.Instant(max(from, e.Since)), To: wire.Instant(r.At)})
		}
	}
}

// sampled adds to each partition's series how things stand.
func sampled(list []*musterv1.QuotaSeries, state *fleet.State, m *musterv1.QuotaSeriesRequest, at fleet.Instant) []*musterv1.QuotaSeries {
	for _, p := range state.Partitions {
		if m.GetPartition() != "" && p.ID != m.GetPartition() {
			continue
		}
		moment, found := &musterv1.QuotaMoment{At: wire.Instant(at)}, false
		for _, q := range view.QuotasAt(p, at) {
			if under(q.Quota, m.GetQuota()) {
				addQuota(moment, q)
				found = true
			}
		}
		if found {
			moment.Flex = int32(onFlex(p, m.GetQuota()))
		}
		i := slices.IndexFunc(list, func(one *musterv1.QuotaSeries) bool { return one.GetPartition() == p.ID })
		if i < 0 && found {
			list, i = append(list, &musterv1.QuotaSeries{Partition: p.ID}), len(list)
		}
		if i >= 0 {
			list[i].Moments = append(list[i].Moments, moment)
		}
	}
	return list
}

func addQuota(m *musterv1.QuotaMoment, q view.Quota) {
	m.Assigned += int32(q.Assigned)
	m.Backed += int32(q.Backed)
	m.Usage += int32(q.Usage)
	m.Scheduled += int32(q.Scheduled)
	m.Borrowed += int32(q.Borrowed)
	m.Over += int32(q.Over)
	m.Lent += int32(q.Lent)
}

// onFlex is what namespaces that hold work of a quota, or of one under it, hold of the
// partition's flex besides.
func onFlex(p *fleet.Partition, quota string) (gpus int) {
	seen := map[string]bool{}
	for _, a := range p.Accounts {
		if !under(a.Quota, quota) {
			continue
		}
		for _, w := range a.Work() {
			if !seen[w.Namespace] {
				seen[w.Namespace] = true
				gpus += p.FlexOf(w.Namespace).Used
			}
		}
	}
	return gpus
}

// means are of whole hours, or of several.
func (s seriesService) means(ctx context.Context, m *musterv1.QuotaSeriesRequest, out *musterv1.QuotaSeriesResponse, from, to fleet.Instant, points int) error {
	step := max(time.Hour, time.Duration(to-from)/time.Duration(points)).Round(time.Hour)
	var windows []past.Window
	for at := from; at < to; at = at.Add(step) {
		windows = append(windows, past.Window{From: int64(at) / 1e6, To: int64(min(to, at.Add(step))) / 1e6})
	}
	return s.book.Read(ctx, out.GetSeen().GetVersion(), func(b *past.Book) {
		out.Window = wire.WindowLived(b, past.Window{From: int64(from) / 1e6, To: int64(to) / 1e6})
		for _, id := range b.QuotaPartitions(m.GetQuota()) {
			if m.GetPartition() != "" && id != m.GetPartition() {
				continue
			}
			series := &musterv1.QuotaSeries{Partition: id}
			for i, mean := range b.QuotaMeans(id, m.GetQuota(), windows, int64(to)/1e6) {
				series.Moments = append(series.Moments, &musterv1.QuotaMoment{
					At: wire.Instant(fleet.Instant(windows[i].From * 1e6)), Assigned: int32(mean.Assigned), Backed: int32(mean.Backed), Usage: int32(mean.Usage),
					Scheduled: int32(min(mean.Usage, mean.Backed)), Borrowed: int32(max(0, mean.Usage-mean.Backed)),
				})
			}
			out.Series = append(out.Series, series)
		}
	})
}

// RepairCurves is how long failed nodes stayed out, cause by cause.
func (s seriesService) RepairCurves(ctx context.Context, m *musterv1.RepairCurvesRequest) (*musterv1.RepairCurvesResponse, error) {
	out, p := &musterv1.RepairCurvesResponse{}, pastService(s)
	if err := p.knownNow(named(knownScope, m.GetScope())); err != nil {
		return nil, err
	}
	seen, err := p.ask(ctx, m, quarter, func(b *past.Book, w past.Window, now int64) {
		out.Window = wire.Window(w)
		for _, c := range b.Survival(m.GetScope(), w, now) {
			curve := &musterv1.RepairCurve{Cause: c.Cause, Failures: int32(c.Failures), Open: int32(c.Open)}
			for _, st := range c.Steps {
				curve.Steps = append(curve.Steps, &musterv1.RepairStep{After: durationpb.New(time.Duration(st.After) * time.Millisecond), Out: st.Out})
			}
			out.Curves = append(out.Curves, curve)
		}
	})
	out.Seen = seen
	return out, err
}
