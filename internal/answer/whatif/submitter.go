package whatif

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file tries what the submitter of a workload can do.

// Other quotas are tried in the order of what they have left: so many at most,
// and so many are shown.
const (
	quotasTried = 6
	quotasShown = 1
)

// targets tries flex, and quotas that the submitter may use.
func (x *search) targets() {
	x.flex()
	shown := 0
	list := x.otherQuotas()
	for _, quota := range list[:min(len(list), quotasTried)] {
		if x.tryKeep(x.retarget(quota, x.w.Partition)) {
			if shown++; shown == quotasShown {
				return
			}
		}
	}
}

// flex tries flex, first where its quota has grants: with the GPUs that it expects.
func (x *search) flex() {
	if x.w.Flexes() {
		return
	}
	for _, p := range x.usual() {
		if x.granted(p) > 0 && x.w.Partition == "" && len(x.s.Partitions) > 1 && x.tryKeep(x.retarget(fleet.Flex, p.ID)) {
			return
		}
	}
	if !x.tryKeep(x.retarget(fleet.Flex, x.w.Partition)) && x.w.Partition != "" {
		x.tryKeep(x.retarget(fleet.Flex, ""))
	}
}

func (x *search) retarget(quota, partition string) Change {
	return Change{
		Kind: Target, Class: reason.Change, Quota: quota, Partition: partition,
		Commands: []core.Command{core.Retarget{Namespace: x.w.Namespace, Name: x.w.Name, Target: quota, Partition: partition}},
	}
}

// otherQuotas are those it could target instead, that with most left first.
func (x *search) otherQuotas() []string {
	left := map[string]int{}
	for _, p := range x.partitions() {
		for _, a := range p.Accounts {
			q := x.s.Quota(a.Quota)
			if a.Quota == x.w.Target || a.Grant == 0 || q == nil || !x.member(q) {
				continue
			}
			left[a.Quota] = max(left[a.Quota], a.BackedGPUs()-a.Stays(), 1)
		}
	}
	names := make([]string, 0, len(left))
	for name := range left {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(left[b], left[a]), cmp.Compare(a, b)) })
	return names
}

// member says whether the submitter's team belongs to a quota: the access list names
// them, they answer for it, or their namespace has work there. A quota without an access
// list has no members by that alone: no advice sends work to the quotas of other teams.
func (x *search) member(q *fleet.Quota) bool {
	if !q.Access.Allows(x.w.User, x.w.Groups, x.w.Namespace) {
		return false
	}
	if !q.Access.Unlisted() {
		return true
	}
	owner := x.s.OwnerOf(q.Path)
	return owner != "" && (owner == x.w.User || slices.Contains(x.w.Groups, owner)) ||
		slices.ContainsFunc(x.s.Targeting(q.Path), func(w *fleet.Workload) bool { return w.Namespace == x.w.Namespace })
}

// partition tries to leave the choice of partition open.
func (x *search) partition() {
	if x.w.Partition == "" || len(x.s.Partitions) < 2 {
		return
	}
	x.tryKeep(Change{
		Kind: Partition, Class: reason.Change, Quota: x.w.Target,
		Commands: []core.Command{core.Retarget{Namespace: x.w.Namespace, Name: x.w.Name, Target: x.w.Target}},
	})
}

// again takes the workload back and submits it changed: it loses its age, and
// that is tried with it.
func (x *search) again(c Change, edit func(*fleet.Spec)) Change {
	spec := x.w.Spec
	spec.Pools = slices.Clone(spec.Pools)
	edit(&spec)
	c.Class = reason.Change
	c.Commands = []core.Command{core.Cancel{Namespace: x.w.Namespace, Name: x.w.Name}, core.Submit{Spec: spec}}
	return c
}

