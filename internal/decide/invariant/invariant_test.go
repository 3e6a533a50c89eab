package invariant_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var noon = fleet.InstantOf(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))

// sound is a fleet in which everything holds. Partition t/g has islands a and b of
// four nodes. Quota q/x has two nodes of a and a running gang there. Quota q/y has one node
// and a borrower. Two pieces of flex work run, too.
func sound() *fleet.State {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "t", Mode: fleet.Enforce})
	s.AddPartition("t", "g", 8)
	p := s.Partition("t/g")
	for i, name := range []string{"a", "b"} {
		p.AddIsland(name, 2)
		for k := range 4 {
			p.AddNode(fmt.Sprint(name, k), i, k/2, noon)
		}
		p.Islands[i].Share = 4
	}
	p.Promisable = 4
	for quota, nodes := range map[string]int{"q/x": 3, "q/y": 1} {
		s.AddQuota(fleet.Quota{Path: quota})
		p.SetGrant(quota, 8*nodes, 0, false)
	}
	p.SetBacking("q/x", 0, 3)
	p.SetBacking("q/y", 1, 1)
	place(s, "gang", "q/x", fleet.HoldsGuaranteed, gang(8, 2, fleet.ReachRack), 0, 1)
	place(s, "borrower", "q/y", fleet.HoldsBorrowing, gang(4, 2, fleet.ReachIsland), 2, 2)
	place(s, "flex", fleet.Flex, fleet.HoldsFlex, fleet.Pool{Name: "p", GPUs: 1, Min: 1, Max: 4, Elastic: true, Reach: fleet.ReachAny}, 5, 5)
	s.AddWorkload(s.NextID, fleet.Spec{Name: "waits", Namespace: "n", Target: "q/x", Pools: []fleet.Pool{gang(8, 4, fleet.ReachIsland)}}, noon)
	return s
}

func gang(gpus, replicas int, reach fleet.Reach) fleet.Pool {
	return fleet.Pool{Name: "p", GPUs: gpus, Min: replicas, Max: replicas, Reach: reach}
}

func place(s *fleet.State, name, target string, holds fleet.HeldAs, pool fleet.Pool, nodes ...int) {
	w := s.AddWorkload(max(1, s.NextID), fleet.Spec{Name: name, Namespace: "n", Target: target, Grace: time.Minute, Pools: []fleet.Pool{pool}}, noon)
	s.Place(w, s.Partition("t/g"), []fleet.Spot{{Nodes: nodes}}, fleet.Running, holds)
	s.Settle(w, noon)
}

func TestASoundFleetBreaksNothing(t *testing.T) {
	for _, b := range invariant.Check(sound()) {
		t.Error(b)
	}
}

