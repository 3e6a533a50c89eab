package judge

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file knows what is fair on flex (semantics §5).

// flexUse is what a namespace holds or has reserved on usable nodes and means to keep: what it holds on
// others is stranded, and no part of flex.
func (j *Judge) flexUse(namespace string) int {
	t := 0
	for _, n := range j.p.Nodes {
		for _, r := range n.Residents() {
			if n.State.Usable() && r.Phase != fleet.Leaving && r.Workload.Flexes() && r.Workload.Namespace == namespace {
				t += r.GPUs()
			}
		}
	}
	return t
}

// flexPool is the usable GPUs that no in-quota workload holds or has reserved.
func (j *Judge) flexPool() int {
	pool := 0
	for _, n := range j.p.Nodes {
		if !n.State.Usable() {
			continue
		}
		held, reserved := 0, 0
		for _, r := range n.Residents() {
			switch {
			case r.Workload.Flexes():
			case r.Phase == fleet.Reserved:
				reserved += r.GPUs()
			default:
				held += r.GPUs()
			}
		}
		pool += n.Good() - min(max(n.Good(), held), held+reserved)
	}
	return pool
}

// share is the max-min level over what each namespace holds and asks for,
// elastic pools at max, for one of them: between low and high, because what a
// level leaves over in whole GPUs may be anybody's.
func (j *Judge) share(namespace string) (low, high int) {
	demand := j.demand()
	left, open := j.flexPool(), len(demand)
	level := func() int { return left / max(1, open) }
	for again := true; again; {
		again = false
		for ns, d := range demand {
			if d <= level() {
				left, open, again = left-d, open-1, true
				if ns == namespace {
					return d, d
				}
				delete(demand, ns)
			}
		}
	}
	low = level()
	if left%max(1, open) > 0 {
		return low, low + 1
	}
	return low, low
}

func (j *Judge) demand() map[string]int {
	demand := map[string]int{}
	for _, w := range j.s.Workloads {
		if !w.Flexes() || w.State.Ended() || w.Moves != nil || w.At() != nil && w.At() != j.p {
			continue
		}
		if !w.May(j.p) {
			continue
		}
		for _, p := range w.Pools {
			demand[w.Namespace] += p.Max * p.GPUs
		}
	}
	return demand
}

// classOnFlex says whether a flex claim may evict a flex unit.
func (j *Judge) classOnFlex(c Claim, u Unit) Class {
	switch {
	case !u.Work.Flexes() || u.Work == c.Work:
		return forbidden
	case u.Work.Namespace == c.Work.Namespace && c.Growth:
		return forbidden
	case u.Work.Namespace == c.Work.Namespace:
		if moreImportant(c.Key, u.Key) || u.Key.Surplus && !moreImportant(u.Key, c.Key) {
			return Flex
		}
		return forbidden
	case c.Growth && !u.Key.Surplus:
		return forbidden // growth below share may take surplus above share
	case u.Work.Started == 0 || j.now.Sub(u.Work.Started) < j.s.Policy.FlexRun():
		return forbidden
	}
	if passed(c, u) {
		return Flex // shares notwithstanding
	}
	_, mine := j.share(c.Work.Namespace)
	theirs, _ := j.share(u.Work.Namespace)
	gives := 0 // of its own namespace, at most
	for _, own := range j.units {
		if own.Work.Namespace == c.Work.Namespace && own.Work.Flexes() && j.classOnFlex(c, own) == Flex {
			gives += j.usedBy(own)
		}
	}
	// What leaves with a unit gives way before it: the namespace must be above its
	// share without that too.
	without := j.flexUse(u.Work.Namespace) - (j.goingWith(u) - j.usedBy(u))
	if j.flexUse(c.Work.Namespace)-gives+c.GPUs() > mine || without <= theirs {
		return forbidden
	}
	return Flex
}

// passed says whether a unit's workload passed the newcomer when that was the head of flex.
// What its workload got later leaves for the newcomer's start, too, and not for its growth.
func passed(c Claim, u Unit) bool {
	return u.Work.Passed != 0 && u.Work.Passed == c.Work.ID && (c.Work.State == fleet.Pending || u.Pool == fleet.Base && !u.Key.Surplus)
}

// staysAbove says whether namespaces are above their shares until the largest of what is
// taken from them goes.
func (j *Judge) staysAbove(taken, largest map[string]int, surely bool) bool {
	for ns := range taken {
		low, high := j.share(ns)
		if !surely {
			high = low
		}
		if j.flexUse(ns)-(taken[ns]-largest[ns]) <= high {
			return false
		}
	}
	return true
}

// fair says whether every other namespace of a set of victims is still above its share
// whenever one of its units goes, the largest last. The newcomer's namespace must stay within
// its own share, with those of its own in the set gone. With surely this must hold no matter
// which namespace gets what the level leaves over.
func (j *Judge) fair(c Claim, set []Unit, surely bool) bool {
	if c.Account != nil {
		return true
	}
	taken, largest, given := map[string]int{}, map[string]int{}, 0
	for _, u := range set {
		if passed(c, u) {
			continue
		}
		if ns := u.Work.Namespace; ns == c.Work.Namespace {
			given += j.goingWith(u)
		} else {
			gpus := j.goingWith(u)
			if _, most := j.share(ns); surely && j.flexUse(ns)-(gpus-j.usedBy(u)) <= most {
				return false // what leaves with it may be all that its namespace has too much
			}
			taken[ns] += gpus
			largest[ns] = max(largest[ns], gpus)
		}
	}
	own, most := j.share(c.Work.Namespace)
	if !surely {
		own = most
	}
	// Above its share a namespace grows on free room only, and a unit larger than the share takes nothing of its own either.
	grows := given > 0 && (c.GPUs() > given || c.GPUs() > own) && j.othersWant(c.Work.Namespace)
	if (len(taken) > 0 && surely || grows) && j.flexUse(c.Work.Namespace)-given+c.GPUs() > own {
		return false
	}
	return j.staysAbove(taken, largest, surely)
}

// othersWant says whether another namespace asks for more flex than it has.
func (j *Judge) othersWant(namespace string) bool {
	for ns, asks := range j.demand() {
		if ns != namespace && asks > j.flexUse(ns) {
			return true
		}
	}
	return false
}

// idle says whether a victim of the newcomer's own namespace would go only to make
// room in its share: there is a place without that (decision record 0006).
func (j *Judge) idle(c Claim, set []Unit) bool {
	if c.Account != nil {
		return false
	}
	for i, v := range set {
		rest := append(append([]Unit(nil), set[:i]...), set[i+1:]...)
		if v.Work.Namespace == c.Work.Namespace && j.places(c, j.sceneOf(c, rest), func([]Stand) bool { return true }) {
			return true
		}
	}
	return false
}

// goingWith is the GPUs that a unit and all that leaves with it use of flex.
func (j *Judge) goingWith(v Unit) int {
	t := j.usedBy(v)
	for _, u := range j.units {
		if u.follows(v) {
			t += j.usedBy(u)
		}
	}
	return t
}

// usedBy is the GPUs of a unit on usable nodes.
func (j *Judge) usedBy(u Unit) (gpus int) {
	for _, st := range u.Stands {
		if j.p.Nodes[st.Node].State.Usable() {
			gpus += st.GPUs
		}
	}
	return gpus
}
