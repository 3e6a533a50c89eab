package view

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// quotaNow is what a quota has in a partition now.
func quotaNow(p *fleet.Partition, path string) Quota { return QuotaAt(p, path, p.State().Time) }

// scene is a fleet of one partition, tiger/h200, built by hand.
type scene struct {
	t *testing.T
	s *fleet.State
	p *fleet.Partition
}

// newScene has islands of so many nodes of 8 GPUs, named a, b, c ...
func newScene(t *testing.T, nodes ...int) *scene {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "tiger", Mode: fleet.Enforce})
	s.AddPartition("tiger", "h200", 8)
	sc := &scene{t, s, s.Partition("tiger/h200")}
	for i, n := range nodes {
		name := string(rune('a' + i))
		sc.p.AddIsland(name, 1)
		for k := range n {
			sc.p.AddNode(fmt.Sprintf("%s%d", name, k+1), i, 0, 0)
		}
		sc.p.Promisable += n
	}
	return sc
}

// quota grants so many nodes, backed by so many of each island.
func (sc *scene) quota(path string, nodes int, backing ...int) {
	sc.s.AddQuota(fleet.Quota{Path: path})
	sc.p.SetGrant(path, nodes*8, 0, false)
	for i, n := range backing {
		sc.p.SetBacking(path, i, n)
	}
}

// work puts one replica of some GPUs on each of the nodes.
func (sc *scene) work(name, target string, gpus int, phase fleet.Phase, holds fleet.HeldAs, nodes ...string) *fleet.Workload {
	w := sc.s.AddWorkload(sc.s.NextID+1, fleet.Spec{
		Name: name, Namespace: "ns-" + name, Target: target, Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: gpus, Min: len(nodes), Max: len(nodes), Reach: fleet.ReachAny}},
	}, 0)
	sc.place(w, phase, holds, nodes...)
	return w
}

func (sc *scene) place(w *fleet.Workload, phase fleet.Phase, holds fleet.HeldAs, nodes ...string) {
	spot := fleet.Spot{}
	for _, n := range nodes {
		i, ok := sc.p.Node(n)
		if !ok {
			sc.t.Fatalf("no node %s", n)
		}
		spot.Nodes = append(spot.Nodes, i)
	}
	sc.s.Place(w, sc.p, []fleet.Spot{spot}, phase, holds)
	sc.s.Settle(w, 0)
}

func (sc *scene) check() {
	sc.t.Helper()
	if err := Check(sc.s); err != nil {
		sc.t.Error(err)
	}
}

