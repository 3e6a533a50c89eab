package judge

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Few is up to how many candidates every set of them is tried.
const Few = 12

// Verdict is a set of victims with whom gone a claim can start.
type Verdict struct {
	Victims []Unit
	Cost    Cost
}

// Try says whether a claim can start with a set of victims gone, at a place or
// (nil) at any, and what the set costs there at least.
func (j *Judge) Try(c Claim, set []Unit, at []Stand) (Verdict, bool) {
	j, set = j.as(set)
	if !j.fair(c, set, true) {
		return Verdict{}, false
	}
	best, found := Verdict{}, false
	look := func(place []Stand) bool {
		cost, ok := j.Price(c, set, place)
		if ok && (!found || cost.Less(best.Cost)) {
			best, found = Verdict{set, cost}, true
		}
		return found && !borrows(set)
	}
	sc := j.sceneOf(c, set)
	if at == nil {
		j.places(c, sc, look)
	} else if j.holds(c, sc, at) {
		look(at)
	}
	if found && (j.idle(c, set) || j.wasteful(c, set, at)) {
		return Verdict{}, false
	}
	return best, found
}

// wasteful says whether a victim need not go with all that leaves along: that alone
// would do, and gives way first.
func (j *Judge) wasteful(c Claim, set []Unit, at []Stand) bool {
	for i, v := range set {
		for _, along := range j.along(v) {
			if j.mayGo(c, along) && j.does(c, append(append(along, set[:i]...), set[i+1:]...), at) {
				return true
			}
		}
	}
	return false
}

// along lists the sets of what leaves with a unit. Of identical replicas on flex any may be the surplus, so there is a
// set for each choice of them.
func (j *Judge) along(v Unit) (sets [][]Unit) {
	var list []Unit
	for _, u := range j.units {
		if u.follows(v) {
			list = append(list, u)
		}
	}
	of := anyReplica(list)
	for mask := range 1 << len(of) {
		if set := subset(of, mask); len(list) > 0 && len(set) == len(list) && !tooMany(set) {
			sets = append(sets, set)
		}
	}
	return sets
}

// mayGo says whether a claim may evict all of some units, as far as each alone says it.
func (j *Judge) mayGo(c Claim, units []Unit) bool {
	return !slices.ContainsFunc(units, func(u Unit) bool { return j.classOf(c, u, true) == forbidden })
}

// does says whether there is room for a claim with a set gone, at a place or (nil) at any.
func (j *Judge) does(c Claim, set []Unit, at []Stand) bool {
	j, set = j.as(set)
	sc := j.sceneOf(c, set)
	if at != nil {
		return j.holds(c, sc, at)
	}
	return j.places(c, sc, func([]Stand) bool { return true })
}

// borrows says whether the place matters to what a set costs.
func borrows(set []Unit) bool {
	for _, v := range set {
		if v.Holds == fleet.HoldsBorrowing {
			return true
		}
	}
	return false
}

// Price is what a set costs where the newcomer stands at a place, if all of them
// may be evicted for it.
func (j *Judge) Price(c Claim, set []Unit, place []Stand) (Cost, bool) {
	j, set = j.as(set)
	classes := make([]Class, len(set))
	for i, v := range set {
		classes[i] = j.classIn(c, v, set, place)
		if classes[i] == forbidden {
			return Cost{}, false
		}
	}
	return j.costOf(set, classes), true
}

// classIn is the class of a victim beside the others of a set.
func (j *Judge) classIn(c Claim, v Unit, set []Unit, place []Stand) Class {
	class := j.classOf(c, v, true)
	if class == Borrowing && !j.isBorrower(c, place, v, set) {
		return j.classOf(c, v, false)
	}
	return class
}

// Allowed names a victim that a claim that starts at a place may not evict; the
// level that shares of flex leave over counts in its favour.
func (j *Judge) Allowed(c Claim, set []Unit, place []Stand) (Unit, bool) {
	j, set = j.as(set)
	for _, v := range set {
		if v.Work == c.Work || j.classIn(c, v, set, place) == forbidden {
			return v, false
		}
	}
	if len(set) > 0 && !j.fair(c, set, false) {
		return set[0], false
	}
	return Unit{}, true
}

// Fits says whether a claim fits at a place with a set of victims gone, in the
// counts of its quota and tree and on the nodes, with any victims.
func (j *Judge) Fits(c Claim, set []Unit, place []Stand) bool {
	j, set = j.as(set)
	return j.holds(c, j.sceneOf(c, set), place)
}

// holds says whether a place suits a claim.
func (j *Judge) holds(c Claim, sc *scene, place []Stand) bool {
	if !sc.fits {
		return false
	}
	s := &search{sc: sc, c: c, given: make([]int, len(sc.room)), count: make([]int, len(sc.room))}
	for _, st := range place {
		if !s.open(st.Node, 1) {
			return false
		}
		s.given[st.Node] += st.GPUs
		s.count[st.Node]++
		if s.given[st.Node] > sc.room[st.Node] || s.count[st.Node] > sc.takes(st.Footprint, st.Node) {
			return false
		}
	}
	return true
}

