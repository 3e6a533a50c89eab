package bench

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The one partition of a bench's fleet, and its quotas.
const (
	cluster   = "bench"
	gpu       = "h200"
	partition = cluster + "/" + gpu
)

// operator gives a bench's commands.
var operator = core.Actor{Name: "operator:bench", User: "bench", Operator: true}

// build makes a fleet of so many nodes in islands of at most 128, and so many
// quotas in trees of eight, which share what is promisable evenly.
func build(ctx context.Context, e *engine.Engine, nodes, quotas int) error {
	commands := []core.Command{
		core.AddCluster{Name: cluster},
		core.AddPartition{Cluster: cluster, GPU: gpu},
		core.AddIslands{Partition: partition, Islands: islands(nodes)},
	}
	each := nodes * 8 / 10 / quotas * 8 // GPUs in whole nodes, within the buffer
	for q := range quotas {
		commands = append(commands,
			core.CreateQuota{Path: quota(q)},
			core.SetGrant{Quota: quota(q), Partition: partition, GPUs: each})
	}
	for _, c := range commands {
		if _, err := e.Do(ctx, core.Request{Command: c, Actor: operator, Reason: "bench"}); err != nil {
			return fmt.Errorf("build the fleet: %w", err)
		}
	}
	return nil
}

func islands(nodes int) []core.NewIsland {
	const most = 128
	var list []core.NewIsland
	for i := 0; nodes > 0; i++ {
		n := min(nodes, most)
		list = append(list, core.NewIsland{Name: fmt.Sprintf("i%d", i+1), Nodes: n, Racks: 8})
		nodes -= n
	}
	return list
}

func quota(q int) string { return fmt.Sprintf("tree%d/quota%d", q/8, q%8) }

// mix draws a workload as people submit them: many small ones, some gangs, a
// few elastic pools; two in three in a quota, the others on flex.
func mix(r *rand.Rand, n, quotas int) fleet.Spec {
	s := fleet.Spec{
		Name: fmt.Sprintf("w%d", n), Namespace: fmt.Sprintf("team%d", r.IntN(40)), User: "bench",
		Target: fleet.Flex, Priority: fleet.Priority(r.IntN(4)), Grace: fleet.DefaultGrace,
		Pools: []fleet.Pool{shape(r)},
	}
	if r.IntN(3) > 0 {
		s.Target = quota(r.IntN(quotas))
	}
	return s
}

func shape(r *rand.Rand) fleet.Pool {
	p := fleet.Pool{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}
	switch k := r.IntN(100); {
	case k < 50:
		p.GPUs = 1 << r.IntN(4)
	case k < 85:
		p.Min = 1 + r.IntN(4)
	case k < 92:
		p.Min = 8
	default:
		p.GPUs, p.Elastic, p.Max = 1, true, 16
	}
	if !p.Elastic {
		p.Max = p.Min
	}
	if p.Min > 1 {
		p.Reach = fleet.ReachIsland
	}
	return p
}

// newRand draws for one part of a bench.
func newRand(seed, part uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, part)) }
