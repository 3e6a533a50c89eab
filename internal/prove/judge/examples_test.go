package judge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/judge"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The judge is judged here by cases small enough for people: a partition of
// nodes of 8 GPUs, and what the contract says about it.

// bench is a partition told by hand.
type bench struct {
	t   *testing.T
	s   *fleet.State
	now fleet.Instant
}

// benchOf has islands of these sizes and quotas of so many nodes; no buffer.
func benchOf(t *testing.T, islands []int, quotas ...string) *bench {
	t.Helper()
	b := &bench{t, fleet.NewState(), fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share, policy.FlexMinimum = 0, 0
	var list []core.NewIsland
	for i, n := range islands {
		list = append(list, core.NewIsland{Name: string(rune('i' + i)), Nodes: n})
	}
	b.do(core.SetPolicy{Policy: policy}, core.AddCluster{Name: "t"}, core.AddPartition{Cluster: "t", GPU: "g"},
		core.AddIslands{Partition: here, Islands: list})
	for _, q := range quotas {
		var path string
		var nodes int
		if _, err := fmt.Sscanf(q, "%s %d", &path, &nodes); err != nil {
			t.Fatal(err)
		}
		b.do(core.CreateQuota{Path: path}, core.SetGrant{Quota: path, Partition: here, GPUs: 8 * nodes, Overcommit: true})
	}
	return b
}

func (b *bench) do(commands ...core.Command) {
	b.t.Helper()
	for _, c := range commands {
		if _, refusal := core.Step(b.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, b.now); refusal != nil {
			b.t.Fatal(refusal)
		}
	}
}

// later lets time pass.
func (b *bench) later(d time.Duration) { b.now = b.now.Add(d) }

func submit(name, namespace, target string, p fleet.Priority, pools ...fleet.Pool) core.Submit {
	return core.Submit{Spec: fleet.Spec{Name: name, Namespace: namespace, Target: target, Priority: p, Pools: pools}}
}

// nodes is a pool of whole nodes, anywhere or in one island.
func nodes(n int, reach fleet.Reach) fleet.Pool {
	return fleet.Pool{Name: "p", GPUs: 8, Min: n, Max: n, Reach: reach}
}

// waiting puts a workload into the queue without letting the engine place it:
// the judge is asked, not the engine.
func (b *bench) waiting(c core.Submit) fleet.Waiting {
	w := b.s.AddWorkload(b.s.NextID, c.Spec, b.now)
	return fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)}
}

func (b *bench) judge() *judge.Judge { return judge.New(b.s, b.s.Partition(here), b.now) }

// cheapest is the set that the judge would evict, by names; "" means that nothing helps.
func cheapest(j *judge.Judge, c judge.Claim) string {
	v, ok, sure := j.Start(c)
	if !ok || !sure {
		return ""
	}
	if better, cheaper := j.Cheaper(c, j.Evictable(c), v.Cost, nil); cheaper {
		v = better
	}
	return unitsText(v.Victims)
}

