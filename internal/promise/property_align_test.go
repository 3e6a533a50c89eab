package promise_test

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/promise"
)

var quotas = []string{"a", "a/b", "a/c", "b", "c/x", "c/y"}

// change is what a random step changed; it says what an alignment may do.
type change int

const (
	workOnly change = iota // work came or went: no quota may lose cover
	people                 // grants or policies
	health
)

// step changes something at random.
func (m *metal) step(r *rand.Rand) change {
	m.now = m.now.Add(time.Duration(r.Intn(3)) * 20 * time.Minute)
	switch k := r.Intn(10); {
	case k < 3:
		node := r.Intn(len(m.p.Nodes))
		m.set(node, []fleet.NodeState{fleet.Healthy, fleet.Healthy, fleet.Suspect, fleet.Quarantined, fleet.Probation}[r.Intn(5)])
		return health
	case k < 5:
		nodes := r.Intn(8)
		m.grant(quotas[r.Intn(len(quotas))], nodes, r.Intn(2)*r.Intn(nodes+1))
		return people
	case k < 6 && len(m.works) > 0:
		m.end(m.works[r.Intn(len(m.works))])
	default:
		m.runSomething(r)
	}
	return workOnly
}

// runSomething starts a gang where its quota's backing has room, or else its tree's.
func (m *metal) runSomething(r *rand.Rand) {
	if len(m.p.Accounts) == 0 {
		return
	}
	a, i := m.p.Accounts[r.Intn(len(m.p.Accounts))], r.Intn(len(m.p.Islands))
	room, holds := a.Backing[i]-a.Touched(i), fleet.HoldsGuaranteed
	if lent := a.Root().Backing(i) - a.Root().Touched(i); room <= 0 || lent < room {
		room, holds = min(lent, 3), fleet.HoldsBorrowing
	}
	free := m.free(i)
	if n := min(room, len(free)); n > 0 {
		m.run(a.Quota, free[:1+r.Intn(n)], holds)
	}
}

