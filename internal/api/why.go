package api

import (
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/explain"
	"github.com/muster-fleet/muster/internal/fleet"
)

// blockers is what keeps a workload from running, in order; none where nothing does.
func blockers(s *fleet.State, w *fleet.Workload, now fleet.Instant) []*musterv1.Blocker {
	list := explain.Why(s, w, now)
	out := make([]*musterv1.Blocker, len(list))
	for i, b := range list {
		out[i] = &musterv1.Blocker{
			Code: string(b.Code), Class: string(b.Class), Partition: b.Partition, Text: b.Text,
			Figures: make(map[string]int64, len(b.Figures)), Culprits: slices.Clone(b.Culprits), Since: timestamp(b.Since),
		}
		for name, n := range b.Figures {
			out[i].Figures[name] = int64(n)
		}
	}
	return out
}