// Cheaper finds a set among candidates that costs less than one that was chosen,
// at a place or (nil) at any. All sets are tried.
func (j *Judge) Cheaper(c Claim, list []Unit, than Cost, at []Stand) (Verdict, bool) {
	return j.CheaperBut(c, list, than, at, never)
}

// never is no set at all.
func never([]Unit) bool { return false }

// CheaperBut is Cheaper with no set of some kind.
func (j *Judge) CheaperBut(c Claim, list []Unit, than Cost, at []Stand, not func(set []Unit) bool) (Verdict, bool) {
	var best Verdict
	found := false
	j.eachSet(list, func(set []Unit) bool {
		k, seen := j.as(set)
		if bound := k.costOf(seen, k.atBest(c, seen)); !bound.Less(than) {
			return false
		}
		if v, ok := j.Try(c, set, at); ok && v.Cost.Less(than) {
			if _, spared := j.Spared(c, set, at); !spared && !not(set) { // a set is minimal, however cheap its class
				best, found, than = v, true, v.Cost
			}
		}
		return false
	})
	return best, found
}

// atBest is the classes of a set where all who borrow are borrowers.
func (j *Judge) atBest(c Claim, set []Unit) []Class {
	classes := make([]Class, len(set))
	for i, v := range set {
		classes[i] = j.classOf(c, v, true)
	}
	return classes
}

// Spared finds a smaller set, inside the one that was chosen, that does as well.
func (j *Judge) Spared(c Claim, chosen []Unit, at []Stand) (Verdict, bool) {
	var best Verdict
	found := false
	j.eachSet(chosen, func(set []Unit) bool {
		if len(set) < len(chosen) {
			best, found = j.Try(c, set, at)
		}
		return found
	})
	return best, found
}

// Start finds a set of victims, perhaps none, with whom gone a claim can start.
// Where there are more than Few candidates and not all of them will do, the answer
// is not known: sure is false.
func (j *Judge) Start(c Claim) (v Verdict, ok, sure bool) {
	return j.StartBut(c, never)
}

// StartBut is Start with no set of some kind. Without those a set is still minimal, and a claim
// that finds free room evicts no work.
func (j *Judge) StartBut(c Claim, not func(set []Unit) bool) (v Verdict, ok, sure bool) {
	if v, ok = j.Try(c, nil, nil); ok {
		return v, !not(nil), true
	}
	list := j.Evictable(c)
	if len(list) == 0 || !j.places(c, j.sceneOf(c, list), func([]Stand) bool { return true }) {
		return Verdict{}, false, true // not even with all of them gone
	}
	if len(list) > Few {
		return Verdict{}, false, false
	}
	some := false // a set would do, which comes before all that it is a part of
	j.eachSet(list, func(set []Unit) bool {
		if v, ok = j.Try(c, set, nil); !ok {
			return false
		}
		spared := false
		if some {
			_, spared = j.Spared(c, set, nil)
		}
		some, ok = true, !spared && !not(set)
		return ok
	})
	return v, ok, true
}

// eachSet calls fn with every set of candidates, the smallest first among those
// of one count, until it says stop. A unit that leaves with another is in no set beside it.
func (j *Judge) eachSet(list []Unit, fn func(set []Unit) bool) {
	for mask := range 1 << len(list) {
		set := subset(list, mask)
		if !j.redundant(set) && !tooMany(set) && fn(set) {
			return
		}
	}
}

// subset is the units of a list that a mask has.
func subset(list []Unit, mask int) (set []Unit) {
	for i, u := range list {
		if mask&(1<<i) != 0 {
			set = append(set, u)
		}
	}
	return set
}

func (j *Judge) redundant(set []Unit) bool {
	for _, u := range set {
		for _, v := range set {
			if u.follows(v) {
				return true
			}
		}
	}
	return false
}

// FitsEmpty says whether a claim would fit the present backing of its quota, or
// of its tree if it borrows, with nothing there.
func (j *Judge) FitsEmpty(c Claim) bool {
	k := *j
	k.units = nil
	return k.places(c, k.sceneOf(c, nil), func([]Stand) bool { return true })
}

// Question is what there is to decide about a claim, as text: free GPUs, and whom
// it may evict; "" if it is neither enough GPUs in number nor anybody.
func (j *Judge) Question(c Claim) string {
	sc := j.sceneOf(c, nil)
	free := 0
	for _, room := range sc.room {
		free += max(0, room)
	}
	list := j.Evictable(c)
	if free < c.GPUs() && len(list) == 0 {
		return ""
	}
	text := fmt.Sprint(c.Work.ID, c.Holds, sc.room, sc.own.left, sc.tree.left)
	for _, u := range list {
		text += fmt.Sprint(" ", u.id(), u.Stands)
	}
	return text
}