// expect compares some figures of a row, by the contract's words.
func expect(t *testing.T, row any, want map[string]any) {
	t.Helper()
	data, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range sortedKeys(want) {
		w := want[key]
		if n, ok := w.(int); ok {
			w = float64(n)
		}
		if !reflect.DeepEqual(got[key], w) {
			t.Errorf("%s is %v, want %v", key, got[key], w)
		}
	}
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func TestEmptyQuotaIsAllUnscheduled(t *testing.T) {
	sc := newScene(t, 10)
	sc.quota("oak", 6, 6)
	expect(t, PartitionOf(sc.p), map[string]any{
		"installed": 80, "healthy": 80, "usable": 80, "stranded": 0, "promisable": 80, "sustainable": 80,
		"assigned": 48, "backed": 48, "unbacked": 0, "unallocated": 32, "scheduled": 0, "unscheduled": 48,
		"flex": 80, "flexUsed": 0, "largestGang": 48,
	})
	sc.check()
}

func TestGuaranteedWorkIsScheduledAndNoFlex(t *testing.T) {
	sc := newScene(t, 10)
	sc.quota("oak", 6, 6)
	sc.work("g", "oak", 8, fleet.Running, fleet.HoldsGuaranteed, "a1", "a2")
	sc.work("f", fleet.Flex, 4, fleet.Running, fleet.HoldsFlex, "a9")
	expect(t, quotaNow(sc.p, "oak"), map[string]any{"usage": 16, "guaranteed": 16, "scheduled": 16, "unscheduled": 32, "borrowed": 0, "over": 0})
	expect(t, PartitionOf(sc.p), map[string]any{"scheduled": 16, "unscheduled": 32, "flex": 64, "flexUsed": 4, "largestGang": 32})
	sc.check()
}

func TestBorrowersAndLendersInOrderOfPath(t *testing.T) {
	sc := newScene(t, 20)
	for _, q := range []string{"t/a", "t/b", "t/c", "t/d", "u"} {
		sc.quota(q, 4, 4)
	}
	nodes := func(from, to int) (list []string) {
		for i := from; i <= to; i++ {
			list = append(list, fmt.Sprintf("a%d", i))
		}
		return list
	}
	sc.work("b", "t/b", 8, fleet.Running, fleet.HoldsBorrowing, nodes(1, 7)...)  // 3 nodes above its 4
	sc.work("d", "t/d", 8, fleet.Running, fleet.HoldsBorrowing, nodes(8, 15)...) // 4 nodes above its 4
	sc.work("c", "t/c", 8, fleet.Running, fleet.HoldsGuaranteed, "a16", "a17")
	// t lends 4 (a) + 2 (c) nodes: b takes 3, d gets 3 of 4, one is over.
	expect(t, quotaNow(sc.p, "t/b"), map[string]any{"borrowed": 24, "over": 0, "lent": 0, "scheduled": 32})
	expect(t, quotaNow(sc.p, "t/d"), map[string]any{"borrowed": 24, "over": 8, "lent": 0, "scheduled": 32})
	expect(t, quotaNow(sc.p, "t/a"), map[string]any{"lent": 32, "unscheduled": 32, "borrowed": 0})
	expect(t, quotaNow(sc.p, "t/c"), map[string]any{"lent": 16, "unscheduled": 16})
	expect(t, quotaNow(sc.p, "u"), map[string]any{"lent": 0, "unscheduled": 32})
	expect(t, PartitionOf(sc.p), map[string]any{"borrowed": 48, "over": 8, "largestGang": 32})
	sc.check()
}

func TestParentLendsItsOwnGrantToItsChildren(t *testing.T) {
	sc := newScene(t, 4)
	sc.quota("t", 2, 2)
	sc.quota("t/x", 1, 1)
	sc.work("w", "t/x", 8, fleet.Running, fleet.HoldsBorrowing, "a1", "a2")
	expect(t, quotaNow(sc.p, "t"), map[string]any{"assigned": 16, "lent": 8, "usage": 0})
	expect(t, quotaNow(sc.p, "t/x"), map[string]any{"assigned": 8, "borrowed": 8})
	sc.check()
}

func TestWhatNothingCoversIsOverAndLowersFlex(t *testing.T) {
	sc := newScene(t, 4)
	sc.quota("oak", 1, 1)
	sc.work("w", "oak", 8, fleet.Running, fleet.HoldsUnprotected, "a1", "a2", "a3")
	expect(t, quotaNow(sc.p, "oak"), map[string]any{"usage": 24, "scheduled": 8, "over": 16, "unprotected": 24, "unscheduled": 0})
	expect(t, PartitionOf(sc.p), map[string]any{"flex": 8, "unallocated": 24, "largestGang": 0})
	sc.check()
}

func TestReservedAndHeldCountsOnce(t *testing.T) {
	sc := newScene(t, 2)
	sc.quota("oak", 2, 2)
	f := sc.work("f", fleet.Flex, 8, fleet.Running, fleet.HoldsFlex, "a1", "a2")
	sc.s.Leave(f, []fleet.Spot{{Nodes: []int{0, 1}}})
	sc.s.Settle(f, 0)
	sc.work("w", "oak", 8, fleet.Reserved, fleet.HoldsGuaranteed, "a1", "a2")
	expect(t, quotaNow(sc.p, "oak"), map[string]any{"usage": 16, "scheduled": 16, "guaranteed": 0})
	expect(t, PartitionOf(sc.p), map[string]any{"flex": 0, "flexUsed": 0, "largestGang": 0})
	expect(t, NamespaceIn(sc.p, "ns-f"), map[string]any{"flexUsed": 0})
	n, _ := NodeNamed(sc.s, "a1")
	expect(t, n, map[string]any{"free": 0, "workloads": []any{"ns-f/f", "ns-w/w"}})
	sc.check()
}

func TestWorkOnABrokenNodeIsStranded(t *testing.T) {
	sc := newScene(t, 4)
	sc.quota("oak", 2, 2)
	sc.work("w", "oak", 8, fleet.Running, fleet.HoldsGuaranteed, "a1", "a2")
	sc.work("f", fleet.Flex, 4, fleet.Running, fleet.HoldsFlex, "a4")
	sc.p.SetNode(0, fleet.Suspect, 0, "XID 79", 0)
	sc.p.SetNode(3, fleet.Suspect, 0, "XID 79", 0)
	sc.p.Promisable = 2
	expect(t, PartitionOf(sc.p), map[string]any{"installed": 32, "healthy": 16, "usable": 16, "stranded": 12, "promisable": 16, "flex": 8, "flexUsed": 0})
	sc.check()
}

func TestDegradedNodeServesFlexWithItsGoodGPUs(t *testing.T) {
	sc := newScene(t, 2)
	sc.quota("oak", 1, 1)
	sc.p.SetNode(1, fleet.Degraded, 2, "XID 95", 0)
	sc.p.Promisable = 1
	expect(t, PartitionOf(sc.p), map[string]any{"healthy": 8, "usable": 14, "promisable": 8, "flex": 14, "unallocated": 0})
	n, _ := NodeNamed(sc.s, "a2")
	expect(t, n, map[string]any{"state": "degraded", "dead": 2, "free": 6})
	sc.check()
}

func TestLargestGangIsOfOneTreeInOneIsland(t *testing.T) {
	sc := newScene(t, 5, 5)
	sc.quota("t/x", 3, 2, 1)
	sc.quota("t/y", 2, 1, 1)
	sc.quota("u", 3, 0, 3)
	expect(t, PartitionOf(sc.p), map[string]any{"largestGang": 24})
	sc.work("w", "u", 1, fleet.Running, fleet.HoldsGuaranteed, "b1") // touches a whole node
	expect(t, PartitionOf(sc.p), map[string]any{"largestGang": 24})
	sc.work("v", "t/x", 8, fleet.Running, fleet.HoldsGuaranteed, "a1", "a2")
	expect(t, PartitionOf(sc.p), map[string]any{"largestGang": 16})
	sc.s.Cluster("tiger").Stale = true // nothing starts there
	expect(t, PartitionOf(sc.p), map[string]any{"largestGang": 0, "stale": true})
	sc.check()
}

func TestFlags(t *testing.T) {
	sc := newScene(t, 2, 2)
	sc.quota("oak", 3, 2, 1)
	a := sc.p.Account("oak")
	a.Gang, a.GangMissing, a.GangIsland = 24, 8, 1
	sc.quota("elm", 1, 0, 1)
	sc.p.SetGrant("elm", 8, 0, true)
	expect(t, quotaNow(sc.p, "oak"), map[string]any{"flags": []any{GangUnbacked}, "gangIsland": "b", "gangMissing": 8, "islands": map[string]any{"a": 16.0, "b": 8.0}})
	expect(t, quotaNow(sc.p, "elm"), map[string]any{"flags": []any{Overcommitted}})
	expect(t, quotaNow(sc.p, "ash"), map[string]any{"quota": "ash", "assigned": 0, "flags": []any{}})
}

// asks lets a namespace wait for so many GPUs of flex.
func (sc *scene) asks(namespace string, gpus int) {
	sc.s.AddWorkload(sc.s.NextID+1, fleet.Spec{
		Name: fmt.Sprintf("of-%d", gpus), Namespace: namespace, Target: fleet.Flex,
		Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: gpus, Max: gpus}},
	}, 0)
}