// TestEveryRuleIsAsked breaks one thing at a time, and wants it found.
func TestEveryRuleIsAsked(t *testing.T) {
	for _, c := range []struct {
		name, rule string
		harm       func(s *fleet.State, p *fleet.Partition)
	}{
		{"more backing than whole nodes", "never overpromise", func(_ *fleet.State, p *fleet.Partition) { p.Account("q/x").Backing[0] = 5 }},
		{"more backing than promisable", "never overpromise", func(_ *fleet.State, p *fleet.Partition) { p.Promisable = 3 }},
		{"more promisable than healthy", "never overpromise", func(_ *fleet.State, p *fleet.Partition) { p.Promisable = 9 }},
		{"a share beyond the island", "never overpromise", func(_ *fleet.State, p *fleet.Partition) { p.Islands[1].Share = 5 }},
		{"more backing than granted", "backed within grant", func(_ *fleet.State, p *fleet.Partition) { p.Account("q/y").Grant = 0 }},
		{"less backed than could be", "all backed that can be", func(_ *fleet.State, p *fleet.Partition) { p.Account("q/x").Backing[0] = 2 }},
		{"a gang that stands nowhere, unflagged", "a backed gang has its island", func(_ *fleet.State, p *fleet.Partition) {
			a := p.Account("q/x")
			a.Gang, a.Backing = 24, []int{2, 1}
		}},
		{"a GPU held twice", "no GPU held twice", func(s *fleet.State, _ *fleet.Partition) {
			place(s, "second", fleet.Flex, fleet.HoldsFlex, gang(8, 1, fleet.ReachAny), 0)
		}},
		{"work on a node that is out", "nothing stays on a node that is out", func(_ *fleet.State, p *fleet.Partition) { p.SetNode(5, fleet.Quarantined, 0, "", noon) }},
		{"work on dead GPUs", "no GPU held twice", func(_ *fleet.State, p *fleet.Partition) { p.SetNode(0, fleet.Degraded, 1, "", noon) }},
		{"dead GPUs on a healthy node", "dead GPUs belong to degraded nodes", func(_ *fleet.State, p *fleet.Partition) { p.SetNode(7, fleet.Healthy, 1, "", noon) }},
		{"two quotas on a node", "a node carries one quota's work", func(s *fleet.State, _ *fleet.Partition) {
			place(s, "gang2", "q/x", fleet.HoldsGuaranteed, gang(1, 1, fleet.ReachAny), 7)
			place(s, "other", "q/y", fleet.HoldsGuaranteed, gang(1, 1, fleet.ReachAny), 7)
		}},
		{"half a gang", "a gang is whole, being mended, or not running", func(s *fleet.State, _ *fleet.Partition) {
			s.Drop(s.Workload("n", "gang"), []fleet.Spot{{Nodes: []int{1}}})
		}},
		{"a gang across racks", "a pool stands within its reach", func(s *fleet.State, _ *fleet.Partition) {
			place(s, "wide", fleet.Flex, fleet.HoldsFlex, gang(1, 2, fleet.ReachRack), 5, 6)
		}},
		{"a gang across islands", "a pool stands within its reach", func(s *fleet.State, _ *fleet.Partition) {
			place(s, "wide", fleet.Flex, fleet.HoldsFlex, gang(1, 2, fleet.ReachIsland), 3, 6)
		}},
		{"a gang across islands, from the first node on", "a pool stands within its reach", func(s *fleet.State, _ *fleet.Partition) {
			place(s, "wide", fleet.Flex, fleet.HoldsFlex, gang(1, 2, fleet.ReachIsland), 0, 6)
		}},
		{"more replicas than max", "a pool has at most its replicas", func(s *fleet.State, p *fleet.Partition) {
			s.Place(s.Workload("n", "flex"), p, []fleet.Spot{{Nodes: []int{6, 6, 6}}}, fleet.Running, fleet.HoldsFlex)
		}},
		{"guaranteed beside the backing", "guaranteed work stands inside its quota's backing", func(s *fleet.State, _ *fleet.Partition) {
			place(s, "beside", "q/x", fleet.HoldsGuaranteed, gang(1, 1, fleet.ReachAny), 6)
		}},
		{"borrowing beside the tree's backing", "borrowing work stands inside its tree's backing", func(s *fleet.State, _ *fleet.Partition) {
			place(s, "beside", "q/x", fleet.HoldsBorrowing, gang(1, 2, fleet.ReachAny), 6, 7)
		}},
		{"in-quota work that holds flex", "a unit holds its GPUs in one way, fit for its target", func(s *fleet.State, _ *fleet.Partition) {
			s.SetHolds(s.Workload("n", "gang"), 0, 0, 2, fleet.HoldsFlex)
		}},
		{"a gang that holds in two ways", "a unit holds its GPUs in one way, fit for its target", func(s *fleet.State, _ *fleet.Partition) {
			s.SetHolds(s.Workload("n", "gang"), 0, 1, 2, fleet.HoldsBorrowing)
		}},
		{"a state that is not so", "a workload's state says what it holds", func(s *fleet.State, _ *fleet.Partition) { s.Workload("n", "gang").State = fleet.Evicting }},
		{"leaving without an end", "grace ends for those who leave, and only for them", func(s *fleet.State, _ *fleet.Partition) {
			w := s.Workload("n", "gang")
			s.Leave(w, w.Spots(func(fleet.Replica) bool { return true }))
			w.State = fleet.Evicting
		}},
		{"a replica that no index knows", "an index equals its recount", func(s *fleet.State, _ *fleet.Partition) {
			w := s.Workload("n", "flex")
			w.Replicas[0] = append(w.Replicas[0], fleet.Replica{Node: 6, Phase: fleet.Running, HeldAs: fleet.HoldsFlex})
		}},
		{"a node that changed by the way", "an index equals its recount", func(_ *fleet.State, p *fleet.Partition) { p.Nodes[7].State = fleet.Probation }},
		{"a queue with an old key", "an index equals its recount", func(s *fleet.State, _ *fleet.Partition) { s.Workload("n", "waits").Priority = fleet.Low }},
		{"an end that the queue has not heard of", "an index equals its recount", func(s *fleet.State, _ *fleet.Partition) { s.Workload("n", "waits").State = fleet.Cancelled }},
		{"a name lost", "an index equals its recount", func(s *fleet.State, _ *fleet.Partition) { s.Workload("n", "waits").Name = "hides" }},
	} {
		s := sound()
		c.harm(s, s.Partition("t/g"))
		if !finds(invariant.Check(s), c.rule) {
			t.Errorf("%s: %q is not found broken, only %v", c.name, c.rule, invariant.Check(s))
		}
	}
}

