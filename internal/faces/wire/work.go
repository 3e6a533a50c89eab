package wire

import (
	"cmp"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Workload is a workload with where and how it stands.
func Workload(s *fleet.State, w *fleet.Workload, row view.Workload) *musterv1.Workload {
	out := &musterv1.Workload{
		Id: row.ID, Spec: Spec(w.Spec), User: row.User, State: string(row.State), Holds: row.Holds, Gpus: int32(row.GPUs),
		Islands: row.Islands, Nodes: row.Nodes, Pools: make(map[string]int32, len(row.Pools)), Held: map[string]int32{},
		Position: int32(row.Position), Evictions: int32(row.Evictions), Mends: int32(row.Mends),
		Submitted: Instant(row.Submitted), Started: Instant(row.Started), Ended: Instant(row.Ended),
		Waited: length(row.Waited), GraceEnds: Instant(w.GraceEnds), Author: w.Author,
	}
	if p := w.At(); p != nil {
		out.Partition = p.ID
	}
	for name, n := range row.Pools {
		out.Pools[name] = int32(n)
	}
	for holds, n := range w.GPUsHeldAs() {
		out.Held[cmp.Or(holds.String(), "reserved")] = int32(n)
	}
	if f := w.Failure; f != nil {
		out.FailureCause = string(f.Cause)
		if f.Cause == fleet.CauseInfra && len(f.Evidence) > 0 {
			out.FailureNode = f.Evidence[0].Node
		}
	}
	if other := s.Workloads[w.For]; w.For != 0 && other != nil {
		out.EvictedFor = other.Namespace + "/" + other.Name
	}
	return out
}

// Spec is what was submitted.
func Spec(s fleet.Spec) *musterv1.WorkloadSpec {
	out := &musterv1.WorkloadSpec{
		Name: s.Name, Namespace: s.Namespace, Target: s.Target, Partition: s.Partition, Priority: s.Priority.String(),
		MaxRuntime: length(s.MaxRuntime), CheckpointEvery: length(s.CheckpointEvery), Grace: length(s.Grace), BearsFreeze: length(s.BearsFreeze),
		Pools: make([]*musterv1.Pool, len(s.Pools)),
	}
	for i, p := range s.Pools {
		out.Pools[i] = pool(p)
	}
	return out
}

func pool(p fleet.Pool) *musterv1.Pool {
	out := &musterv1.Pool{Name: p.Name, Gpus: int32(p.GPUs), Rank: int32(p.Rank), Reach: string(p.Reach)}
	if p.Elastic {
		out.Min, out.Max = int32(p.Min), int32(p.Max)
	} else {
		out.Replicas = int32(p.Max)
	}
	return out
}

// Blockers are blockers as messages.
func Blockers(list []explain.Blocker) []*musterv1.Blocker {
	out := make([]*musterv1.Blocker, len(list))
	for i, b := range list {
		out[i] = &musterv1.Blocker{
			Code: string(b.Code), Class: string(b.Class), Partition: b.Partition, Text: b.Text,
			Figures: make(map[string]int64, len(b.Figures)), Culprits: slices.Clone(b.Culprits), Since: Instant(b.Since),
			Next: Instant(b.Next.At), NextWhat: b.Next.What, Others: int32(b.Others),
		}
		for name, n := range b.Figures {
			out[i].Figures[name] = int64(n)
		}
	}
	return out
}

// Start is the start that a change would lead to.
func Start(st whatif.Start) *musterv1.Start {
	return &musterv1.Start{
		At: Instant(st.At), Holds: st.Holds.String(), Partition: st.Partition, Islands: st.Islands,
		Nodes: int32(st.Nodes), Gpus: int32(st.GPUs), Evicts: st.Evicts, Outranks: st.Outranks,
	}
}

// Happening is one line of what happened to a workload.
func Happening(h view.Happening) *musterv1.Happening {
	return &musterv1.Happening{Seq: h.Seq, At: Instant(h.At), Actor: h.Actor, Reason: h.Reason, Kind: h.Kind, Text: h.Text, By: h.By}
}