func TestFlexShareIsMaxMinFair(t *testing.T) {
	for _, c := range []struct{ asks, want []int }{
		{[]int{200}, []int{80}},
		{[]int{10, 20}, []int{10, 20}},
		{[]int{200, 41}, []int{40, 40}},
		{[]int{8, 200, 200}, []int{8, 36, 36}},
		{[]int{200, 8, 10, 200}, []int{31, 8, 10, 31}},
	} {
		sc := newScene(t, 10)
		for i, ask := range c.asks {
			sc.asks(fmt.Sprint("n", i), ask)
		}
		got := []int{}
		for _, row := range Namespaces(sc.s) {
			got = append(got, row.FlexShare)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of 80 GPUs, asked for %v: shares are %v, want %v", c.asks, got, c.want)
		}
	}
}

func TestFlexShareCountsWhatRunsAndWhatElasticPoolsWouldLike(t *testing.T) {
	sc := newScene(t, 10)
	w := sc.s.AddWorkload(1, fleet.Spec{
		Name: "e", Namespace: "ash", Target: fleet.Flex,
		Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 70, Elastic: true, Reach: fleet.ReachAny}},
	}, 0)
	sc.place(w, fleet.Running, fleet.HoldsFlex, "a1", "a1")
	sc.asks("birch", 50)
	expect(t, NamespaceIn(sc.p, "ash"), map[string]any{"flexUsed": 2, "flexShare": 40})
	rows := Namespaces(sc.s)
	if len(rows) != 2 || rows[1] != (Namespace{"birch", "tiger/h200", 0, 40}) {
		t.Errorf("namespaces are %+v", rows)
	}
}

