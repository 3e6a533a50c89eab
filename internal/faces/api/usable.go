package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Usable is what the caller can use now: in each quota that it may target, and on flex.
func (s capacityService) Usable(ctx context.Context, m *musterv1.UsableRequest) (*musterv1.UsableResponse, error) {
	out, actor := &musterv1.UsableResponse{}, callerOf(ctx).actor
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		list, err := partitions(state, m.GetScope())
		for _, p := range list {
			for _, a := range p.Accounts {
				q := state.Quota(a.Quota)
				if m.GetAll() || q != nil && q.Access.Allows(actor.User, actor.Groups, m.GetNamespace()) {
					out.Quotas = append(out.Quotas, usableQuota(view.UsableOf(p, a, actor.User, m.GetNamespace(), at)))
				}
			}
			out.Flex = append(out.Flex, usableFlex(view.UsableFlexOf(p, m.GetNamespace(), at)))
		}
		return err
	})
	out.Seen = seen
	return out, err
}

func usableQuota(u view.Usable) *musterv1.UsableQuota {
	return &musterv1.UsableQuota{
		Quota: u.Quota, Partition: u.Partition, Backed: int32(u.Backed), Usage: int32(u.Usage), Free: int32(u.Free),
		LargestGang: int32(u.LargestGang), Borrow: int32(u.Borrow), Waiting: int32(u.Waiting),
		Next: timestamp(u.Next.At), NextWhat: u.Next.What, HeldForYou: int32(u.HeldForYou), Held: int32(u.Held),
		IslandNodes: int32s(u.IslandNodes), GpusPerNode: int32(u.GPUsPerNode),
	}
}

func int32s(list []int) []int32 {
	out := make([]int32, len(list))
	for i, n := range list {
		out[i] = int32(n)
	}
	return out
}

func usableFlex(u view.UsableFlex) *musterv1.UsableFlex {
	return &musterv1.UsableFlex{
		Partition: u.Partition, Flex: int32(u.Flex), Free: int32(u.Free), LargestGang: int32(u.LargestGang),
		Holds: int32(u.Holds), Share: int32(u.Share), Waiting: int32(u.Waiting), Callable: int32(u.Callable),
		Next: timestamp(u.Next.At), NextWhat: u.Next.What,
		IslandNodes: int32s(u.IslandNodes), GpusPerNode: int32(u.GPUsPerNode),
	}
}
