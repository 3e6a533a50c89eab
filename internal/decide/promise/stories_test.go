package promise_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// exact lets all whole nodes be promised, at once.
func (m *ground) exact() {
	policy := m.s.Policy
	policy.Dwell, policy.Buffer.Share = 0, 0
	m.s.SetPolicy(policy)
}

// singles starts one single-node workload on each of some free nodes of an island.
func (m *ground) singles(quota string, island, count int) []*fleet.Workload {
	var list []*fleet.Workload
	for _, node := range m.free(island)[:count] {
		list = append(list, m.run(quota, []int{node}, 8, fleet.Mid))
	}
	m.classify()
	return list
}

func (m *ground) backs(t *testing.T, when, quota string, want ...int) {
	t.Helper()
	if got := m.p.Account(quota).Backing; !equal(got, want) {
		t.Errorf("%s: %s is backed by %v, want %v\n%s", when, quota, got, want, m.text())
	}
}

// A gang that starts on its quota's backing drives no other declared gang, and
// what that lends, from an island with whole nodes for both, though the own
// share does not hold both.
func TestARunningGangDrivesNoDeclaredGang(t *testing.T) {
	m := newGround(8, 8)
	policy := m.s.Policy
	policy.Buffer.Share = 250 // own shares of 6 nodes
	m.s.SetPolicy(policy)
	m.grant("c/x", 5, 5)
	m.grant("c/y", 0, 0)
	m.grant("b", 3, 0)
	m.align()
	m.p.SetBacking("b", 0, 3)
	m.p.SetBacking("b", 1, 0)
	m.settle()
	m.backs(t, "at first", "c/x", 5, 0)
	m.backs(t, "at first", "b", 3, 0)
	borrower := m.singles("c/y", 0, 1)[0]
	m.run("b", m.free(0)[:3], 8, fleet.Mid)
	m.classify()
	m.settle()
	m.backs(t, "while b runs a gang", "c/x", 5, 0)
	m.backs(t, "while b runs a gang", "b", 3, 0)
	if borrower.HeldAs() != fleet.HoldsBorrowing {
		t.Errorf("the borrower is %v", borrower.HeldAs())
	}
}

// A declared gang waits where an island has room for it, but too little is
// promisable beside what others run: 9 of 10 nodes, 6 with work and a gang of 4.
func TestADeclaredGangWaitsForRunningWorkAnywhere(t *testing.T) {
	m := newGround(5, 5)
	policy := m.s.Policy
	policy.Dwell, policy.Buffer.Share = 0, 100
	m.s.SetPolicy(policy)
	m.grant("a", 12, 0)
	m.grant("c", 2, 0)
	m.settle()
	first, second := m.singles("a", 0, 5), m.singles("a", 1, 1)
	m.settle()
	third := m.singles("c", 1, 1)
	m.grant("b", 5, 4)
	m.settle()
	m.end(second[0])
	m.settle()
	b := m.p.Account("b")
	if b.GangMissing != 8 || b.GangIsland != 1 {
		t.Errorf("b's gang misses %d GPUs in island %d, want 8 in 1\n%s", b.GangMissing, b.GangIsland, m.text())
	}
	for _, w := range append(first, third...) {
		if w.HeldAs() != fleet.HoldsGuaranteed {
			t.Errorf("w%d is %v\n%s", w.ID, w.HeldAs(), m.text())
		}
	}
	m.end(first[0])
	m.settle()
	m.backs(t, "when one of a's has ended", "b", 0, 4)
	m.backs(t, "when one of a's has ended", "a", 4, 0)
	m.backs(t, "when one of a's has ended", "c", 0, 1)
	if b.GangMissing != 0 {
		t.Errorf("b's gang misses %d", b.GangMissing)
	}
}

// What a gang took beyond its quota's part goes back when it ends, but not from
// under other work on the same nodes; a changed grant shares anew.
func TestAGangThatEndsTakesNoCoverWithIt(t *testing.T) {
	m := newGround(10)
	m.exact()
	m.grant("a", 10, 0)
	m.settle()
	nodes := m.free(0)[:7]
	gang := m.run("a", nodes, 4, fleet.High)
	for _, node := range nodes {
		m.run("a", []int{node}, 4, fleet.Mid)
	}
	m.classify()
	m.grant("b", 10, 0)
	m.settle()
	m.backs(t, "while the gang runs", "a", 7)
	m.end(gang)
	m.settle()
	m.backs(t, "when the gang has ended", "a", 7)
	m.end(m.works[len(m.works)-1])
	m.settle()
	m.backs(t, "when another job has ended", "a", 6)
	m.grant("b", 11, 0)
	m.settle()
	m.backs(t, "when b is granted more", "a", 5)
}

// What an alignment has to give up is, of work that is covered, the least
// important and youngest.
func TestTheLeastImportantLosesCover(t *testing.T) {
	m := newGround(3, 3)
	m.exact()
	m.grant("a", 6, 0)
	m.settle()
	low := m.run("a", m.free(0)[:3], 8, fleet.Low)
	high := m.run("a", m.free(1)[:3], 8, fleet.High)
	m.classify()
	m.grant("a", 3, 0)
	m.settle()
	if low.HeldAs() != fleet.HoldsUnprotected || high.HeldAs() != fleet.HoldsGuaranteed {
		t.Errorf("low is %v and high is %v\n%s", low.HeldAs(), high.HeldAs(), m.text())
	}
}