func TestWorkloadRow(t *testing.T) {
	sc := newScene(t, 2, 2)
	sc.quota("oak", 3, 2, 1)
	w := sc.work("w", "oak", 4, fleet.Running, fleet.HoldsGuaranteed, "b1", "a2", "a2")
	later := fleet.Instant(time.Hour)
	expect(t, WorkloadOf(sc.s, w, later), map[string]any{
		"workload": "w", "namespace": "ns-w", "state": "running", "holds": "guaranteed", "gpus": 12, "partition": "tiger/h200",
		"islands": []any{"a", "b"}, "nodes": []any{"a2", "b1"}, "pools": map[string]any{"w": 3.0}, "priority": "mid", "position": 0, "waited": 0,
	})
	sc.s.Drop(w, w.Spots(func(fleet.Replica) bool { return true }))
	sc.s.Settle(w, later)
	expect(t, WorkloadOf(sc.s, w, later.Add(time.Minute)), map[string]any{"state": "pending", "holds": "", "gpus": 0, "waited": int(time.Minute), "position": 1})
}

func TestPositionInAQuotaIsByImportanceThenAge(t *testing.T) {
	sc := newScene(t, 2)
	sc.quota("oak", 1, 1)
	for i, priority := range []fleet.Priority{fleet.Low, fleet.Critical, fleet.Low} {
		sc.s.AddWorkload(uint64(i+1), fleet.Spec{
			Name: fmt.Sprint(i), Namespace: "n", Target: "oak", Priority: priority,
			Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1}},
		}, fleet.Instant(i))
	}
	got := []int{}
	for _, row := range Workloads(sc.s, 10) {
		got = append(got, row.Position)
	}
	if !slices.Equal(got, []int{2, 1, 3}) {
		t.Errorf("positions are %v, want 2, 1, 3", got)
	}
}

func TestPositionOnFlexGoesToWhoHasLeast(t *testing.T) {
	sc := newScene(t, 10)
	sc.work("ash", fleet.Flex, 8, fleet.Running, fleet.HoldsFlex, "a1")
	sc.asks("ns-ash", 4)
	sc.asks("birch", 6)
	sc.asks("birch", 8)
	sc.asks("birch", 1)
	got := map[int]string{}
	for _, row := range Workloads(sc.s, 0) {
		if row.Position > 0 {
			got[row.Position] = row.Namespace + " " + row.Workload
		}
	}
	// birch has 0, then 6; ash has 8, then 12; birch has 14.
	want := map[int]string{1: "birch of-6", 2: "birch of-8", 3: "ns-ash of-4", 4: "birch of-1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("order is %v, want %v", got, want)
	}
}

func TestCapacitySumsClustersAndFleet(t *testing.T) {
	sc := newScene(t, 4)
	sc.quota("oak", 2, 2)
	sc.s.AddPartition("tiger", "a100", 4)
	sc.s.AddCluster(fleet.Cluster{Name: "lion", Mode: fleet.Observe})
	sc.s.AddPartition("lion", "h200", 8)
	for i, id := range []string{"tiger/a100", "lion/h200"} {
		p := sc.s.Partition(id)
		p.AddIsland("a", 1)
		p.AddNode(fmt.Sprint("x", i), 0, 0, 0)
		p.Promisable = 1
	}
	c := CapacityOf(sc.s)
	expect(t, c.Fleet, map[string]any{"installed": 44, "promisable": 44, "assigned": 16, "unallocated": 28, "flex": 44, "largestGang": 16})
	expect(t, c.Clusters[1], map[string]any{"cluster": "tiger", "mode": "enforce", "installed": 36, "largestGang": 16})
	expect(t, c.Clusters[0], map[string]any{"cluster": "lion", "mode": "observe", "installed": 8, "largestGang": 0})
	if len(c.Partitions) != 3 || c.Partitions[0].Partition != "lion/h200" {
		t.Errorf("partitions are %+v", c.Partitions)
	}
}

