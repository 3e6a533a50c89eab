package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Usable is what the caller can use now: in each quota that it may target, and on flex. What flex is for a namespace
// whose work the caller may not read is told as for one that has none.
func (s capacityService) Usable(ctx context.Context, m *musterv1.UsableRequest) (*musterv1.UsableResponse, error) {
	out, c := &musterv1.UsableResponse{}, callerOf(ctx)
	seen, err := s.study(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		list, err := partitions(state, m.GetScope())
		if err != nil {
			return err
		}
		by := view.Reader{User: c.actor.User, Namespace: m.GetNamespace(), Sees: c.reads(state)}
		for _, p := range list {
			for _, a := range p.Accounts {
				q := state.Quota(a.Quota)
				if a.Ending {
					continue // none of its work may start there
				}
				if m.GetAll() || q != nil && c.targets(state, q, m.GetNamespace(), at) {
					out.Quotas = append(out.Quotas, wire.UsableQuota(view.UsableOf(p, a, by, at), q, s.signsIn(c)))
				}
			}
			flex := by
			if !c.seesNamespace(p.Cluster)(by.Namespace) {
				flex.Namespace = ""
			}
			out.Flex = append(out.Flex, wire.UsableFlex(view.UsableFlexOf(p, flex, at)))
		}
		return nil
	})
	out.Seen = seen
	return out, err
}
