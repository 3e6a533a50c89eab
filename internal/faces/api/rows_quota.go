package api

import (
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file turns quotas into messages.

// quotas are the chosen quotas in order of path, each with what it has in the
// chosen partition, or in all.
func quotas(s *fleet.State, at fleet.Instant, partition string, choose func(path string) bool) []*musterv1.Quota {
	var list []*musterv1.Quota
	by := map[string]*musterv1.Quota{}
	for _, q := range s.Quotas {
		if choose(q.Path) {
			by[q.Path] = &musterv1.Quota{Path: q.Path, Access: accessOf(q.Access), Owner: q.Owner}
			list = append(list, by[q.Path])
		}
	}
	for _, row := range view.EveryQuota(s, at) {
		if q := by[row.Quota]; q != nil && (partition == "" || partition == row.Partition) {
			q.Grants = append(q.Grants, grant(row))
		}
	}
	for _, h := range s.Holds {
		if q := by[h.Quota]; q != nil && (partition == "" || partition == h.Partition) {
			q.Holds = append(q.Holds, hold(s, h))
		}
	}
	return list
}

func accessOf(a fleet.Access) *musterv1.Access {
	return &musterv1.Access{Users: slices.Clone(a.Users), Groups: slices.Clone(a.Groups), Namespaces: slices.Clone(a.Namespaces)}
}

func hold(s *fleet.State, h *fleet.Hold) *musterv1.Hold {
	m := &musterv1.Hold{
		Id: h.ID, Quota: h.Quota, Partition: h.Partition, Gpus: int32(h.GPUs), Until: timestamp(h.Until), User: h.User, Namespace: h.Namespace,
	}
	if a := s.Partition(h.Partition).Account(h.Quota); a != nil && h.Inside() {
		m.Used = int32(a.UsedOf(h))
	}
	return m
}

func grant(q view.Quota) *musterv1.Grant {
	out := &musterv1.Grant{
		Partition: q.Partition, Assigned: int32(q.Assigned), Gang: int32(q.Gang),
		Backed: int32(q.Backed), Unbacked: int32(q.Unbacked), Usage: int32(q.Usage),
		Guaranteed: int32(q.Guaranteed), Borrowing: int32(q.Borrowing), Unprotected: int32(q.Unprotected),
		Scheduled: int32(q.Scheduled), Unscheduled: int32(q.Unscheduled),
		Borrowed: int32(q.Borrowed), Lent: int32(q.Lent), Over: int32(q.Over),
		Islands: make(map[string]int32, len(q.Islands)), Flags: q.Flags,
		GangMissing: int32(q.GangMissing), GangIsland: q.GangIsland, Stale: q.Stale, Idle: int32(q.Idle),
	}
	for name, gpus := range q.Islands {
		out.Islands[name] = int32(gpus)
	}
	return out
}
