package promise_test

import (
	"fmt"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// BenchmarkAlign aligns partitions in which every quota runs gangs and single
// nodes, each time with one node less or one more: nearly all stays as it is.
func BenchmarkAlign(b *testing.B) {
	for _, size := range []struct{ nodes, islands, accounts int }{
		{1000, 8, 50}, {10000, 80, 500}, {100000, 800, 5000},
	} {
		for _, overcommit := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d nodes, %d islands, %d accounts, overcommit %v", size.nodes, size.islands, size.accounts, overcommit), func(b *testing.B) {
				m := largeMetal(size.nodes, size.islands, size.accounts, overcommit)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					node, state := i/2*7919%size.nodes, []fleet.NodeState{fleet.Suspect, fleet.Healthy}[i%2]
					m.p.SetNode(node, state, 0, "", m.now)
					promise.Align(m.s, m.p, m.now)
				}
			})
		}
	}
}

// largeMetal grants every account its part of the promisable nodes, or twice
// that; one in ten declares half of it as a gang; each runs a gang and single nodes.
func largeMetal(nodes, islands, accounts int, overcommit bool) *ground {
	sizes := make([]int, islands)
	for i := range sizes {
		sizes[i] = nodes / islands
	}
	m := newGround(sizes...)
	part := nodes * 8 / 10 / accounts
	for k := range accounts {
		grant := part
		if overcommit {
			grant *= 2
		}
		gang := 0
		if k%10 == 0 {
			gang = part / 2
		}
		m.grant(fmt.Sprintf("t%03d/q%02d", k/10, k%10), grant, gang)
	}
	m.align()
	free := make([][]int, islands)
	for i := range free {
		free[i] = m.free(i)
	}
	for _, a := range m.p.Accounts {
		for i, n := range a.Backing {
			if n == 0 {
				continue
			}
			m.run(a.Quota, free[i][:(n+1)/2], 8, fleet.Mid)
			for _, node := range free[i][(n+1)/2 : n] {
				m.run(a.Quota, []int{node}, 8, fleet.Mid)
			}
			free[i] = free[i][n:]
			for _, w := range a.Work() {
				for pool := range w.Replicas {
					m.s.SetHolds(w, pool, 0, len(w.Replicas[pool]), fleet.HoldsGuaranteed)
				}
			}
		}
	}
	m.align()
	return m
}
