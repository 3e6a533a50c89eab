package promise_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// learners are partitions whose islands come and go under policies that learn.
type learners struct {
	s   *fleet.State
	p   *fleet.Partition
	now fleet.Instant
}

// drawnBuffers are policies of every kind, those that learn also with other numbers.
var drawnBuffers = func() (list []fleet.Buffer) {
	for _, kind := range fleet.BufferKinds() {
		list = append(list, fleet.DefaultBuffer(kind))
	}
	for _, kind := range fleet.LearningKinds() {
		list = append(list,
			fleet.Buffer{Kind: kind, Confidence: 900, Floor: 0, Ceiling: 1000},
			fleet.Buffer{Kind: kind, Confidence: 999, Floor: 100, Ceiling: 200})
	}
	return list
}()

func newLearners(t *rapid.T) *learners {
	m := &learners{s: fleet.NewState(), now: fleet.Instant(480000 * int64(time.Hour))}
	m.s.Time = m.now
	policy := fleet.DefaultPolicy()
	policy.Buffer = rapid.SampledFrom(drawnBuffers).Draw(t, "policy")
	m.s.SetPolicy(policy)
	m.s.AddCluster(fleet.Cluster{Name: "t", Mode: fleet.Enforce})
	m.s.AddPartition("t", "g", 8)
	m.p = m.s.Partition("t/g")
	m.island(t, "b")
	m.island(t, "d")
	return m
}

func (m *learners) island(t *rapid.T, name string) {
	m.p.AddIsland(name, rapid.IntRange(1, 3).Draw(t, "racks"))
	m.grow(name, rapid.IntRange(1, 20).Draw(t, "nodes"))
}

func (m *learners) grow(island string, nodes int) {
	i, _ := m.p.Island(island)
	for range nodes {
		m.p.AddNode(island+"-"+string(rune('A'+len(m.p.Nodes))), i, 0, m.now)
	}
}

func (m *learners) step(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(0, 5*24*60).Draw(t, "minutes")) * time.Minute)
	m.s.Time = m.now
	switch rapid.IntRange(0, 9).Draw(t, "what") {
	case 0:
		if name := rapid.SampledFrom([]string{"a", "c", "e"}).Draw(t, "island"); !m.has(name) {
			m.island(t, name)
		}
	case 1:
		m.grow("b", rapid.IntRange(1, 5).Draw(t, "more"))
	case 2:
		m.s.Judge(m.now)
		m.s.SetBuffer(rapid.SampledFrom([]string{"t", "t/g", "t/g/b"}).Draw(t, "scope"), rapid.SampledFrom(drawnBuffers).Draw(t, "buffer"))
	default:
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			node := rapid.IntRange(0, len(m.p.Nodes)-1).Draw(t, "node")
			state := rapid.SampledFrom([]fleet.NodeState{fleet.Suspect, fleet.Repairing, fleet.Healthy, fleet.Healthy}).Draw(t, "state")
			if m.p.Nodes[node].State != state {
				m.p.SetNode(node, state, 0, "", m.now)
			}
		}
	}
}

func (m *learners) has(island string) bool { _, ok := m.p.Island(island); return ok }

// Whatever happened, nothing is promised that is not healthy, and what is sustainable is no
// more than what is promisable. The answer follows from the state alone: a state that was
// decoded, or copied, and had to read the whole past at once gives the same.
func TestWhatIsLearnedFollowsFromTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newLearners(t)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			m.step(t)
			got, whole := promise.CapacityOf(m.s, m.p, m.now), 0
			for i, island := range m.p.Islands {
				whole += island.Whole()
				if got.Shares[i] < 0 || got.Shares[i] > island.Whole() {
					t.Fatalf("island %s: own share %d of %d whole nodes", island.Name, got.Shares[i], island.Whole())
				}
			}
			if got.Promisable < 0 || got.Promisable > whole || got.Sustainable > got.Promisable || got.Sustainable < 0 {
				t.Fatalf("%d promisable and %d sustainable of %d whole nodes", got.Promisable, got.Sustainable, whole)
			}
			data, err := m.s.Encode()
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := fleet.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			for name, s := range map[string]*fleet.State{"decoded": decoded, "copied": m.s.Clone()} {
				if other := promise.CapacityOf(s, s.Partition("t/g"), m.now); !equal(other.Shares, got.Shares) ||
					other.Promisable != got.Promisable || other.Sustainable != got.Sustainable {
					t.Fatalf("live %+v, %s %+v", got, name, other)
				}
			}
		}
	})
}