func TestTheCheapestVictims(t *testing.T) {
	cases := []struct {
		says   string
		tell   func(b *bench) fleet.Waiting
		quotas []string
		way    int // 0: guaranteed, or on flex; 1: borrowing
		want   string
	}{
		{"a free node costs nobody", func(b *bench) fleet.Waiting {
			b.do(submit("f", "n", fleet.Flex, fleet.Low, nodes(1, fleet.ReachAny)))
			return b.waiting(submit("w", "n", "a", fleet.Low, nodes(1, fleet.ReachAny)))
		}, []string{"a 2"}, 0, "nobody"},
		{"flex goes before who borrows, whatever is lost", func(b *bench) fleet.Waiting {
			b.do(submit("b", "n", "t/y", fleet.Low, nodes(1, fleet.ReachAny)))
			b.do(submit("f", "n", fleet.Flex, fleet.Critical, nodes(2, fleet.ReachAny)))
			b.later(time.Hour)
			b.do(submit("g", "n", fleet.Flex, fleet.Critical, nodes(1, fleet.ReachAny)))
			return b.waiting(submit("w", "n", "t/x", fleet.Low, nodes(1, fleet.ReachAny)))
		}, []string{"t/x 2", "t/y 0"}, 0, "g(flex)"},
		{"who borrows goes where the tree has no room", func(b *bench) fleet.Waiting {
			b.do(submit("b", "n", "t/y", fleet.Critical, nodes(2, fleet.ReachAny)))
			return b.waiting(submit("w", "n", "t/x", fleet.Low, nodes(1, fleet.ReachAny)))
		}, []string{"t/x 2", "t/y 0"}, 0, "b(borrowing)"},
		{"of two who borrow the less important goes", func(b *bench) fleet.Waiting {
			b.do(submit("b", "n", "t/y", fleet.High, nodes(1, fleet.ReachAny)), submit("c", "n", "t/y", fleet.Mid, nodes(1, fleet.ReachAny)))
			return b.waiting(submit("w", "n", "t/x", fleet.Low, nodes(1, fleet.ReachAny)))
		}, []string{"t/x 2", "t/y 0"}, 0, "c(borrowing)"},
		{"who borrows evicts only less important borrowers", func(b *bench) fleet.Waiting {
			b.do(submit("b", "n", "t/y", fleet.Mid, nodes(2, fleet.ReachAny)))
			return b.waiting(submit("w", "n", "t/z", fleet.Mid, nodes(1, fleet.ReachAny)))
		}, []string{"t/x 2", "t/y 0", "t/z 0"}, 1, ""},
		{"a quota's own work of equal importance stays", func(b *bench) fleet.Waiting {
			b.do(submit("o", "n", "a", fleet.Mid, nodes(2, fleet.ReachAny)))
			return b.waiting(submit("w", "n", "a", fleet.Mid, nodes(1, fleet.ReachAny)))
		}, []string{"a 2"}, 0, ""},
		{"and gives way to more important work of the quota", func(b *bench) fleet.Waiting {
			b.do(submit("o", "n", "a", fleet.Mid, nodes(1, fleet.ReachAny)), submit("p", "n", "a", fleet.Low, nodes(1, fleet.ReachAny)))
			return b.waiting(submit("w", "n", "a", fleet.High, nodes(1, fleet.ReachAny)))
		}, []string{"a 2"}, 0, "p(guaranteed)"},
		{"guaranteed work of another quota never does", func(b *bench) fleet.Waiting {
			b.do(submit("o", "n", "b", fleet.Low, nodes(3, fleet.ReachAny)))
			return b.waiting(submit("w", "n", "a", fleet.Critical, nodes(2, fleet.ReachAny)))
		}, []string{"a 1", "b 3"}, 0, ""},
		{"surplus is taken back by its own quota", func(b *bench) fleet.Waiting {
			p := nodes(1, fleet.ReachAny)
			p.Elastic, p.Max = true, 2
			b.do(submit("e", "n", "a", fleet.Mid, p))
			return b.waiting(submit("w", "n", "a", fleet.Mid, nodes(1, fleet.ReachAny)))
		}, []string{"a 2"}, 0, "e(guaranteed pool 0 surplus)"},
		{"of two on flex the one that loses less goes", func(b *bench) fleet.Waiting {
			b.do(submit("old", "n", fleet.Flex, fleet.Mid, nodes(2, fleet.ReachAny)))
			b.later(time.Hour)
			b.do(submit("new", "n", fleet.Flex, fleet.Mid, nodes(2, fleet.ReachAny)))
			b.later(time.Minute)
			return b.waiting(submit("w", "m", "a", fleet.Mid, nodes(2, fleet.ReachAny)))
		}, []string{"a 2"}, 0, "new(flex)"},
		{"a namespace above its share loses what another may have", func(b *bench) fleet.Waiting {
			b.do(submit("a", "rich", fleet.Flex, fleet.Critical, nodes(2, fleet.ReachAny)), submit("b", "rich", fleet.Flex, fleet.Mid, nodes(2, fleet.ReachAny)))
			b.later(time.Minute)
			return b.waiting(submit("w", "poor", fleet.Flex, fleet.Low, nodes(1, fleet.ReachAny)))
		}, nil, 0, "b(flex)"},
		{"but not more than its share", func(b *bench) fleet.Waiting {
			b.do(submit("a", "rich", fleet.Flex, fleet.Mid, nodes(2, fleet.ReachAny)), submit("b", "poor", fleet.Flex, fleet.Mid, nodes(2, fleet.ReachAny)))
			b.later(time.Minute)
			return b.waiting(submit("w", "poor", fleet.Flex, fleet.Low, nodes(1, fleet.ReachAny)))
		}, nil, 0, ""},
	}
	for _, c := range cases {
		t.Run(c.says, func(t *testing.T) {
			b := benchOf(t, []int{4}, c.quotas...)
			it := c.tell(b)
			j := b.judge()
			if got := cheapest(j, j.Ways(it)[c.way]); got != c.want {
				t.Errorf("the judge would evict %q, want %q\n%s", got, c.want, partitionText(b.s))
			}
		})
	}
}

// TestAGangNeedsOneIsland: enough nodes in number are not enough.
func TestAGangNeedsOneIsland(t *testing.T) {
	b := benchOf(t, []int{2, 2}, "a 4")
	j := b.judge()
	if got := cheapest(j, j.Ways(b.waiting(submit("w", "n", "a", fleet.Mid, nodes(3, fleet.ReachIsland))))[0]); got != "" {
		t.Errorf("a gang of 3 in islands of 2 starts at the cost of %q", got)
	}
	if got := cheapest(j, j.Ways(b.waiting(submit("v", "n", "a", fleet.Mid, nodes(3, fleet.ReachAny))))[0]); got != "nobody" {
		t.Errorf("3 nodes anywhere start at the cost of %q, want nobody", got)
	}
}