func finds(found []invariant.Broken, rule string) bool {
	for _, b := range found {
		if b.Rule == rule && b.Detail != "" && strings.Contains(b.String(), rule) {
			return true
		}
	}
	return false
}

// TestSilenceKeepsTheLastBacking: where reports have stopped, backing may stand
// on fewer nodes than it says.
func TestSilenceKeepsTheLastBacking(t *testing.T) {
	s := sound()
	for node := range 4 {
		if node != 0 && node != 1 && node != 2 {
			s.Partition("t/g").SetNode(node, fleet.Suspect, 0, "", noon)
		}
	}
	s.Partition("t/g").Account("q/x").Grant = 0
	if !finds(invariant.Check(s), "backed within grant") {
		t.Fatal("a backing above its grant is not found")
	}
	s.Cluster("t").Stale = true
	for _, b := range invariant.Check(s) {
		t.Error(b)
	}
}

func TestEvictionsThatMayNotBe(t *testing.T) {
	for _, c := range []struct {
		victim, owner, rule string
	}{
		{"gang", "flex", "in-quota work is never evicted for flex"},
		{"gang", "borrower", "guaranteed work is never evicted for another quota"},
		{"borrower", "gang", ""},
		{"flex", "gang", ""},
		{"gang", "waits", ""}, // of the same quota
	} {
		s := sound()
		v, o := s.Workload("n", c.victim), s.Workload("n", c.owner)
		spots := v.Spots(func(fleet.Replica) bool { return true })
		v.GraceEnds = noon.Add(time.Minute)
		s.Leave(v, spots)
		s.Settle(v, noon)
		found := invariant.After(s, nil, []invariant.Eviction{{Victim: v.ID, Owner: o.ID, Whole: true, Spots: spots}})
		if (c.rule == "") != (len(found) == 0) || (c.rule != "" && !finds(found, c.rule)) {
			t.Errorf("%s leaves for %s: found %v, want %q", c.victim, c.owner, found, c.rule)
		}
	}
}

// TestAfterAsksThePartitionsItIsTold is what production pays for.
func TestAfterAsksThePartitionsItIsTold(t *testing.T) {
	s := sound()
	s.Partition("t/g").Promisable = 3
	if found := invariant.After(s, []string{"no/such"}, nil); len(found) > 0 {
		t.Errorf("nothing was touched, and %v is found", found)
	}
	if found := invariant.After(s, []string{"t/g"}, nil); !finds(found, "never overpromise") {
		t.Errorf("found %v", found)
	}
}

func BenchmarkAfter(b *testing.B) {
	s := large(1000)
	for b.Loop() {
		if found := invariant.After(s, []string{"t/g"}, nil); len(found) > 0 {
			b.Fatal(found[0])
		}
	}
}

// large is a partition of many nodes, each with a workload of flex.
func large(nodes int) *fleet.State {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "t", Mode: fleet.Enforce})
	s.AddPartition("t", "g", 8)
	p := s.Partition("t/g")
	p.AddIsland("a", 1)
	for k := range nodes {
		p.AddNode(fmt.Sprint("a", k), 0, 0, noon)
		place(s, fmt.Sprint("w", k), fleet.Flex, fleet.HoldsFlex, gang(4, 1, fleet.ReachAny), k)
	}
	return s
}

