package api

import (
	"cmp"
	"iter"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file turns workloads into messages.

func workload(s *fleet.State, w *fleet.Workload, row view.Workload) *musterv1.Workload {
	out := &musterv1.Workload{
		Id: row.ID, Spec: specOf(w.Spec), User: row.User, State: string(row.State), Holds: row.Holds, Gpus: int32(row.GPUs),
		Islands: row.Islands, Nodes: row.Nodes, Pools: make(map[string]int32, len(row.Pools)),
		Position: int32(row.Position), Evictions: int32(row.Evictions), Mends: int32(row.Mends),
		Submitted: timestamp(row.Submitted), Started: timestamp(row.Started), Ended: timestamp(row.Ended),
		Waited: length(row.Waited), GraceEnds: timestamp(w.GraceEnds),
	}
	if p := w.At(); p != nil {
		out.Partition = p.ID
	}
	for name, n := range row.Pools {
		out.Pools[name] = int32(n)
	}
	if other := s.Workloads[w.For]; w.For != 0 && other != nil {
		out.EvictedFor = other.Namespace + "/" + other.Name
	}
	return out
}

func specOf(s fleet.Spec) *musterv1.WorkloadSpec {
	out := &musterv1.WorkloadSpec{
		Name: s.Name, Namespace: s.Namespace, Target: s.Target, Partition: s.Partition, Priority: s.Priority.String(),
		MaxRuntime: length(s.MaxRuntime), CheckpointEvery: length(s.CheckpointEvery), Grace: length(s.Grace),
		Pools: make([]*musterv1.Pool, len(s.Pools)),
	}
	for i, p := range s.Pools {
		out.Pools[i] = poolOf(p)
	}
	return out
}

func poolOf(p fleet.Pool) *musterv1.Pool {
	out := &musterv1.Pool{Name: p.Name, Gpus: int32(p.GPUs), Rank: int32(p.Rank), Reach: string(p.Reach)}
	if p.Elastic {
		out.Min, out.Max = int32(p.Min), int32(p.Max)
	} else {
		out.Replicas = int32(p.Max)
	}
	return out
}

// listing is a question for some workloads.
type listing struct {
	*musterv1.ListWorkloadsRequest
	limit int
}

// choose finds the workloads in order of submission, up to one more than the limit.
func (l listing) choose(s *fleet.State) []*fleet.Workload {
	var list []*fleet.Workload
	for w := range l.candidates(s) {
		if l.wants(w) {
			list = append(list, w)
		}
		if len(list) > l.limit {
			break
		}
	}
	return list
}

// candidates are those among which there are all that are asked for, in order of submission.
func (l listing) candidates(s *fleet.State) iter.Seq[*fleet.Workload] {
	if l.GetTarget() != "" && !slices.ContainsFunc(l.GetStates(), func(word string) bool { return fleet.WorkloadState(word).Ended() }) {
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

func (l listing) wants(w *fleet.Workload) bool {
	switch {
	case l.GetNamespace() != "" && l.GetNamespace() != w.Namespace,
		l.GetUser() != "" && l.GetUser() != w.User,
		l.GetPartition() != "" && l.GetPartition() != w.Where && l.GetPartition() != w.Partition,
		!under(w.Target, l.GetTarget()),
		len(l.GetStates()) == 0 && w.State.Ended():
		return false
	}
	return in(w.State, l.GetStates())
}