// TestFiguresAddUpWhateverRuns puts work of all kinds and phases on random nodes.
func TestFiguresAddUpWhateverRuns(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		sc := newScene(t, 6, 6)
		sc.quota("t/x", 4, 3, 1)
		sc.quota("t/y", 3, 0, 3)
		sc.quota("u", 5, 3, 2)
		for i := range 40 {
			randomWork(sc, r, i)
		}
		breakNodes(sc, r)
		if err := Check(sc.s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func randomWork(sc *scene, r *rand.Rand, i int) {
	n := sc.p.Nodes[r.IntN(len(sc.p.Nodes))]
	gpus, target := 1+r.IntN(8), []string{"t/x", "t/y", "u", fleet.Flex}[r.IntN(4)]
	if owner := n.Owner(); target != fleet.Flex && owner != nil && owner.Quota != target || n.Staying()+gpus > 8 {
		return // a node carries in-quota work of one quota
	}
	phase, holds := fleet.Running, fleet.HoldsUnprotected
	if n.InUse()+gpus > 8 {
		phase = fleet.Reserved
	}
	if target == fleet.Flex {
		holds = fleet.HoldsFlex
	}
	w := sc.work(fmt.Sprint("w", i), target, gpus, phase, holds, n.Name)
	if r.IntN(3) == 0 {
		sc.s.Leave(w, w.Spots(func(fleet.Replica) bool { return true }))
		sc.s.Settle(w, 0)
	}
}

// breakNodes takes three nodes away, and with them what can be promised.
func breakNodes(sc *scene, r *rand.Rand) {
	for range 3 {
		at := r.IntN(len(sc.p.Nodes))
		if !sc.p.Nodes[at].Whole() {
			continue
		}
		for _, resident := range slices.Clone(sc.p.Nodes[at].Residents()) {
			if resident.Phase == fleet.Reserved { // room on a broken node is given up
				sc.s.Drop(resident.Workload, []fleet.Spot{{Nodes: []int{at}}})
			}
		}
		sc.p.SetNode(at, []fleet.NodeState{fleet.Suspect, fleet.Probation, fleet.Quarantined}[r.IntN(3)], 0, "", 0)
		sc.p.Promisable--
		loseBacking(sc.p)
	}
}

func loseBacking(p *fleet.Partition) {
	for _, a := range p.Accounts {
		for i, n := range a.Backing {
			if n > 0 {
				p.SetBacking(a.Quota, i, n-1)
				return
			}
		}
	}
}

func TestCheckFindsWhatDoesNotAddUp(t *testing.T) {
	sc := newScene(t, 4)
	sc.quota("oak", 2, 2)
	sc.p.Promisable = 1
	err := Check(sc.s)
	if err == nil || !strings.Contains(err.Error(), "tiger/h200: backed of promisable: 16 is more than 8") {
		t.Errorf("got %v", err)
	}
	sc.p.Promisable = 4
	sc.p.SetBacking("oak", 0, 1) // promisable nodes that back no quota, though they are assigned
	if err := Check(sc.s); err == nil || !strings.Contains(err.Error(), "promisable and assigned GPUs that back no quota") {
		t.Errorf("got %v", err)
	}
}

// Where Muster starts nothing, no figure says that a gang could start now.
func TestNoGangStartsInAClusterThatIsWatched(t *testing.T) {
	sc := newScene(t, 4)
	sc.quota("oak", 4, 4)
	expect(t, quotaNow(sc.p, "oak"), map[string]any{"largestGang": 32})
	sc.s.SetMode("tiger", fleet.Observe)
	expect(t, quotaNow(sc.p, "oak"), map[string]any{"largestGang": 0, "backed": 32})
	expect(t, PartitionOf(sc.p), map[string]any{"largestGang": 0})
}

// What one quota could start guaranteed never exceeds what the partition could.
func TestALargestGangOfAQuotaIsOneOfThePartition(t *testing.T) {
	sc := newScene(t, 4)
	sc.quota("t/x", 3, 3)
	sc.quota("t/y", 1, 1)
	sc.work("guest", "t/y", 8, fleet.Running, fleet.HoldsBorrowing, "a1", "a2", "a3", "a4")
	x := UsableOf(sc.p, sc.p.Account("t/x"), Reader{User: "ada", Namespace: "oak"}, 0)
	if x.LargestGang != 24 {
		t.Fatalf("t/x could start a gang of %d, want 24: who borrows there gives way", x.LargestGang)
	}
	expect(t, PartitionOf(sc.p), map[string]any{"largestGang": 24})
	sc.check()
}

// Room that is promised to one workload while another leaves it is gone once, not twice:
// what is free elsewhere stays free.
func TestRoomThatIsPromisedAlreadyIsTakenAwayOnce(t *testing.T) {
	sc := newScene(t, 3)
	sc.work("goes", fleet.Flex, 8, fleet.Leaving, fleet.HoldsFlex, "a1").State = fleet.Cancelled
	sc.work("comes", fleet.Flex, 8, fleet.Reserved, fleet.NoHolds, "a1")
	sc.work("stays", fleet.Flex, 2, fleet.Running, fleet.HoldsFlex, "a2")
	sc.work("leaves", fleet.Flex, 4, fleet.Leaving, fleet.HoldsFlex, "a2")
	u := UsableFlexOf(sc.p, Reader{Namespace: "ns-other"}, 0)
	expect(t, u, map[string]any{"free": 2 + 8, "largestGang": 8})
	sc.check()
}

// What is free is kept for older work that is on its way back, in so far as that finds no room where work leaves.
func TestFreeRoomIsKeptForWorkOnItsWayBack(t *testing.T) {
	sc := newScene(t, 3)
	sc.work("goes", fleet.Flex, 8, fleet.Leaving, fleet.HoldsFlex, "a1")
	sc.work("comes", fleet.Flex, 8, fleet.Reserved, fleet.NoHolds, "a1")
	sc.work("stays", fleet.Flex, 2, fleet.Running, fleet.HoldsFlex, "a2")
	sc.work("leaves", fleet.Flex, 4, fleet.Leaving, fleet.HoldsFlex, "a2")
	expect(t, UsableFlexOf(sc.p, Reader{Namespace: "ns-other"}, 0), map[string]any{"free": 2, "reserved": 8, "largestGang": 0})
	sc.check()
}

// What the head of the queue reserves is not free to others, though no work uses it yet.
func TestWhatIsReservedIsNotFree(t *testing.T) {
	sc := newScene(t, 4)
	sc.quota("oak", 4, 4)
	sc.work("runs", "oak", 8, fleet.Running, fleet.HoldsGuaranteed, "a1", "a2")
	u := UsableOf(sc.p, sc.p.Account("oak"), Reader{User: "ada", Namespace: "oak"}, 0)
	expect(t, u, map[string]any{"free": 16, "reserved": 0, "largestGang": 16})
	sc.s.AddWorkload(sc.s.NextID+1, fleet.Spec{
		Name: "waits", Namespace: "oak", Target: "oak", Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 4, Max: 4, Reach: fleet.ReachIsland}},
	}, 0)
	u = UsableOf(sc.p, sc.p.Account("oak"), Reader{User: "ada", Namespace: "oak"}, 0)
	expect(t, u, map[string]any{"free": 0, "reserved": 32, "largestGang": 0, "borrow": 0, "waiting": 1})
}

// The head of flex reserves against namespaces that have more flex than its own, and against no other.
func TestWhatIsReservedOnFlexIsNotFreeToWhoHasMore(t *testing.T) {
	sc := newScene(t, 4)
	sc.work("runs", fleet.Flex, 8, fleet.Running, fleet.HoldsFlex, "a1", "a2")
	sc.s.AddWorkload(sc.s.NextID+1, fleet.Spec{
		Name: "waits", Namespace: "ns-other", Target: fleet.Flex,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 3, Max: 3, Reach: fleet.ReachIsland}},
	}, 0)
	expect(t, UsableFlexOf(sc.p, Reader{Namespace: "ns-runs"}, 0), map[string]any{"free": 0, "reserved": 24})
	expect(t, UsableFlexOf(sc.p, Reader{Namespace: "ns-new"}, 0), map[string]any{"free": 16, "reserved": 0})
}
