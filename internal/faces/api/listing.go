package api

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// listing is a question for some workloads.
type listing struct {
	*musterv1.ListWorkloadsRequest
	limit int
	by    *caller
}

// choose finds the workloads in order of submission, or the other way round, up to one more than the limit, and how
// many others are among them that the caller may not read.
func (l listing) choose(s *fleet.State) (list []*fleet.Workload, others int) {
	for w := range l.candidates(s) {
		switch {
		case !l.wants(w):
		case l.by.sees(s, w):
			list = append(list, w)
		default:
			others++
		}
	}
	slices.SortFunc(list, l.order)
	return list[:min(len(list), l.limit+1)], others
}

// order compares two workloads by which comes first in the list.
func (l listing) order(a, b *fleet.Workload) int {
	if l.GetNewestFirst() {
		a, b = b, a
	}
	return cmp.Compare(a.ID, b.ID)
}

// counts says whether the caller may be told how many others there are: of a target, a partition and a
// state that is a figure, of a user, a namespace or a workload it would tell what they do. A part of a list has no number.
func (l listing) counts(next uint64) bool {
	return l.GetUser() == "" && l.GetNamespace() == "" && len(l.GetIds()) == 0 && l.GetFrom() == 0 && next == 0
}

// candidates are those among which there are all that are asked for: of a target its own, else all that are known. It
// goes by no other numbers than those that are asked for: most are of work that is long forgotten.
func (l listing) candidates(s *fleet.State) iter.Seq[*fleet.Workload] {
	ended := slices.ContainsFunc(l.GetStates(), func(word string) bool { return fleet.WorkloadState(word).Ended() })
	switch {
	case len(l.GetIds()) > 0:
		return l.named(s)
	case ended:
		return maps.Values(s.Workloads)
	case l.GetTarget() != "":
		return slices.Values(s.Targeting(l.GetTarget()))
	}
	return slices.Values(s.Alive())
}

// named are the workloads of the numbers that are asked for, each of them once.
func (l listing) named(s *fleet.State) iter.Seq[*fleet.Workload] {
	return func(yield func(*fleet.Workload) bool) {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(l.GetIds()))) {
			if w := s.Workloads[id]; w != nil && !yield(w) {
				return
			}
		}
	}
}

// begun says whether a list that goes on where another ended has come to a workload.
func (l listing) begun(w *fleet.Workload) bool {
	return l.GetFrom() == 0 || w.ID == l.GetFrom() || w.ID > l.GetFrom() != l.GetNewestFirst()
}

func (l listing) wants(w *fleet.Workload) bool {
	switch {
	case !l.begun(w),
		l.GetNamespace() != "" && l.GetNamespace() != w.Namespace,
		l.GetUser() != "" && l.GetUser() != w.User,
		l.GetPartition() != "" && l.GetPartition() != w.Where && l.GetPartition() != w.Partition,
		!under(w.Target, l.GetTarget()),
		l.GetEvicted() && w.Evictions == 0,
		len(l.GetStates()) == 0 && w.State.Ended():
		return false
	}
	return in(w.State, l.GetStates())
}