// smaller tries fewer replicas of the largest pool that must start: as few less as will do.
func (x *search) smaller() {
	at := x.largestPool()
	pool := x.w.Pools[at]
	c, ok := x.least(pool.Min-1, func(less int) Change {
		least := pool.Min - less
		resize := core.Resize{Namespace: x.w.Namespace, Name: x.w.Name, Pool: pool.Name, Min: least, Max: least}
		if pool.Elastic && x.w.Home() == "" { // what makes pods on a cluster says one number
			resize.Max = pool.Max
		}
		return Change{
			Kind: Smaller, Class: reason.Change, Pool: pool.Name, Was: pool.Min, Now: least, Commands: []core.Command{resize},
		}
	}, 0)
	x.keep(c, ok, 0)
}

func (x *search) largestPool() int {
	best, gpus := 0, -1
	for i, p := range x.w.Pools {
		if p.Rank == x.w.BaseRank() && p.Min*p.GPUs > gpus {
			best, gpus = i, p.Min*p.GPUs
		}
	}
	return best
}

// reach tries to let the gangs of one rack stand in one island. It never goes further:
// a gang that is to stand in one island needs its network.
func (x *search) reach() {
	if !x.has(reason.GangTooLarge, reason.Fragmented, reason.QuotaUnbacked, reason.FlexFull) {
		return
	}
	if wider := fleet.ReachIsland; x.narrower(wider) {
		x.tryKeep(x.again(Change{Kind: Reach, Reach: wider}, func(s *fleet.Spec) { widen(s, wider) }))
	}
}

func (x *search) narrower(than fleet.Reach) bool {
	for _, p := range x.w.Pools {
		if p.Min > 1 && narrow(p.Reach) < narrow(than) {
			return true
		}
	}
	return false
}

func widen(s *fleet.Spec, reach fleet.Reach) {
	for i := range s.Pools {
		if narrow(s.Pools[i].Reach) < narrow(reach) {
			s.Pools[i].Reach = reach
		}
	}
}

// narrow orders reaches, the closest first.
func narrow(r fleet.Reach) int {
	return slices.Index([]fleet.Reach{fleet.ReachRack, fleet.ReachIsland, fleet.ReachAny}, r)
}

// runTime tries a declared maximum run time, with which it may pass those that
// it cannot delay: the longest that will do, of the ends that are known.
func (x *search) runTime() {
	p := x.at()
	if p == nil || x.w.Flexes() || !x.has(reason.Behind) {
		return
	}
	if x.runsAtMost(longest) {
		return
	}
	ends := x.knownEnds(p)
	for i := len(ends) - 1; i >= max(0, len(ends)-4); i-- {
		d := ends[i].Sub(x.now).Truncate(time.Minute)
		if d >= time.Minute && x.runsAtMost(d) {
			return
		}
	}
}

// longest is a run time that says no more than that there is an end: where it lets
// work pass, the head keeps its room beside it however long that runs.
const longest = 28 * 24 * time.Hour

// runsAtMost tries a declared maximum run time, shorter than what is declared.
func (x *search) runsAtMost(d time.Duration) bool {
	if x.w.MaxRuntime > 0 && x.w.MaxRuntime <= d {
		return false
	}
	return x.tryKeep(x.again(Change{Kind: RunTime, RunTime: d}, func(s *fleet.Spec) { s.MaxRuntime = d }))
}

// knownEnds are the declared ends of in-quota work of its tree, the first first.
func (x *search) knownEnds(p *fleet.Partition) []fleet.Instant {
	var ends []fleet.Instant
	for _, a := range p.Accounts {
		if a.Tree() != x.w.Tree() {
			continue
		}
		for _, w := range a.Work() {
			if w.MaxRuntime > 0 && w.Started != 0 {
				ends = append(ends, w.Started.Add(w.MaxRuntime))
			}
		}
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// priority tries the next higher priorities.
func (x *search) priority() {
	for p := x.w.Priority - 1; p >= fleet.Critical; p-- {
		if x.tryKeep(Change{
			Kind: Priority, Class: reason.Change, Priority: p,
			Commands: []core.Command{core.Prioritise{Namespace: x.w.Namespace, Name: x.w.Name, Priority: p}},
		}) {
			return
		}
	}
}
