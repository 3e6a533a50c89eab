package promise_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// yearOf is a fleet under a calibrated policy, with a year of failures and repairs.
func yearOf(partitions, islands, nodes int) (*fleet.State, fleet.Instant) {
	s, r := fleet.NewState(), rand.New(rand.NewPCG(1, 1))
	begins := fleet.Instant(480000 * int64(time.Hour))
	s.Time = begins
	policy := fleet.DefaultPolicy()
	policy.Buffer = fleet.DefaultBuffer(fleet.Calibrated)
	s.SetPolicy(policy)
	s.AddCluster(fleet.Cluster{Name: "t", Mode: fleet.Enforce})
	for k := range partitions {
		s.AddPartition("t", fmt.Sprintf("g%03d", k), 8)
		p := s.Partition(fmt.Sprintf("t/g%03d", k))
		for i := range islands {
			p.AddIsland(fmt.Sprintf("i%d", i), 4)
		}
		for i := range islands {
			for n := range nodes {
				p.AddNode(fmt.Sprintf("%d-%d", i, n), i, n*4/nodes, begins)
			}
		}
		every := time.Duration(float64(24*time.Hour) / (0.0042 * float64(islands*nodes)) / 2)
		for at := begins; at < begins.Add(365*24*time.Hour); at = at.Add(every) {
			node := r.IntN(len(p.Nodes))
			state := fleet.Healthy
			if p.Nodes[node].State == fleet.Healthy && r.IntN(40) == 0 {
				state = fleet.Repairing
			}
			if p.Nodes[node].State != state {
				p.SetNode(node, state, 0, "", at)
			}
		}
	}
	return s, begins.Add(365 * 24 * time.Hour)
}

// BenchmarkAYearIsRead is what 100,000 nodes in 1,000 islands cost once, after a restart.
func BenchmarkAYearIsRead(b *testing.B) {
	s, now := yearOf(200, 5, 100)
	data, _ := s.Encode()
	b.ReportMetric(float64(len(data)), "B/state")
	for b.Loop() {
		for _, p := range s.Partitions {
			p.Memories.Promise = nil
			promise.CapacityOf(s, p, now)
		}
	}
}

// BenchmarkAnHourIsRead is what they cost at every full hour.
func BenchmarkAnHourIsRead(b *testing.B) {
	s, now := yearOf(200, 5, 100)
	for _, p := range s.Partitions {
		promise.CapacityOf(s, p, now)
	}
	for b.Loop() {
		now = now.Add(time.Hour)
		for _, p := range s.Partitions {
			promise.CapacityOf(s, p, now)
		}
	}
}

// BenchmarkANodeFails is what one decision costs within the hour.
func BenchmarkANodeFails(b *testing.B) {
	s, now := yearOf(1, 1000, 100)
	p := s.Partitions[0]
	promise.CapacityOf(s, p, now)
	for b.Loop() {
		promise.CapacityOf(s, p, now)
	}
}
