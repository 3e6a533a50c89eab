package placement_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestSharesAreMaxMinFair: no namespace gets more than it asks for, no GPU of
// flex is shared out twice, and a namespace that gets less than it asks for gets as much
// as anyone (less the remainder of a division).
func TestSharesAreMaxMinFair(t *testing.T) {
	for seed := int64(1); seed <= 300; seed++ {
		r := rand.New(rand.NewSource(seed))
		s, asks := randomFlex(r)
		p := s.Partition("t/g")
		shares, all := placement.Shares(p), 0
		for ns, share := range shares {
			all += share
			if share < 0 || share > asks[ns] {
				t.Errorf("seed %d: %s asks for %d and has a share of %d", seed, ns, asks[ns], share)
			}
			if share == asks[ns] {
				continue
			}
			for other, more := range shares {
				if more > share+1 {
					t.Errorf("seed %d: %s has a share of %d of %d, and %s one of %d", seed, ns, share, asks[ns], other, more)
				}
			}
		}
		if all > p.Flex() {
			t.Errorf("seed %d: %d GPUs are shared out of %d", seed, all, p.Flex())
		}
		if left := p.Flex() - all; left > 0 && all < sum(asks) && left >= len(shares) {
			t.Errorf("seed %d: %d GPUs of %d are shared out while namespaces ask for %d", seed, all, p.Flex(), sum(asks))
		}
	}
}

// randomFlex is a partition with flex work that runs and waits, and what each
// namespace asks for in all.
func randomFlex(r *rand.Rand) (*fleet.State, map[string]int) {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "t", Mode: fleet.Enforce})
	s.AddPartition("t", "g", 8)
	p := s.Partition("t/g")
	p.AddIsland("i", 1)
	for k := range 1 + r.Intn(12) {
		p.AddNode(fmt.Sprint("n", k), 0, 0, 1)
	}
	asks := map[string]int{}
	for k := range r.Intn(12) {
		low := 1 + r.Intn(4)
		pool := fleet.Pool{Name: "p", GPUs: 1 + r.Intn(8), Min: low, Max: low + r.Intn(4), Elastic: true, Reach: fleet.ReachAny}
		ns := []string{"ant", "bee", "cat"}[r.Intn(3)]
		w := s.AddWorkload(s.NextID+1, fleet.Spec{Name: fmt.Sprint("w", k), Namespace: ns, Target: fleet.Flex, Pools: []fleet.Pool{pool}}, 1)
		asks[ns] += pool.Max * pool.GPUs
		node := r.Intn(len(p.Nodes))
		if p.Nodes[node].Room() >= pool.GPUs*low {
			nodes := make([]int, low)
			for i := range nodes {
				nodes[i] = node
			}
			s.Place(w, p, []fleet.Spot{{Nodes: nodes}}, fleet.Running, fleet.HoldsFlex)
			s.Settle(w, 2)
		}
	}
	return s, asks
}

func sum(m map[string]int) int {
	t := 0
	for _, x := range m {
		t += x
	}
	return t
}
