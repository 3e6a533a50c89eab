package api

import (
	"cmp"
	"iter"
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

// choose finds the workloads in the order of candidates, up to one more than the limit, and how
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
		if len(list) > l.limit {
			break
		}
	}
	return list, others
}

// counts says whether the caller may be told how many others there are: of a target, a partition and a
// state that is a figure, of a user or a namespace it would tell what they do. A part of a list has no number.
func (l listing) counts(next uint64) bool {
	return l.GetUser() == "" && l.GetNamespace() == "" && l.GetFrom() == 0 && next == 0
}

// candidates are those among which there are all that are asked for, in order of submission or
// the other way round.
func (l listing) candidates(s *fleet.State) iter.Seq[*fleet.Workload] {
	switch {
	case l.GetNewestFirst():
		return l.downwards(s)
	case l.GetTarget() != "" && !slices.ContainsFunc(l.GetStates(), func(word string) bool { return fleet.WorkloadState(word).Ended() }):
		all := s.Targeting(l.GetTarget())
		from, _ := slices.BinarySearchFunc(all, l.GetFrom(), func(w *fleet.Workload, id uint64) int { return cmp.Compare(w.ID, id) })
		return slices.Values(all[from:])
	}
	return func(yield func(*fleet.Workload) bool) {
		for id := l.GetFrom(); id < s.NextID; id++ { // most numbers of a fleet are still known
			if w := s.Workloads[id]; w != nil && !yield(w) {
				return
			}
		}
	}
}

// downwards are all workloads from the number asked for, or from the last, down to the first.
func (l listing) downwards(s *fleet.State) iter.Seq[*fleet.Workload] {
	from := s.NextID
	if l.GetFrom() > 0 {
		from = min(from, l.GetFrom()+1)
	}
	return func(yield func(*fleet.Workload) bool) {
		for id := from; id > 0; id-- {
			if w := s.Workloads[id-1]; w != nil && !yield(w) {
				return
			}
		}
	}
}

func (l listing) wants(w *fleet.Workload) bool {
	switch {
	case l.GetNamespace() != "" && l.GetNamespace() != w.Namespace,
		l.GetUser() != "" && l.GetUser() != w.User,
		l.GetPartition() != "" && l.GetPartition() != w.Where && l.GetPartition() != w.Partition,
		!under(w.Target, l.GetTarget()),
		l.GetEvicted() && w.Evictions == 0,
		len(l.GetStates()) == 0 && w.State.Ended():
		return false
	}
	return in(w.State, l.GetStates())
}
