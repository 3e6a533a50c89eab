package haircut

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file says beside each cut what was asked: the quota's part of all that is to be cut
// in the partition, in proportion to its grant. What is cut differs from it, since nodes are
// cut whole, what no workload uses goes first, and gangs are kept. It decides nothing.

// asked notes with each cut what was asked, and why it differs; and the quotas that keep
// all they have, though they were asked. The cuts are those of some of the rows, in the same order.
func asked(part *fleet.CutPart, rows []*row, basis fleet.Basis, n nodes) {
	grants := grantsOf(rows)
	wanted := wantedCut(part, grants, basis, n)
	if len(part.Cuts) == 0 || wanted <= 0 {
		return
	}
	next := 0 // the cut that is looked for
	for i, gpus := range Apportion(grants, wanted) {
		r := rows[i]
		switch {
		case next < len(part.Cuts) && part.Cuts[next].Quota == r.account.Quota:
			c := &part.Cuts[next]
			c.Asked, c.Why = gpus, r.why(c.GPUs()-gpus, rows)
			next++
		case gpus > 0:
			part.Spared = append(part.Spared, r.spared(gpus, rows))
		}
	}
}

// grantsOf lists the grants of rows, in GPUs.
func grantsOf(rows []*row) []int {
	grants := make([]int, len(rows))
	for i, r := range rows {
		grants[i] = r.account.Grant
	}
	return grants
}

// wantedCut is how many GPUs are to be cut in the partition. By the basis quota every grant falls
// to its share of what the policy allows; else assigned falls to sustainable.
func wantedCut(part *fleet.CutPart, grants []int, basis fleet.Basis, n nodes) int {
	if basis != fleet.BasisQuota {
		return part.Assigned - part.Sustainable
	}
	total := 0
	for _, gpus := range grants {
		total += gpus
	}
	return total - total*n.allowed/max(1, n.installed*1000)
}

// spared is a quota that keeps all it has, and was asked for so many GPUs.
func (r *row) spared(gpus int, rows []*row) fleet.Cut {
	a := r.account
	return fleet.Cut{Quota: a.Quota, Was: a.Grant, Now: a.Grant, Usage: a.Usage(), Gang: a.Gang, GangNow: a.Gang, Asked: gpus, Why: r.why(-gpus, rows)}
}

// why says why a row is cut by so many GPUs more than was asked; fewer: negative. A difference
// of less than one node is rounding. The others are among the rows.
func (r *row) why(more int, rows []*row) fleet.CutWhy {
	node := r.gpusPerNode()
	switch {
	case more == 0:
		return ""
	case more < node && -more < node:
		return fleet.CutWholeNodes
	case more < 0 && r.gangKeeps():
		return fleet.CutGangKept
	case more < 0:
		return fleet.CutInUse
	case r.cut[rest] > 0 || !r.moreUnused(rows):
		return fleet.CutForOthers
	}
	return fleet.CutUnused
}

// gangKeeps says whether the declared gang keeps from the cut what it would take otherwise: all that
// is left, or a part that no work uses.
func (r *row) gangKeeps() bool {
	return r.gang > 0 && r.grant-r.taken() <= r.gang || r.left(unscheduled, true) < r.left(unscheduled, false)
}

// moreUnused says whether more of the row is unused than of all rows together: above usage, or with
// what idle jobs hold.
func (r *row) moreUnused(rows []*row) bool {
	var all row
	for _, o := range rows {
		all.grant += o.grant
		all.has[unscheduled] += o.has[unscheduled]
		all.has[idle] += o.has[idle]
	}
	more := func(own, of int) bool { return own*all.grant > of*r.grant }
	return more(r.has[unscheduled], all.has[unscheduled]) ||
		more(r.has[unscheduled]+r.has[idle], all.has[unscheduled]+all.has[idle])
}

// gpusPerNode is the GPUs of one node, as the row's own figures say; 1 where the grant fills no node.
func (r *row) gpusPerNode() int {
	if r.grant == 0 {
		return 1
	}
	return max(1, (r.account.Grant-r.extra)/r.grant)
}
