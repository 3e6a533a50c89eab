package invariant

import (
	"maps"
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tally counts the partition's GPUs by what they do, as semantics §1 words it:
// a GPU both held and reserved counts once, for its in-quota holder until that
// has left, else for the reservation.
func (c *checker) tally(r *recount) {
	var want fleet.Tally
	for i, n := range r.p.Nodes {
		t := takesOf(r.on[i])
		want.Installed += n.GPUs
		usable := n.State == fleet.Healthy || n.State == fleet.Probation || n.State == fleet.Degraded
		if n.State == fleet.Healthy {
			want.Healthy += n.GPUs
		}
		if usable {
			want.Usable += n.GPUs - n.Dead
			want.Room += n.Room()
		}
		in := once(t.inHeld, t.inReserved, n.Good())
		want.InQuota += in
		if usable {
			want.FlexUsed += onFlex(t, n.Good(), in)
		} else {
			want.Stranded += t.held
			want.StrandedQ += in
		}
	}
	if got := r.p.Tally(); got != want {
		c.broken(ruleIndex, "tally %+v, recounted %+v", got, want)
	}
}

// once counts GPUs that are held and GPUs that are reserved, where a reservation
// may name GPUs that are held already: never more than there are.
func once(held, reserved, there int) int {
	return held + min(reserved, max(0, there-held))
}

// onFlex counts what flex work holds or has reserved once, where no in-quota
// work has reserved it: of what in-quota work leaves, and of what is held anyway.
func onFlex(t takes, good, inQuota int) int {
	there := max(good, t.inHeld+t.flexHeld)
	return min(t.flexHeld+t.flexReserved, max(0, there-inQuota))
}

func (c *checker) accounts(r *recount) {
	for _, a := range r.p.Accounts {
		stays, loose := r.staying(a.Quota)
		c.equal(ruleIndex, "GPUs staying of ", a.Quota, a.Stays(), stays)
		c.equal(ruleIndex, "replicas not guaranteed of ", a.Quota, a.Loose(), loose)
		c.equal(ruleIndex, "usage of ", a.Quota, a.Usage(), r.usage(a.Quota))
		touched := r.touched(a.Quota)
		for i, island := range r.p.Islands {
			c.equal(ruleIndex, "nodes of ", island.Name+" touched by "+a.Quota, a.Touched(i), touched[i])
		}
		c.same("work of "+a.Quota+" in its order", a.Work(), r.workOf(a.Quota))
		if r.p.Account(a.Quota) != a {
			c.broken(ruleIndex, "the account of %s is not found by its name", a.Quota)
		}
	}
}

// staying is what a quota's replicas hold or have reserved and do not leave, in
// GPUs, and how many of these replicas are not guaranteed.
func (r *recount) staying(quota string) (gpus, loose int) {
	for _, seats := range r.on {
		for _, x := range seats {
			if x.w.Target != quota || x.phase == fleet.Leaving {
				continue
			}
			gpus += x.gpus()
			if x.holds != fleet.HoldsGuaranteed {
				loose++
			}
		}
	}
	return gpus, loose
}

// touched counts, by island, the nodes that are a quota's own.
func (r *recount) touched(quota string) []int {
	count := make([]int, len(r.p.Islands))
	for i, n := range r.p.Nodes {
		if owner(r.on[i]) == quota {
			count[n.Island]++
		}
	}
	return count
}

// workOf lists a quota's work in the order of its keys.
func (r *recount) workOf(quota string) []*fleet.Workload {
	var work []*fleet.Workload
	for _, w := range r.work {
		if w.Target == quota {
			work = append(work, w)
		}
	}
	sort.SliceStable(work, func(i, j int) bool {
		return fleet.KeyOf(work[i], work[i].BaseRank(), false).Before(fleet.KeyOf(work[j], work[j].BaseRank(), false))
	})
	return work
}

// usage is what a quota holds or has reserved, each GPU once.
func (r *recount) usage(quota string) int {
	usage := 0
	for i, n := range r.p.Nodes {
		held, all, reserved := 0, 0, 0
		for _, x := range r.on[i] {
			switch {
			case x.w.Flexes():
			case x.phase == fleet.Reserved:
				reserved += x.gpus()
			default:
				all += x.gpus()
				if x.w.Target == quota {
					held += x.gpus()
				}
			}
		}
		usage += held
		if owner(r.on[i]) == quota {
			usage += once(all, reserved, n.Good()) - all
		}
	}
	return usage
}

func (c *checker) namespaces(r *recount) {
	staying, held := map[string]int{}, map[string]int{}
	var flex []*fleet.Workload
	for _, w := range r.work {
		if !w.Flexes() {
			continue
		}
		flex = append(flex, w)
		held[w.Namespace] += w.GPUs()
		for i := range w.Pools {
			for _, replica := range w.Replicas[i] {
				if replica.Phase != fleet.Leaving && r.p.Nodes[replica.Node].State.Usable() {
					staying[w.Namespace] += w.Pools[i].GPUs
				}
			}
		}
	}
	c.same("flex work", r.p.FlexWork(), flex)
	for _, ns := range r.p.Namespaces() {
		c.equal(ruleIndex, "GPUs staying of namespace ", ns, r.p.FlexOf(ns).Staying, staying[ns])
		c.atMost(ruleIndex, "flex used by namespace ", ns+" of all it holds or has reserved", r.p.FlexOf(ns).Used, held[ns])
	}
	for _, ns := range slices.Sorted(maps.Keys(staying)) {
		c.equal(ruleIndex, "GPUs staying of namespace ", ns, r.p.FlexOf(ns).Staying, staying[ns])
	}
}

// same compares lists of workloads.
func (c *checker) same(what string, is, want []*fleet.Workload) {
	equal := len(is) == len(want)
	for i := 0; equal && i < len(is); i++ {
		equal = is[i] == want[i]
	}
	if !equal {
		c.broken(ruleIndex, "%s: %v is not %v", what, ids(is), ids(want))
	}
}

func ids(list []*fleet.Workload) []uint64 {
	out := make([]uint64, len(list))
	for i, w := range list {
		out[i] = w.ID
	}
	return out
}
