package promise_test

import (
	"math/rand"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// countsUp says, from the recorded history alone, whether a node counted as
// there at a moment, seen from a later one: healthy, or in probation, or in a
// suspicion that has gone straight back to healthy since.
func (m *ground) countsUp(node int, at fleet.Instant) bool {
	h := m.history[node]
	i := len(h) - 1
	for i > 0 && h[i].from > at {
		i--
	}
	if h[i].state == fleet.Suspect && i+1 < len(h) && h[i+1].state == fleet.Healthy {
		return i > 0 && (h[i-1].state == fleet.Healthy || h[i-1].state == fleet.Probation)
	}
	return h[i].state == fleet.Healthy || h[i].state == fleet.Probation
}

// naive is the capacity of semantics §2, recomputed at every moment of the dwell
// at which anything changed: the least of min(nodes there, what the policy allows).
func (m *ground) naive() promise.Capacity {
	moments := []fleet.Instant{m.now, max(0, m.now.Add(-m.s.Policy.Dwell)+1)}
	for _, h := range m.history {
		for _, w := range h {
			if w.from > m.now.Add(-m.s.Policy.Dwell) {
				moments = append(moments, w.from)
			}
		}
	}
	c := promise.Capacity{Shares: make([]int, len(m.p.Islands))}
	whole, allowed := 0, 0
	least := len(m.p.Nodes)
	for i, island := range m.p.Islands {
		n := len(island.Nodes())
		healthy := 0
		for _, node := range island.Nodes() {
			if m.p.Nodes[node].State == fleet.Healthy {
				healthy++
			}
		}
		allows := n * (1000 - int(m.s.BufferFor(m.p, i).Share))
		c.Shares[i] = min(healthy, allows/1000)
		for _, at := range moments {
			c.Shares[i] = min(c.Shares[i], m.upAt(at, func(node int) bool { return m.p.Nodes[node].Island == i }))
		}
		whole, allowed = whole+healthy, allowed+allows
	}
	for _, at := range moments {
		least = min(least, m.upAt(at, func(int) bool { return true }))
	}
	c.Promisable = min(whole, least, allowed/1000)
	return c
}

func (m *ground) upAt(at fleet.Instant, chosen func(node int) bool) int {
	up := 0
	for node := range m.p.Nodes {
		if chosen(node) && m.countsUp(node, at) {
			up++
		}
	}
	return up
}

// TestCapacityIsTheLeastOfTheDwell: fast down, slow up, as a naive recomputation
// over the recorded history says.
func TestCapacityIsTheLeastOfTheDwell(t *testing.T) {
	trySeeds(t, func(t *testing.T, r *rand.Rand) {
		m := randomGround(r)
		for range 40 {
			m.now = m.now.Add(time.Second + time.Duration(r.Intn(5))*20*time.Minute)
			if r.Intn(4) > 0 {
				node := r.Intn(len(m.p.Nodes))
				states := append(fleet.NodeStates(), fleet.Healthy, fleet.Suspect, fleet.Healthy, fleet.Suspect)
				if state := states[r.Intn(len(states))]; state != m.p.Nodes[node].State {
					m.set(node, state)
				}
			}
			if r.Intn(10) == 0 {
				policy := m.s.Policy
				policy.Buffer.Share = fleet.Permille(r.Intn(5) * 75)
				m.s.SetPolicy(policy)
			}
			got, want := promise.CapacityOf(m.s, m.p, m.now), m.naive()
			if got.Promisable != want.Promisable || !equal(got.Shares, want.Shares) {
				t.Errorf("at %v: promisable %d, shares %v; recomputed %d, %v", m.now.Time(), got.Promisable, got.Shares, want.Promisable, want.Shares)
				return
			}
		}
	})
}

func equal(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestARepairRaisesCapacityOnlyAfterTheDwell tells the rule by an example.
func TestARepairRaisesCapacityOnlyAfterTheDwell(t *testing.T) {
	m := newGround(10)
	policy := m.s.Policy
	policy.Buffer.Share = 0
	m.s.SetPolicy(policy)
	begin := m.now
	for _, c := range []struct {
		at    time.Duration
		state fleet.NodeState
		want  int
	}{
		{0, fleet.Healthy, 10},
		{1 * time.Hour, fleet.Quarantined, 9}, // fast down
		{2 * time.Hour, fleet.Probation, 9},   // up for the dwell, not yet to be promised on
		{26 * time.Hour, fleet.Healthy, 10},   // both are over
		{30 * time.Hour, fleet.Suspect, 9},
		{31 * time.Hour, fleet.Healthy, 10}, // leaves no trace
		{40 * time.Hour, fleet.Suspect, 9},
		{41 * time.Hour, fleet.Quarantined, 9},
		{42 * time.Hour, fleet.Healthy, 9},
		{65 * time.Hour, fleet.Healthy, 9},
		{67 * time.Hour, fleet.Healthy, 10}, // slow up
	} {
		m.now = begin.Add(c.at)
		if m.p.Nodes[3].State != c.state {
			m.set(3, c.state)
		}
		if got := promise.CapacityOf(m.s, m.p, m.now).Promisable; got != c.want {
			t.Errorf("after %v, node %s: promisable %d, want %d", c.at, c.state, got, c.want)
		}
	}
}
