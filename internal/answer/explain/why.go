package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Why lists what keeps a workload from starting, in the contract's order (semantics §7).
// The list is empty for work that runs or has ended, unless it was told to leave and its
// cluster has not reported it gone. Why uses the planner's scratch memory in the state, so
// no one else may use the state meanwhile.
func Why(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	return Reader(nil).Why(s, w, now)
}

// Why is the same with the names that the reader may be told.
func (r Reader) Why(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	var list []Blocker
	switch w.State {
	case fleet.Starting, fleet.Mending:
		list = r.starting(w)
	case fleet.Pending:
		list = r.pending(s, w, now)
	default:
		list = r.stuck(w)
	}
	for i := range list {
		list[i].Since = w.PendingSince
	}
	return list
}

// pending explains a workload that waits in its queue. One that maintenance stopped has
// one blocker, unless it could never start again anyway.
func (r Reader) pending(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	list := r.closest(s, w, now)
	if w.Paused && AnswerOf(list) != Impossible {
		return []Blocker{paused(s, w)}
	}
	return list
}

// closest lists the blockers of the partition where the workload comes closest to starting:
// the one with the least obstacle, then with the fewest blockers, then with the most room.
func (r Reader) closest(s *fleet.State, w *fleet.Workload, now fleet.Instant) []Blocker {
	var lists [][]Blocker
	var gone *fleet.Partition // its quota has no grant there any more
	for _, p := range s.Partitions {
		switch {
		case !w.MayStandIn(p):
		case grantIsGone(p, w):
			gone = p
		default:
			lists = append(lists, r.inPartition(s, p, w, now))
		}
	}
	if len(lists) == 0 {
		return []Blocker{nowhere(w, gone)}
	}
	best := slices.MinFunc(lists, func(a, b []Blocker) int {
		return cmp.Or(cmp.Compare(obstacle(a), obstacle(b)), cmp.Compare(len(a), len(b)), cmp.Compare(roomIn(b), roomIn(a)))
	})
	if len(lists) > 1 && len(best) > 0 && best[0].Partition != "" {
		best[0].Text += fmt.Sprintf(" (%s is the closest of the %s where it may run.)", best[0].Partition, text.Count(len(lists), "partition"))
	}
	return best
}

// obstacle weighs the blockers that time alone does not remove: no room even in an empty
// partition weighs more than a change by the submitter, and that more than a cluster that
// is not ready.
func obstacle(list []Blocker) int {
	weight := 0
	for _, b := range list {
		switch {
		case b.Code == reason.GangTooLarge:
			weight += 4
		case b.Class == reason.Change:
			weight += 2
		case b.Code == reason.ClusterNotReady:
			weight++
		}
	}
	return weight
}

// roomIn is how much room the first blocker found: the nodes of the largest island where
// none is large enough, else the free GPUs. Only lists with equal obstacles are compared.
func roomIn(list []Blocker) int {
	if len(list) == 0 {
		return 0
	}
	f := list[0].Figures
	return f["largestNodes"] + f["free"]
}

// grantIsGone says whether the workload's quota had a grant in a partition and has none now, so that it can have nothing
// there: nothing of its own, and nothing to borrow of its tree.
func grantIsGone(p *fleet.Partition, w *fleet.Workload) bool {
	if w.Flexes() {
		return false
	}
	for _, a := range p.Accounts {
		if a.Tree() == w.Tree() && a.Grant > 0 {
			return false
		}
	}
	return true
}

// nowhere is the blocker of a workload that no partition can take: its quota has no grant
// where it may run, or there is no partition at all. Where a grant was taken back, the partition is named.
func nowhere(w *fleet.Workload, gone *fleet.Partition) Blocker {
	if w.Flexes() {
		return block(reason.NoSuchPartition, gone, nil, nil, "There is no partition for it yet: %s.", place(w))
	}
	return block(reason.NoSuchPartition, gone, nil, nil, "%s has no grant in %s.", w.Target, place(w))
}

// place names where a workload may run, as far as it or its target says.
func place(w *fleet.Workload) string {
	if home := w.Home(); w.Partition == "" && home != "" {
		return "any partition of " + home
	}
	if w.Partition == "" {
		return "any partition"
	}
	return w.Partition
}
