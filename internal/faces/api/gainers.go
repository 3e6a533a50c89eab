package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// withGainers adds to the refusal of an undo for which there is no room which quotas were granted that room, or have it
// held, since the wave.
func (s haircutService) withGainers(ctx context.Context, m *musterv1.UndoHaircutRequest, err error) error {
	var refusal *core.Refusal
	if !errors.As(err, &refusal) || refusal.Code != core.Overpromise {
		return err
	}
	var since fleet.Instant
	in := map[string]bool{}
	s.engine.Read(func(state *fleet.State) { since, in = lastWave(state.Haircut(m.GetName()), m.GetCluster()) })
	if list := s.gainers(ctx, since, in); len(list) > 0 {
		refusal.Message += ". Since then GPUs went to " + text.Few(list, mostConcerned)
	}
	return refusal
}

// lastWave is when the wave over a cluster, or over any, was applied that an undo takes back, and its partitions.
func lastWave(h *fleet.Haircut, cluster string) (at fleet.Instant, in map[string]bool) {
	in = map[string]bool{}
	if h == nil {
		return 0, in
	}
	for _, w := range h.Waves {
		if !w.Done() || w.Applied < at || cluster != "" && cluster != w.Cluster {
			continue
		}
		at = w.Applied
		clear(in)
		for _, part := range w.Parts {
			in[part.Partition] = true
		}
	}
	return at, in
}

// gainers are the quotas that have got more in some partitions since a moment, largest first, with how much.
func (s haircutService) gainers(ctx context.Context, since fleet.Instant, in map[string]bool) (list []string) {
	until, err := s.until(nil)
	if err != nil {
		return nil // there is only less to say
	}
	changes, _, err := s.history.ask(ctx, s.engine, &musterv1.HistoryRequest{Limit: 10_000}, until)
	if err != nil {
		return nil
	}
	got := map[string]int{}
	for _, c := range changes {
		people := c.GetKind() == "grant.set" || c.GetKind() == "grant.transferred" || c.GetKind() == "hold.placed"
		if people && in[c.GetPartition()] && fleet.InstantOf(c.GetAt().AsTime()) > since {
			got[c.GetQuota()] += int(c.GetGpus() - c.GetWas())
		}
	}
	quotas := slices.SortedFunc(maps.Keys(got), func(a, b string) int { return cmp.Or(cmp.Compare(got[b], got[a]), cmp.Compare(a, b)) })
	for _, q := range quotas {
		if got[q] > 0 {
			list = append(list, fmt.Sprintf("%s (%s)", q, text.Count(got[q], "GPU")))
		}
	}
	return list
}