// TestHardCase1 is the first of the hard cases: with w0 gone w10 would be
// guaranteed, so it is no borrower, and w16 must wait.
func TestHardCase1(t *testing.T) {
	b := benchOf(t, []int{6}, "t/x 5", "t/y 1")
	small := fleet.Pool{Name: "p", GPUs: 3, Min: 1, Max: 1, Reach: fleet.ReachAny}
	b.do(submit("w0", "n", "t/y", fleet.Low, nodes(3, fleet.ReachAny)), submit("w10", "n", "t/y", fleet.Low, small))
	j := b.judge()
	if got := cheapest(j, j.Ways(b.waiting(submit("w16", "n", "t/x", fleet.Mid, nodes(6, fleet.ReachAny))))[1]); got != "" {
		t.Errorf("w16 would evict %q; w10 is no borrower once w0 is gone", got)
	}
}

// TestWhoCouldRunTogether: three gangs of 2 nodes and one of 4 on a quota's 4 nodes.
func TestWhoCouldRunTogether(t *testing.T) {
	b := benchOf(t, []int{2, 2}, "a 4")
	var list []fleet.Waiting
	for i, n := range []int{2, 2, 2, 4} {
		list = append(list, b.waiting(submit(fmt.Sprint("w", i), "n", "a", fleet.Mid, nodes(n, fleet.ReachAny))))
	}
	could := b.judge().Together(list)
	for mask := range 16 {
		twos := mask&1 + mask>>1&1 + mask>>2&1
		want := twos <= 2 && mask < 8 || mask == 8
		if could[mask] != want {
			t.Errorf("the set %04b could run: %v, want %v", mask, could[mask], want)
		}
	}
}

// TestNoReplicaLeavesOnlyForAShare: e has a replica on a node of its own, and one beside work of m. Without the first, w would
// find room, but n would have more than its share. So all of e would leave for that alone, and w waits. Which of the two is the
// surplus of e is not settled: they are identical.
func TestNoReplicaLeavesOnlyForAShare(t *testing.T) {
	b := benchOf(t, []int{4})
	of := func(gpus int) fleet.Pool {
		return fleet.Pool{Name: "p", GPUs: gpus, Min: 1, Max: 1, Reach: fleet.ReachAny}
	}
	two := of(5)
	two.Elastic, two.Max = true, 2
	b.do(submit("e", "n", fleet.Flex, fleet.Low, two), submit("f", "n", fleet.Flex, fleet.Low, of(3)))
	b.do(submit("a", "m", fleet.Flex, fleet.Low, of(3)), submit("b", "m", fleet.Flex, fleet.Low, of(8)))
	b.do(core.ReportFinished{ID: b.s.Workload("n", "f").ID})
	b.waiting(submit("c", "m", fleet.Flex, fleet.Low, of(8)))
	w := b.waiting(submit("w", "n", fleet.Flex, fleet.High, nodes(2, fleet.ReachAny)))
	j := b.judge()
	if got := cheapest(j, j.Ways(w)[0]); got != "" {
		t.Errorf("w would evict %q; a replica of e would leave only to make room in the share of n\n%s", got, partitionText(b.s))
	}
}

// TestPoolsOnATightNodeChooseInSomeOrder: the node takes one replica of cpu 64, which would count the three of the other pool if
// those stood there already. So it is placed first.
func TestPoolsOnATightNodeChooseInSomeOrder(t *testing.T) {
	for heavies, want := range map[int]string{1: "nobody", 2: ""} {
		b := benchOf(t, []int{1}, "a 1")
		one := core.ReportFit{Partition: here, Footprint: "cpu 64"}
		one.Tight = []event.TightNode{{Node: b.s.Partition(here).Nodes[0].Name, Takings: fleet.Takings{Takes: 1, Empty: 8}, Why: "has few cores"}}
		b.do(one)
		light := fleet.Pool{Name: "light", GPUs: 1, Min: 3, Max: 3, Reach: fleet.ReachAny}
		heavy := fleet.Pool{Name: "heavy", GPUs: 1, Min: heavies, Max: heavies, Reach: fleet.ReachAny, Footprint: "cpu 64"}
		w := b.waiting(submit("w", "n", "a", fleet.Mid, light, heavy))
		j := b.judge()
		if got := cheapest(j, j.Ways(w)[0]); got != want || j.FitsEmpty(j.Ways(w)[0]) != (want != "") {
			t.Errorf("with %d of cpu 64 it starts at the cost of %q, want %q", heavies, got, want)
		}
	}
}
