package cli

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// rework is a reversal that gives a workload what it had before the record; nil where it has ended since.
func rework(verb func(f reversible, was *musterv1.WorkloadSpec) []string) func(context.Context, *app, reversible, *musterv1.Record) []string {
	return func(ctx context.Context, a *app, f reversible, r *musterv1.Record) []string {
		was := a.live(ctx, f.ID, timestamppb.New(r.GetAt().AsTime().Add(-1)))
		if was == nil || a.live(ctx, f.ID, a.seen()) == nil {
			return nil
		}
		line := verb(f, was.GetSpec())
		if line == nil {
			return nil
		}
		return append([]string{"job", line[0], nameOf(was)}, line[1:]...)
	}
}

// seen is the moment that is asked about; nil: now.
func (a *app) seen() *timestamppb.Timestamp {
	if a.lookedAt.IsZero() {
		return nil
	}
	return timestamppb.New(a.lookedAt)
}

// live is a workload by its number as it was at a moment; nil: it had ended, or was not known.
func (a *app) live(ctx context.Context, id uint64, at *timestamppb.Timestamp) *musterv1.Workload {
	res, err := a.client().Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{AsOf: at, From: id, Limit: 1})
	if err != nil || len(res.GetWorkloads()) == 0 || res.GetWorkloads()[0].GetId() != id {
		return nil
	}
	return res.GetWorkloads()[0]
}

func reprioritised(_ reversible, was *musterv1.WorkloadSpec) []string {
	return []string{"priority", was.GetPriority()}
}

func retargeted(_ reversible, was *musterv1.WorkloadSpec) []string {
	line := []string{"retarget", was.GetTarget()}
	if was.GetPartition() != "" {
		line = append(line, "--partition", was.GetPartition())
	}
	return line
}

// resizedBack gives a pool its size again; nil where the pool has finished, or had that size.
func resizedBack(f reversible, was *musterv1.WorkloadSpec) []string {
	at, most := number64(f.Pool), number64(f.Max)
	if most == 0 || at >= len(was.GetPools()) {
		return nil
	}
	pool := was.GetPools()[at]
	size := fmt.Sprint(pool.GetReplicas())
	if pool.GetReplicas() == 0 {
		size = fmt.Sprintf("%d..%d", pool.GetMin(), pool.GetMax())
	}
	line := []string{"resize", size}
	if len(was.GetPools()) > 1 {
		line = append(line, "--pool", pool.GetName())
	}
	return line
}

// number64 is a number of an event; 0: none.
func number64(v any) int {
	n, _ := v.(float64)
	return int(n)
}
