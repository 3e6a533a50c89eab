package oracle

import (
	"slices"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of §7: an explanation is true.
var reasonLaws = []Law{
	{"has-a-reason", "every pending workload has a reason (§10.8)", hasReason},
	{"reason-is-true", "the reason of a pending workload is true (§7, §10.8)", trueReason},
}

func hasReason(m Moment) (list []string) {
	for _, j := range m.After.Jobs {
		if j.State == fleet.Pending && len(j.Units) == 0 && len(j.Why) == 0 {
			list = append(list, j.Name+" is pending for no reason")
		}
	}
	return list
}

func trueReason(m Moment) []string {
	var s said
	for _, j := range m.After.Jobs {
		if j.State != fleet.Pending || len(j.Units) > 0 || len(j.Why) == 0 {
			continue
		}
		why := j.Why[0]
		p := m.After.Part(why.Partition)
		if p == nil || p.mending(func(*Job) bool { return true }) {
			continue
		}
		if wrong := m.untrue(p, j, why); wrong != "" {
			s.add("%s waits: %s; but %s", j.Name, why.Code, wrong)
		}
	}
	return s
}

// untrue says what of a claim is not so; "": nothing that can be seen from outside.
func (m Moment) untrue(p *Part, j *Job, why explain.Blocker) string {
	need := Sum(Base(j))
	switch why.Code {
	case reason.ClusterNotReady:
		if !p.Stale {
			return "its reports are fresh"
		}
	case reason.GangTooLarge:
		if m.After.everHeld(j) {
			return "an island of a partition that it may use is large enough"
		}
	case reason.QuotaFull, reason.TreeFull:
		if q := p.Quota(j.Target); q != nil && !q.Held {
			use := 0
			for _, u := range p.Units {
				if u.Job.Target == j.Target {
					use += u.GPUs()
				}
			}
			if use+need <= q.Backed()*p.PerNode && p.Cluster(q.Backing, nil).Fits(Base(j)) {
				return "its quota uses so little of its backing that it fits in number"
			}
		}
	case reason.QuotaUnbacked:
		if q := p.Quota(j.Target); q != nil && q.Backed()*p.PerNode == q.Grant && !q.Unbacked && p.Cluster(q.Backing, nil).Fits(Base(j)) {
			return "all of the grant is backed, and it fits the backing"
		}
	case reason.Fragmented:
		if free := p.free(p.of(Unit.Stays)); j.Flexes() && free < need {
			return "there are fewer GPUs free than it needs"
		}
	case reason.FlexFull:
		if free := p.free(p.Units); free >= need && p.lonely(j) {
			return "as many GPUs are free as it needs"
		}
	case reason.FlexShare:
		used := 0 // with what is reserved where others still leave
		for _, u := range p.Units {
			if u.Job.Flexes() && u.Job.Space == j.Space {
				used += u.GPUs()
			}
		}
		if _, share := p.space(j.Space); used+need <= share {
			return "its namespace holds less than its share, with it no more"
		}
	case reason.Resting:
		if !j.spares(m.After.At) {
			return "it was not evicted twice within the last hour"
		}
	case reason.DoesNotFit:
		return p.couldFit(j, why)
	case reason.Behind:
		return m.notBehind(p, j, why)
	}
	return ""
}

// free is the GPUs of usable nodes beside some units.
func (p *Part) free(units []Unit) int {
	t := 0
	for _, s := range p.open(units, nil).Slots {
		t += s.Free
	}
	return t
}

// lonely says whether one replica of the workload would fit on every free GPU, so
// that a count of GPUs is all that matters.
func (p *Part) lonely(j *Job) bool {
	return !slices.ContainsFunc(j.Pools, func(pool fleet.Pool) bool { return pool.GPUs > 1 || pool.Reach != fleet.ReachAny && pool.Min > 1 })
}

// everHeld says whether some partition's islands, all their nodes installed and
// whole, hold the lowest-rank pools.
func (ph *Photo) everHeld(j *Job) bool {
	for _, p := range ph.Parts {
		if j.Want != "" && j.Want != p.ID || !j.Flexes() && p.Quota(j.Target) == nil {
			continue
		}
		whole := *p
		whole.Nodes = slices.Clone(p.Nodes)
		for i := range whole.Nodes {
			whole.Nodes[i].State, whole.Nodes[i].Dead = fleet.Healthy, 0
		}
		if whole.open(nil, nil).Fits(byGPUs(Base(j))) && (j.Flexes() || Sum(Base(j)) <= p.Quota(j.Target).Grant) {
			return true
		}
	}
	return false
}

// notBehind says why no workload that is named is ahead.
func (m Moment) notBehind(p *Part, j *Job, why explain.Blocker) string {
	if len(why.Culprits) == 0 {
		return "no workload is named"
	}
	for _, name := range why.Culprits {
		for _, k := range m.After.Jobs {
			rank, waits := p.waits(k)
			if k.Space+"/"+k.Name != name {
				continue
			}
			leaving := slices.ContainsFunc(k.Units, func(u Unit) bool { return !u.Stays() })
			if k == j || !waits && !leaving && k.State != fleet.Starting {
				return name + ", who is named, does not wait"
			}
			if !j.Flexes() && k.Tree != j.Tree || j.Flexes() != k.Flexes() {
				return name + ", who is named, is in another queue"
			}
			if !j.Flexes() && k.Target == j.Target && waits && !Ahead(k, rank, j, j.Base()) {
				return name + ", who is named, comes after it"
			}
		}
	}
	return ""
}
