package haircut

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file says beside each cut what was asked: the quota's part of all that is to be cut
// in the partition, in proportion to its grant. What is cut differs from it, since nodes are
// cut whole, what no workload uses goes first, and gangs are kept. It decides nothing.

// asked notes with each cut what was asked, and why it differs; and the quotas that keep
// all they have, though they were asked.
func asked(part *fleet.CutPart, rows []*row, basis fleet.Basis, n nodes) {
	sizes, total := make([]int, len(rows)), 0
	for i, r := range rows {
		sizes[i] = r.account.Grant
		total += sizes[i]
	}
	wanted := max(0, part.Assigned-part.Sustainable)
	if basis == fleet.BasisQuota {
		wanted = total - total*n.allowed/max(1, n.installed*1000)
	}
	if len(part.Cuts) == 0 || wanted <= 0 {
		return
	}
	at := 0
	for i, gpus := range Apportion(sizes, wanted) {
		r := rows[i]
		if at < len(part.Cuts) && part.Cuts[at].Quota == r.account.Quota {
			c := &part.Cuts[at]
			c.Asked, c.Why = gpus, r.why(c.GPUs()-gpus)
			at++
		} else if gpus > 0 {
			a := r.account
			part.Spared = append(part.Spared, fleet.Cut{Quota: a.Quota, Was: a.Grant, Now: a.Grant, Usage: a.Usage(), Gang: a.Gang, GangNow: a.Gang, Asked: gpus, Why: r.why(-gpus)})
		}
	}
}

// why says why a row is cut by so many GPUs more than was asked; fewer: negative.
func (r *row) why(more int) fleet.CutWhy {
	per := 1
	if r.grant > 0 {
		per = max(1, (r.account.Grant-r.extra)/r.grant)
	}
	switch {
	case more == 0:
		return ""
	case more < per && -more < per:
		return fleet.CutWholeNodes
	case more < 0 && r.gang > 0 && r.grant-r.taken() <= r.gang:
		return fleet.CutGangKept
	case more < 0:
		return fleet.CutInUse
	case r.cut[rest] > 0:
		return fleet.CutForOthers
	}
	return fleet.CutUnused
}
