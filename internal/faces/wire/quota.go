package wire

import (
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Quotas are the chosen quotas in order of path, each with what it has in the
// chosen partition, or in all; rows are what view.EveryQuota answered of the state. signIn is
// whether callers sign in.
func Quotas(s *fleet.State, rows []view.Quota, partition string, signIn bool, choose func(path string) bool) []*musterv1.Quota {
	var list []*musterv1.Quota
	by := map[string]*musterv1.Quota{}
	for _, q := range s.Quotas {
		if choose(q.Path) {
			by[q.Path] = &musterv1.Quota{Path: q.Path, Access: Access(q.Access), Owner: q.Owner, Open: q.Access.Open(signIn), Closed: q.Access.Closed(signIn)}
			list = append(list, by[q.Path])
		}
	}
	for _, row := range rows {
		if q := by[row.Quota]; q != nil && (partition == "" || partition == row.Partition) {
			q.Grants = append(q.Grants, grant(row, s.Partition(row.Partition)))
		}
	}
	for _, h := range s.Holds {
		if q := by[h.Quota]; q != nil && (partition == "" || partition == h.Partition) {
			q.Holds = append(q.Holds, hold(s, h))
		}
	}
	return list
}

// Access is an access list.
func Access(a fleet.Access) *musterv1.Access {
	return &musterv1.Access{Users: slices.Clone(a.Users), Groups: slices.Clone(a.Groups), Namespaces: slices.Clone(a.Namespaces)}
}

func hold(s *fleet.State, h *fleet.Hold) *musterv1.Hold {
	m := &musterv1.Hold{
		Id: h.ID, Quota: h.Quota, Partition: h.Partition, Gpus: int32(h.GPUs), Until: Instant(h.Until), User: h.User, Namespace: h.Namespace,
		Workload: h.Work,
	}
	if a := s.Partition(h.Partition).Account(h.Quota); a != nil && h.Inside() {
		m.Used = int32(a.UsedOf(h))
	}
	return m
}

// NotWholeNodes is the flag of a grant of which a part fills no whole node: nothing can back that part.
const NotWholeNodes = "NotWholeNodes"

func grant(q view.Quota, p *fleet.Partition) *musterv1.Grant {
	out := &musterv1.Grant{
		Partition: q.Partition, Assigned: int32(q.Assigned), Gang: int32(q.Gang),
		Backed: int32(q.Backed), Unbacked: int32(q.Unbacked), Usage: int32(q.Usage),
		Guaranteed: int32(q.Guaranteed), Borrowing: int32(q.Borrowing), Unprotected: int32(q.Unprotected),
		Scheduled: int32(q.Scheduled), Unscheduled: int32(q.Unscheduled),
		Borrowed: int32(q.Borrowed), Lent: int32(q.Lent), Over: int32(q.Over),
		Islands: make(map[string]int32, len(q.Islands)), Flags: slices.Clone(q.Flags),
		GangMissing: int32(q.GangMissing), GangIsland: q.GangIsland, Stale: q.Stale, Idle: int32(q.Idle), Measured: int32(q.Measured),
		LargestGang: int32(q.LargestGang), LargestPiece: int32(q.LargestPiece),
	}
	if q.Assigned != p.InWholeNodes(q.Assigned) {
		out.Flags = append(out.Flags, NotWholeNodes)
	}
	if t := q.Ends; t.GPUs > 0 {
		out.Temporary = &musterv1.TemporaryGrant{Gpus: int32(t.GPUs), Until: Instant(t.Until), Gang: int32(t.Gang), By: t.By, Reason: t.Reason}
	}
	for name, gpus := range q.Islands {
		out.Islands[name] = int32(gpus)
	}
	return out
}

// QuotaRequest is a request for quota; an open one says where the GPUs might come from.
func QuotaRequest(s *fleet.State, r *fleet.QuotaRequest, now fleet.Instant) *musterv1.QuotaRequest {
	m := &musterv1.QuotaRequest{
		Id: r.ID, Quota: r.Quota, Partition: r.Partition, Gpus: int32(r.GPUs), By: r.By, At: Instant(r.At), Reason: r.Reason,
		Until: Instant(r.Until), State: string(r.State), Answered: Instant(r.Answered), AnsweredBy: r.AnsweredBy, Answer: r.Answer,
	}
	if a := r.Access; a != nil {
		m.Access = &musterv1.Access{Users: a.Users, Groups: a.Groups, Namespaces: a.Namespaces}
	}
	for _, o := range r.Offers {
		m.Offers = append(m.Offers, &musterv1.QuotaOffer{From: o.From, Gpus: int32(o.GPUs), By: o.By, At: Instant(o.At)})
	}
	if p := s.Partition(r.Partition); p != nil && r.State == fleet.RequestOpen {
		m.Chances = chances(view.ChancesOf(s, p, r.Quota, now))
	}
	return m
}

func chances(c view.Chances) *musterv1.Chances {
	m := &musterv1.Chances{Unallocated: int32(c.Unallocated), Flex: int32(c.Flex), FlexFree: int32(c.FlexFree)}
	for _, g := range c.Givers {
		m.Givers = append(m.Givers, &musterv1.Giver{Quota: g.Quota, Owner: g.Owner, Spare: int32(g.Spare), Highest: int32(g.Highest), Grant: int32(g.Grant)})
	}
	return m
}
