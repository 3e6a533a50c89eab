package wire

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadSpec reads a workload's spec; place is where it stands in the message.
func ReadSpec(place string, m *musterv1.WorkloadSpec, by core.Actor) (fleet.Spec, error) {
	s := fleet.Spec{
		Name: m.GetName(), Namespace: m.GetNamespace(), User: by.User, Groups: by.Groups,
		Target: m.GetTarget(), Partition: m.GetPartition(),
		Priority: ReadPriority(m.GetPriority()), Grace: fleet.DefaultGrace,
		Pools: make([]fleet.Pool, len(m.GetPools())),
	}
	for i, p := range m.GetPools() {
		if bad := badPool(p); bad != "" {
			return s, Wrong(fmt.Sprintf("%s.pools[%d]", place, i), "%s", bad)
		}
		s.Pools[i] = readPool(p)
	}
	for _, d := range []struct {
		field string
		says  *durationpb.Duration
		to    *time.Duration
	}{
		{".max_runtime", m.GetMaxRuntime(), &s.MaxRuntime},
		{".checkpoint_every", m.GetCheckpointEvery(), &s.CheckpointEvery},
		{".grace", m.GetGrace(), &s.Grace},
		{".bears_freeze", m.GetBearsFreeze(), &s.BearsFreeze},
	} {
		if d.says == nil {
			continue
		}
		var err error
		if *d.to, err = ReadDuration(place+d.field, d.says); err != nil {
			return s, err
		}
	}
	return s, nil
}

// ReadPriority reads a word that the rules have already let through; "" is mid.
func ReadPriority(word string) fleet.Priority {
	p, _ := fleet.ParsePriority(word)
	return p
}

// badPool says what is wrong with how many replicas a pool asks for, "" for nothing.
func badPool(p *musterv1.Pool) string {
	gang, elastic := p.GetReplicas() > 0, p.GetMin() > 0 || p.GetMax() > 0
	switch {
	case gang && elastic:
		return "has both replicas and min..max; a gang has replicas, an elastic pool min and max"
	case !gang && !elastic:
		return "asks for no replica; give a gang replicas, an elastic pool min and max"
	case p.GetMin() > p.GetMax():
		return fmt.Sprintf("has min %d above max %d", p.GetMin(), p.GetMax())
	}
	return ""
}

func readPool(p *musterv1.Pool) fleet.Pool {
	out := fleet.Pool{
		Name: p.GetName(), GPUs: int(p.GetGpus()), Rank: int(p.GetRank()), Reach: fleet.Reach(p.GetReach()),
		Min: int(p.GetMin()), Max: int(p.GetMax()), Elastic: p.GetReplicas() == 0,
	}
	if !out.Elastic {
		out.Min, out.Max = int(p.GetReplicas()), int(p.GetReplicas())
	}
	switch {
	case out.Reach != "":
	case out.Max > 1 && !out.Elastic:
		out.Reach = fleet.ReachIsland
	default:
		out.Reach = fleet.ReachAny
	}
	return out
}
