package api

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// ShadowHistory compares what Muster would have decided in a cluster with what
// happened. What would have been decided needs no record of its own: it follows
// from the state of each moment, and the log has them all.
func (s haircutService) ShadowHistory(ctx context.Context, m *musterv1.ShadowHistoryRequest) (*musterv1.ShadowHistoryResponse, error) {
	now := fleet.InstantOf(s.now())
	since := now.Add(-24 * time.Hour)
	if m.GetSince() != nil {
		at, err := s.past(m.GetSince())
		if err != nil {
			return nil, err
		}
		since = at
	}
	state, err := s.engine.StateAt(ctx, since)
	if err != nil {
		return nil, err
	}
	h := newShadowPast(state, m.GetCluster(), since, now)
	h.sees = callerOf(ctx).sees
	if err := s.engine.Records(ctx, state.Seq+1, h.hear); err != nil && !errors.Is(err, errFound) {
		return nil, err
	}
	h.look(now, true)
	if state.Cluster(m.GetCluster()) == nil {
		return nil, core.NoCluster(state, m.GetCluster())
	}
	return h.answer(), nil
}

// The moments at which the past is asked what would be decided: so many at most,
// and no closer than this.
const (
	shadowLooks   = 200
	shadowLeast   = time.Minute
	shadowMention = 1000 // decisions in one answer
)

// shadowPast goes through the log and asks now and then what would be decided.
type shadowPast struct {
	state      *fleet.State
	cluster    string
	since, now fleet.Instant
	step       time.Duration
	next       fleet.Instant // when to ask again
	looks      int
	sees       func(*fleet.State, *fleet.Workload) bool // whether the one who asks may read a workload; nil: all
	cases      []*musterv1.ShadowCase                   // in the order in which they would have been decided
	open       map[shadowKey]*musterv1.ShadowCase
}

// shadowKey is one thing that would happen to a workload.
type shadowKey struct {
	id   uint64
	what string
}

// What would happen to a workload.
const (
	wouldStart = "start"
	wouldLeave = "leave"
)

func newShadowPast(state *fleet.State, cluster string, since, now fleet.Instant) *shadowPast {
	step := max(shadowLeast, now.Sub(since)/shadowLooks)
	return &shadowPast{state: state, cluster: cluster, since: since, now: now, step: step, next: since, open: map[shadowKey]*musterv1.ShadowCase{}}
}

// hear takes the next record: first what stood before it, then what it did.
func (h *shadowPast) hear(r event.Record) error {
	if r.At > h.now {
		return errFound
	}
	if last := h.changesMode(r); last || h.next < r.At {
		h.look(r.At-1, last)
	}
	for _, e := range r.Events {
		h.happened(r.At, e)
	}
	core.ApplyRecord(h.state, r)
	return nil
}

// changesMode says whether a record sets how far Muster acts on the cluster: what
// would have been decided until then is asked once more.
func (h *shadowPast) changesMode(r event.Record) bool {
	return slices.ContainsFunc(r.Events, func(e event.Event) bool {
		m, ok := e.(event.ClusterModeSet)
		return ok && m.Cluster == h.cluster
	})
}

// look asks at the moment that is due, and again at the last one before at, which
// it does not leave out where it must: by time alone little changes between records.
func (h *shadowPast) look(at fleet.Instant, must bool) {
	if h.next < at {
		h.ask(h.next)
	}
	if must || h.next <= at {
		h.ask(max(at, h.state.Time))
	}
}

func (h *shadowPast) ask(at fleet.Instant) {
	h.next = at.Add(h.step)
	c := h.state.Cluster(h.cluster)
	if c == nil || c.Mode == fleet.Enforce {
		return
	}
	h.looks++
	for _, e := range core.ShadowOf(h.state, h.cluster, at) {
		h.would(at, e)
	}
}

// would notes what would have been decided, the first time.
func (h *shadowPast) would(at fleet.Instant, e event.Event) {
	switch e := e.(type) {
	case event.ReplicasPlaced:
		if w := h.state.Workloads[e.ID]; w != nil && w.State == fleet.Pending {
			h.note(at, shadowKey{e.ID, wouldStart}, e.Holds.String(), e.Partition)
		}
	case event.ReplicasEvicted:
		if e.Whole {
			h.note(at, shadowKey{e.ID, wouldLeave}, e.Class, "")
		}
	}
}

func (h *shadowPast) note(at fleet.Instant, key shadowKey, how, partition string) {
	w := h.state.Workloads[key.id]
	if h.open[key] != nil || w == nil || len(h.cases) == shadowMention {
		return
	}
	name := w.Namespace + "/" + w.Name
	if h.sees != nil && !h.sees(h.state, w) {
		name = text.OfOthers(1)
	}
	c := &musterv1.ShadowCase{
		Workload: name, Would: key.what, At: wire.Instant(at), How: how, Partition: cmp.Or(partition, w.Where), Gpus: int32(w.NeedsBase()),
	}
	h.cases, h.open[key] = append(h.cases, c), c
}

// happened closes cases by what really was decided.
func (h *shadowPast) happened(at fleet.Instant, e event.Event) {
	switch e := e.(type) {
	case event.ReplicasPlaced:
		h.close(at, shadowKey{e.ID, wouldStart}, "started in "+e.Partition)
	case event.ReplicasObserved: // on a cluster that is only watched, others start it
		if len(e.Spots) > 0 {
			h.close(at, shadowKey{e.ID, wouldStart}, "started in "+e.Partition)
		}
	case event.ReplicasEvicted:
		if e.Whole {
			h.close(at, shadowKey{e.ID, wouldLeave}, "was evicted")
		}
	case event.WorkloadCancelled:
		h.ended(at, e.ID, "was cancelled")
	case event.WorkloadFinished:
		h.ended(at, e.ID, "ended")
	}
}

func (h *shadowPast) ended(at fleet.Instant, id uint64, how string) {
	h.close(at, shadowKey{id, wouldStart}, how)
	h.close(at, shadowKey{id, wouldLeave}, how)
}

func (h *shadowPast) close(at fleet.Instant, key shadowKey, how string) {
	if c := h.open[key]; c != nil {
		c.Happened, c.HappenedAt = how, wire.Instant(at)
		delete(h.open, key)
	}
}

// answer says of what is still open how it stands.
func (h *shadowPast) answer() *musterv1.ShadowHistoryResponse {
	for key, c := range h.open { // each by itself: the order does not matter
		c.Happened = map[string]string{wouldStart: "still waits", wouldLeave: "still runs"}[key.what]
	}
	slices.SortStableFunc(h.cases, func(a, b *musterv1.ShadowCase) int { return a.GetAt().AsTime().Compare(b.GetAt().AsTime()) })
	return &musterv1.ShadowHistoryResponse{
		Seen: &musterv1.Seen{Version: h.state.Seq, At: wire.Instant(h.now)}, Mode: string(h.state.Cluster(h.cluster).Mode),
		Since: wire.Instant(h.since), Looks: int32(h.looks), Every: durationpb.New(h.step), Cases: h.cases, Cut: len(h.cases) == shadowMention,
	}
}