// TestAWrongIndexIsNamed: of what is kept beside the workloads and nodes, each figure that is
// wrong is named, so that one finding does not hide another.
func TestAWrongIndexIsNamed(t *testing.T) {
	for what, c := range map[string]struct {
		harm  func(s *fleet.State, p *fleet.Partition)
		named []string
	}{
		"a node that fails by the way": {
			func(_ *fleet.State, p *fleet.Partition) { p.Nodes[7].State = fleet.Quarantined },
			[]string{"whole nodes of island b: 4 is not 3", "tally", "room in island b: 30 is not 22", "replicas that fit in island b: 15 is not 11"},
		},
		"waiting work that changes its target by the way": {
			func(s *fleet.State, _ *fleet.Partition) { s.Workload("n", "waits").Target = "q/y" },
			[]string{"1 workloads target q/y and are found, of 2", "queue of quota q/x", "queue of quota q/y"},
		},
		"flex work that changes its target by the way": {
			func(s *fleet.State, _ *fleet.Partition) { s.Workload("n", "flex").Target = "q/x" },
			[]string{"flex work", "GPUs staying of namespace n: 2 is not 0", "usage of q/x: 16 is not 18", "work of q/x in its order", "GPUs staying of q/x: 16 is not 18"},
		},
		"waiting work that is listed as first of its kind, and is another": {
			func(s *fleet.State, p *fleet.Partition) {
				s.AddWorkload(s.NextID, fleet.Spec{Name: "late", Namespace: "n", Target: "q/x", Pools: []fleet.Pool{gang(8, 3, fleet.ReachIsland)}}, noon.Add(time.Minute))
				firsts := p.Account("q/x").Firsts()
				firsts[0], firsts[1] = firsts[1], firsts[0]
			},
			[]string{"queue of quota q/x", "is the first of its kind, and not listed as number 1 of them"},
		},
		"waiting work that is put behind what comes after it": {
			func(s *fleet.State, p *fleet.Partition) {
				s.AddWorkload(s.NextID, fleet.Spec{Name: "late", Namespace: "n", Target: "q/x", Pools: []fleet.Pool{gang(8, 3, fleet.ReachIsland)}}, noon.Add(time.Minute))
				firsts := p.Account("q/x").Firsts()
				firsts[0].Key, firsts[1].Key = firsts[1].Key, firsts[0].Key
			},
			[]string{"n/waits (4, pending) waits with an old key", "n/late (5, pending) stands behind n/waits"},
		},
		"a replica that its node does not know": {
			func(s *fleet.State, _ *fleet.Partition) {
				w := s.Workload("n", "flex")
				w.Replicas[0] = append(w.Replicas[0], fleet.Replica{Node: 6, Phase: fleet.Running, HeldAs: fleet.HoldsFlex})
			},
			[]string{"GPUs held on b2: 0 is not 1", "GPUs staying on b2: 0 is not 1", "residents of b2: 0 is not 1"},
		},
		"a node with the name of another": {
			func(_ *fleet.State, p *fleet.Partition) { p.Nodes[7].Name = p.Nodes[6].Name },
			[]string{"b2 is not found by its name"},
		},
		"flex work that is listed as other work": {
			func(s *fleet.State, p *fleet.Partition) { p.FlexWork()[0] = s.Workload("n", "borrower") },
			[]string{"flex work: [2] is not [3]"},
		},
		"flex work that changes its namespace by the way": {
			func(s *fleet.State, _ *fleet.Partition) { s.Workload("n", "flex").Namespace = "other" },
			[]string{"is not found by its name", "GPUs staying of namespace n: 2 is not 0", "GPUs staying of namespace other: 0 is not 2"},
		},
	} {
		s := sound()
		c.harm(s, s.Partition("t/g"))
		found := fmt.Sprint(invariant.Check(s))
		for _, name := range c.named {
			if !strings.Contains(found, name) {
				t.Errorf("%s: nothing says %q in %s", what, name, found)
			}
		}
	}
}

// Each state of a workload is found broken beside what it may not run, reserve or be leaving, and is sound beside what it may.
func TestAStateSaysWhatItHolds(t *testing.T) {
	type holds struct{ running, reserved, leaving int }
	for state, c := range map[fleet.WorkloadState]struct{ sound, broken []holds }{
		fleet.Pending:   {[]holds{{}}, []holds{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}}},
		fleet.Starting:  {[]holds{{0, 1, 0}, {0, 2, 1}}, []holds{{}, {1, 1, 0}, {0, 0, 1}}},
		fleet.RunningW:  {[]holds{{1, 0, 0}, {1, 1, 1}}, []holds{{}, {0, 1, 0}, {0, 0, 1}}},
		fleet.Mending:   {[]holds{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, []holds{{}, {0, 0, 1}}},
		fleet.Evicting:  {[]holds{{0, 0, 1}, {0, 1, 1}}, []holds{{}, {1, 0, 1}, {0, 1, 0}}},
		fleet.Cancelled: {[]holds{{}, {0, 0, 1}}, []holds{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}},
		fleet.Finished:  {[]holds{{}}, []holds{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}}},
	} {
		finds := func(h holds) bool {
			s := sound()
			w := s.AddWorkload(s.NextID, fleet.Spec{Name: "w", Namespace: "n", Target: fleet.Flex, Pools: []fleet.Pool{gang(1, 4, fleet.ReachAny)}}, noon)
			for phase, n := range map[fleet.Phase]int{fleet.Running: h.running, fleet.Reserved: h.reserved, fleet.Leaving: h.leaving} {
				for range n {
					w.Replicas[0] = append(w.Replicas[0], fleet.Replica{Node: 7, Phase: phase, HeldAs: fleet.HoldsFlex})
				}
			}
			w.State, w.Started = state, noon
			return slices.ContainsFunc(invariant.Check(s), func(b invariant.Broken) bool {
				return b.Rule == "a workload's state says what it holds" && strings.Contains(b.Detail, "n/w ")
			})
		}
		for _, h := range c.sound {
			if finds(h) {
				t.Errorf("%s with %+v is found broken", state, h)
			}
		}
		for _, h := range c.broken {
			if !finds(h) {
				t.Errorf("%s with %+v is not found broken", state, h)
			}
		}
	}
}