// TestAlignmentHolds: never overpromise, within grants, declared gangs whole or
// flagged, all backed that can be; aligning twice is aligning once; and work that
// comes or goes takes cover from nobody.
func TestAlignmentHolds(t *testing.T) {
	trySeeds(t, func(t *testing.T, r *rand.Rand) {
		m := randomMetal(r)
		for range 3 {
			n := r.Intn(8)
			m.grant(quotas[r.Intn(len(quotas))], n, r.Intn(n+1))
		}
		m.align()
		for line := range 40 {
			promisable := m.p.Promisable
			changed := m.step(r)
			covers := m.covers()
			before := m.text()
			a := m.align()
			after := m.text()
			for _, wrong := range m.wrong(a) {
				t.Errorf("line %d: %s\n%s\n%s", line, wrong, before, after)
			}
			if m.align(); m.text() != after {
				t.Errorf("line %d: aligning again changes\n%s\nto\n%s", line, after, m.text())
			}
			if changed == workOnly && promisable <= m.p.Promisable {
				for at, cover := range m.covers() {
					if cover < covers[at] {
						t.Errorf("line %d: work of %s is covered on %d nodes, was on %d, and only work changed\n%s\n%s", line, at, cover, covers[at], before, after)
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	})
}

// covers is how many of the nodes that a tree touches in an island its backing covers.
func (m *metal) covers() map[string]int {
	covers := map[string]int{}
	for _, a := range m.p.Accounts {
		for i, island := range m.p.Islands {
			at := fmt.Sprintf("tree %s in island %s", a.Tree(), island.Name)
			covers[at] = min(a.Root().Touched(i), a.Root().Backing(i))
		}
	}
	return covers
}

// wrong lists which of rules 1, 2, 3 and 5 of semantics §3 an alignment breaks.
func (m *metal) wrong(a promise.Alignment) []string {
	var list []string
	say := func(ok bool, format string, args ...any) {
		if !ok {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	all := 0
	for i, island := range m.p.Islands {
		sum := 0
		for k := range m.p.Accounts {
			say(a.Backing[k][i] >= 0, "%s has %d nodes of %s", m.p.Accounts[k].Quota, a.Backing[k][i], island.Name)
			sum += a.Backing[k][i]
		}
		say(sum <= island.Whole(), "island %s backs %d nodes and has %d", island.Name, sum, island.Whole())
		say(a.Shares[i] <= island.Whole(), "island %s has a share of %d nodes and %d whole ones", island.Name, a.Shares[i], island.Whole())
		all += sum
	}
	say(all <= a.Promisable, "%d nodes back quotas, %d are promisable", all, a.Promisable)
	say(all == min(a.Promisable, m.p.Assigned()/8), "%d nodes back quotas; %d are promisable and %d assigned", all, a.Promisable, m.p.Assigned()/8)
	for k, acc := range m.p.Accounts {
		got, widest := 0, 0
		for i := range m.p.Islands {
			got += a.Backing[k][i]
			widest = max(widest, min(a.Backing[k][i], a.Shares[i]))
		}
		say(got*8 <= acc.Grant, "%s is granted %d nodes and backed by %d", acc.Quota, acc.Grant/8, got)
		say(a.Gangs[k].Missing > 0 || widest*8 >= min(acc.Gang, acc.Grant), "the gang of %s (%d nodes) stands in no island, and is not flagged", acc.Quota, acc.Gang/8)
		say(a.Gangs[k].Missing >= 0, "the gang of %s misses %d", acc.Quota, a.Gangs[k].Missing)
	}
	return list
}

// text shows a partition's capacity, backing and work.
func (m *metal) text() string {
	s := fmt.Sprintf("promisable %d;", m.p.Promisable)
	for i, island := range m.p.Islands {
		s += fmt.Sprintf(" %s: share %d of %d whole, %d touched by", island.Name, island.Share, island.Whole(), len(m.p.Islands[i].Nodes())-len(m.free(i)))
		for _, a := range m.p.Accounts {
			s += fmt.Sprintf(" %s %d,", a.Quota, a.Touched(i))
		}
	}
	for _, a := range m.p.Accounts {
		s += fmt.Sprintf("\n  %s: grant %d gang %d missing %d in %d; backing %v", a.Quota, a.Grant/8, a.Gang/8, a.GangMissing, a.GangIsland, a.Backing)
	}
	return s
}

// TestReturningMetalCostsNobody: where no gangs are declared, one more node to
// promise never lowers what any quota gets (Sainte-Laguë is house-monotone).
func TestReturningMetalCostsNobody(t *testing.T) {
	trySeeds(t, func(t *testing.T, r *rand.Rand) {
		m := randomMetal(r)
		policy := m.s.Policy
		policy.Dwell, policy.Buffer.Share = 0, 0
		m.s.SetPolicy(policy)
		for range 2 + r.Intn(4) {
			m.grant(quotas[r.Intn(len(quotas))], r.Intn(len(m.p.Nodes)+2), 0)
		}
		for node := range m.p.Nodes {
			m.set(node, fleet.Quarantined)
		}
		m.align()
		for _, node := range r.Perm(len(m.p.Nodes)) {
			before := map[string]int{}
			for _, a := range m.p.Accounts {
				before[a.Quota] = a.BackedNodes()
			}
			m.set(node, fleet.Healthy)
			m.align()
			for _, a := range m.p.Accounts {
				if a.BackedNodes() < before[a.Quota] {
					t.Errorf("a node came back, and %s went from %d nodes to %d\n%s", a.Quota, before[a.Quota], a.BackedNodes(), m.text())
					return
				}
			}
		}
	})
}

// Hard case 12: grants of 6, 6 and 2 nodes; with 10 promisable and then 11,
// nobody's backing falls. (The largest remainder would take one from the third.)
func TestGrantsOf6And6And2(t *testing.T) {
	m := newMetal(11)
	policy := m.s.Policy
	policy.Dwell, policy.Buffer.Share = 0, 0
	m.s.SetPolicy(policy)
	m.grant("a", 6, 0)
	m.grant("b", 6, 0)
	m.grant("c", 2, 0)
	m.set(0, fleet.Quarantined)
	m.align()
	was := []int{m.backed("a"), m.backed("b"), m.backed("c")}
	m.set(0, fleet.Healthy)
	m.align()
	is := []int{m.backed("a"), m.backed("b"), m.backed("c")}
	if was[0]+was[1]+was[2] != 10 || is[0]+is[1]+is[2] != 11 {
		t.Fatalf("backed %v with 10 promisable and %v with 11", was, is)
	}
	for i := range was {
		if is[i] < was[i] {
			t.Errorf("backed %v with 10 promisable and %v with 11", was, is)
		}
	}
}

// TestNamesOfNodesDoNotMatter: an alignment depends on where nodes stand and how
// they are, not on what they are called.
func TestNamesOfNodesDoNotMatter(t *testing.T) {
	trySeeds(t, func(t *testing.T, r *rand.Rand) {
		seed := r.Int63()
		a, b := play(seed, nil), play(seed, func(n *fleet.Node) { n.Name = fmt.Sprintf("%x", n.Name)[:4] + n.Name })
		if a != b {
			t.Errorf("with other names\n%s\nbecomes\n%s", a, b)
		}
	})
}

// play plays a random partition, with its nodes renamed at the beginning.
func play(seed int64, rename func(*fleet.Node)) string {
	r := rand.New(rand.NewSource(seed))
	m := randomMetal(r)
	if rename != nil {
		for _, n := range m.p.Nodes {
			rename(n)
		}
	}
	text := ""
	for range 15 {
		m.step(r)
		m.align()
		text += m.text() + "\n"
	}
	return text
}
