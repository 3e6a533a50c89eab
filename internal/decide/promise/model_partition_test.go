package promise_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"sort"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var (
	seedFlag = flag.Int64("seed", 0, "play only the random partition of this seed")
	seeds    = flag.Int64("seeds", 1500, "on how many random partitions each property is tried")
)

// trySeeds plays the seed that was asked for, or one after another;
// it prints the first that breaks something.
func trySeeds(t *testing.T, play func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	seed, last := int64(1), *seeds
	if *seedFlag != 0 {
		seed, last = *seedFlag, *seedFlag
	}
	for ; seed <= last && !t.Failed(); seed++ {
		play(t, rand.New(rand.NewSource(seed)))
		if t.Failed() {
			t.Logf("play it again with -seed %d", seed)
		}
	}
	t.Logf("seeds up to %d", seed-1)
}

// ground is a partition whose nodes, grants and work a test changes by hand.
type ground struct {
	s   *fleet.State
	p   *fleet.Partition
	now fleet.Instant
	// history is the state of every node from each moment on that it changed.
	history [][]was
	works   []*fleet.Workload
	nextID  uint64
}

type was struct {
	from  fleet.Instant
	state fleet.NodeState
}

// newGround builds partition t/g with nodes of 8 GPUs in islands of these sizes.
func newGround(islands ...int) *ground {
	m := &ground{s: fleet.NewState(), now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	m.s.AddCluster(fleet.Cluster{Name: "t", Mode: fleet.Enforce})
	m.s.AddPartition("t", "g", 8)
	m.p = m.s.Partition("t/g")
	for i, nodes := range islands {
		name := islandName(i)
		m.p.AddIsland(name, 1)
		at, _ := m.p.Island(name)
		for k := range nodes {
			m.p.AddNode(fmt.Sprintf("%s%02d", name, k), at, 0, m.now)
			m.history = append(m.history, []was{{m.now, fleet.Healthy}})
		}
	}
	return m
}

// islandName numbers islands a, b, …; those beyond z have longer names, in order.
func islandName(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprintf("z%05d", i)
}

func randomGround(r *rand.Rand) *ground {
	sizes := make([]int, 1+r.Intn(4))
	for i := range sizes {
		sizes[i] = 1 + r.Intn(9)
	}
	m := newGround(sizes...)
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = fleet.Permille(r.Intn(5) * 75)
	policy.Dwell = time.Duration(r.Intn(3)) * time.Hour
	m.s.SetPolicy(policy)
	return m
}

// set puts a node into a state; what stood there is lost unless it may stay.
func (m *ground) set(node int, state fleet.NodeState) {
	dead := 0
	if state == fleet.Degraded {
		dead = 1
	}
	if !state.Keeps() || dead > 0 {
		for _, w := range m.works {
			m.s.Drop(w, w.Spots(func(r fleet.Replica) bool { return r.Node == node }))
			m.s.Settle(w, m.now)
		}
	}
	m.p.SetNode(node, state, dead, "test", m.now)
	m.history[node] = append(m.history[node], was{m.now, state})
}

// grant makes a quota's grant so many nodes, with a gang of so many.
func (m *ground) grant(quota string, nodes, gang int) {
	if m.s.Quota(quota) == nil {
		m.s.AddQuota(fleet.Quota{Path: quota})
	}
	m.p.SetGrant(quota, 8*nodes, 8*gang, true)
}

// run starts replicas of so many GPUs for a quota, one on each of these nodes of one island.
func (m *ground) run(quota string, nodes []int, gpus int, priority fleet.Priority) *fleet.Workload {
	m.nextID++
	reach := fleet.ReachIsland
	if len(nodes) == 1 {
		reach = fleet.ReachAny
	}
	w := m.s.AddWorkload(m.nextID, fleet.Spec{
		Name: fmt.Sprint("w", m.nextID), Namespace: "n", Target: quota, Priority: priority,
		Pools: []fleet.Pool{{Name: "p", GPUs: gpus, Min: len(nodes), Max: len(nodes), Reach: reach}},
	}, m.now)
	m.s.Place(w, m.p, []fleet.Spot{{Nodes: nodes}}, fleet.Running, fleet.HoldsUnprotected)
	m.s.Settle(w, m.now)
	m.works = append(m.works, w)
	return w
}

// admit starts replicas as run does, if a newcomer would be let in so: the
// newcomer is covered, by its quota or its tree, and uncovers no other.
func (m *ground) admit(quota string, nodes []int, gpus int, priority fleet.Priority) {
	before := m.holds()
	w := m.run(quota, nodes, gpus, priority)
	m.classify()
	ok := w.HeldAs() != fleet.HoldsUnprotected
	for _, x := range m.works {
		ok = ok && (x == w || x.HeldAs() != fleet.HoldsUnprotected || before[x.ID] == fleet.HoldsUnprotected)
	}
	if !ok {
		m.end(w)
		m.classify()
	}
}

// holds is how every workload holds its GPUs, by ID.
func (m *ground) holds() map[uint64]fleet.HeldAs {
	holds := map[uint64]fleet.HeldAs{}
	for _, w := range m.works {
		holds[w.ID] = w.HeldAs()
	}
	return holds
}

// classify says how all work holds its GPUs, in the words of semantics §5: in
// the order of its quota as long as the backing covers it, then of its tree.
// It says whether anything changed.
func (m *ground) classify() bool {
	changed := false
	for _, tree := range []string{"a", "b", "c"} {
		changed = m.classifyTree(tree) || changed
	}
	return changed
}

func (m *ground) classifyTree(tree string) bool {
	all := newCover(len(m.p.Islands))
	holds := map[*fleet.Workload]fleet.HeldAs{}
	var rest []*fleet.Workload
	for _, a := range m.p.Accounts {
		if a.Tree() != tree {
			continue
		}
		own := newCover(len(m.p.Islands))
		own.allow(a.Backing)
		all.allow(a.Backing)
		for _, w := range a.Work() {
			if own.add(m.p, w) {
				holds[w] = fleet.HoldsGuaranteed
			} else {
				rest = append(rest, w)
			}
		}
	}
	for w := range holds {
		all.add(m.p, w)
	}
	sort.SliceStable(rest, func(i, j int) bool {
		return fleet.KeyOf(rest[i], 0, false).Before(fleet.KeyOf(rest[j], 0, false))
	})
	for _, w := range rest {
		holds[w] = fleet.HoldsBorrowing
		if with := all.copy(); with.add(m.p, w) {
			all = with
		} else {
			holds[w] = fleet.HoldsUnprotected
		}
	}
	changed := false
	for w, is := range holds {
		if was := w.HeldAs(); was != is {
			changed = true
			m.s.SetHolds(w, 0, 0, len(w.Replicas[0]), is)
		}
	}
	return changed
}

// cover is what is left of a backing, in GPUs and in nodes of each island.
type cover struct {
	gpus  int
	nodes []int
	on    map[int]bool
}

func newCover(islands int) *cover { return &cover{nodes: make([]int, islands), on: map[int]bool{}} }

func (c *cover) allow(backing []int) {
	for i, n := range backing {
		c.nodes[i] += n
		c.gpus += 8 * n
	}
}

func (c *cover) copy() *cover {
	return &cover{c.gpus, append([]int(nil), c.nodes...), maps.Clone(c.on)}
}

// add counts a workload and says whether all so far is inside where it stands.
func (c *cover) add(p *fleet.Partition, w *fleet.Workload) bool {
	inside := true
	for _, r := range w.Replicas[0] {
		c.gpus -= w.Pools[0].GPUs
		island := p.Nodes[r.Node].Island
		if !c.on[r.Node] {
			c.on[r.Node] = true
			c.nodes[island]--
		}
		inside = inside && c.nodes[island] >= 0
	}
	return inside && c.gpus >= 0
}

// end takes a workload's replicas away.
func (m *ground) end(w *fleet.Workload) {
	if w.At() != nil {
		m.s.End(w, fleet.Finished, m.now)
	}
	for i, x := range m.works {
		if x == w {
			m.works = append(m.works[:i], m.works[i+1:]...)
			break
		}
	}
}

// free lists the whole nodes of an island on which nothing stands.
func (m *ground) free(island int) []int {
	var list []int
	for _, n := range m.p.Islands[island].Nodes() {
		if m.p.Nodes[n].Whole() && len(m.p.Nodes[n].Residents()) == 0 {
			list = append(list, n)
		}
	}
	return list
}

// room lists the nodes of an island on which a quota may start a replica of so many GPUs.
func (m *ground) room(quota string, island, gpus int) []int {
	var list []int
	for _, n := range m.p.Islands[island].Nodes() {
		node := m.p.Nodes[n]
		if owner := node.Owner(); node.Whole() && node.Room() >= gpus && (owner == nil || owner.Quota == quota) {
			list = append(list, n)
		}
	}
	return list
}

// settle aligns and classifies in turn until neither changes anything, and says whether that came to pass.
func (m *ground) settle() bool {
	for range 20 {
		if a := m.align(); !m.classify() && len(a.Moved) == 0 {
			return true
		}
	}
	return false
}

// giveUpBroken ends the gangs that have lost a replica with its node.
func (m *ground) giveUpBroken() {
	for _, w := range append([]*fleet.Workload(nil), m.works...) {
		if len(w.Replicas[0]) < w.Pools[0].Min {
			m.end(w)
		}
	}
	m.classify()
}

// align aligns the partition, and puts the result in force as core does.
func (m *ground) align() promise.Alignment {
	a := promise.Align(m.s, m.p, m.now)
	m.p.Promisable, m.p.Regranted = a.Promisable, false
	for i, island := range m.p.Islands {
		island.Share = a.Shares[i]
	}
	for k, acc := range m.p.Accounts {
		for i, nodes := range a.Backing[k] {
			m.p.SetBacking(acc.Quota, i, nodes)
		}
		m.p.SetGang(acc.Quota, a.Gangs[k].Missing, a.Gangs[k].Island)
	}
	return a
}

func (m *ground) backed(quota string) int { return m.p.Account(quota).BackedNodes() }
