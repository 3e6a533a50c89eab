package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// heavy is what the pods of these stories ask of their nodes beside GPUs.
const heavy = "cpu 64, memory 512Gi"

// fitFleet is four nodes in one island, all of them of quota q.
func fitFleet(t *testing.T) story {
	st := story{t, fleet.NewState()}
	st.do(0,
		core.AddCluster{Name: "tiger"}, core.AddPartition{Cluster: "tiger", GPU: "h200"}, core.SetPolicy{Policy: unbuffered()},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 4}}},
		core.CreateQuota{Path: "q"}, core.SetGrant{Quota: "q", Partition: "tiger/h200", GPUs: 32})
	return st
}

// needing is a workload of one pool whose replicas ask for something beside GPUs.
func needing(footprint, name, target string, replicas, gpus int) core.Submit {
	s := gang(name, "oak", target, fleet.Mid, replicas)
	s.Spec.Pools[0].GPUs, s.Spec.Pools[0].Footprint = gpus, footprint
	return s
}

// tight is a report that nodes take so many heavy pods.
func (st story) tight(takings fleet.Takings, nodes ...int) core.ReportFit {
	c := core.ReportFit{Partition: "tiger/h200", Footprint: heavy}
	for _, n := range nodes {
		c.Tight = append(c.Tight, event.TightNode{Node: st.s.Partition("tiger/h200").Nodes[n].Name, Takings: takings, Why: "has 12 of 96 cores left"})
	}
	return c
}

// loose is a report that nodes take as many heavy pods again as they have GPUs for.
func (st story) loose(nodes ...int) core.ReportFit {
	c := core.ReportFit{Partition: "tiger/h200", Footprint: heavy}
	for _, n := range nodes {
		c.Loose = append(c.Loose, st.s.Partition("tiger/h200").Nodes[n].Name)
	}
	return c
}

// on lists the nodes on which a workload of oak stays, in order.
func (st story) on(name string) (nodes []int) {
	for _, replicas := range st.s.Workload("oak", name).Replicas {
		for _, r := range replicas {
			if r.Phase != fleet.Leaving {
				nodes = append(nodes, r.Node)
			}
		}
	}
	slices.Sort(nodes)
	return nodes
}

func (st story) runsOn(name string, want ...int) {
	st.t.Helper()
	if w := st.s.Workload("oak", name); w.State != fleet.RunningW || !slices.Equal(st.on(name), want) {
		st.t.Fatalf("%s is %s on nodes %v, want it to run on %v", name, w.State, st.on(name), want)
	}
}

func (st story) waitsFor(at time.Duration, name string, code reason.Code) explain.Blocker {
	st.t.Helper()
	list := explain.Why(st.s, st.s.Workload("oak", name), fleet.Instant(at))
	if len(list) == 0 || list[0].Code != code {
		st.t.Fatalf("%s waits for %+v, want %s", name, list, code)
	}
	return list[0]
}

// A node whose processors are taken is not free for a workload that needs some, in quota or on flex. For others it is.
func TestANodeFullOfProcessorsIsNotFree(t *testing.T) {
	for _, target := range []string{"q", fleet.Flex} {
		st := fitFleet(t)
		st.do(time.Minute, st.tight(fleet.Takings{}, 0, 1), needing(heavy, "train", target, 2, 8), needing("cpu 4", "light", target, 2, 8))
		st.runsOn("train", 2, 3)
		st.runsOn("light", 0, 1)
	}
}

// The reason names the nodes, and what they lack; with room again the workload starts.
func TestWhoFindsNoRoomBesideGPUsIsToldSo(t *testing.T) {
	for _, target := range []string{"q", fleet.Flex} {
		st := fitFleet(t)
		st.do(time.Minute, st.tight(fleet.Takings{Empty: 1}, 0, 1, 2), needing(heavy, "train", target, 2, 8))
		b := st.waitsFor(time.Minute, "train", reason.DoesNotFit)
		if !strings.Contains(b.Text, "12 of 96 cores") || !strings.Contains(b.Text, heavy) || b.Figures["nodes"] != 3 || b.Class != reason.Wait {
			t.Errorf("the reason: %+v", b)
		}
		st.do(2*time.Minute, needing("cpu 4", "light", target, 2, 8)) // it holds up no other
		if w := st.s.Workload("oak", "light"); w.State != fleet.RunningW {
			t.Errorf("light is %s behind one that no backing could take", w.State)
		}
		st.do(3*time.Minute, core.ReportFinished{ID: st.s.Workload("oak", "light").ID}, st.loose(0, 1))
		if w := st.s.Workload("oak", "train"); w.State != fleet.RunningW {
			t.Errorf("train is %s once there is room", w.State)
		}
	}
}

// What no node takes whatever leaves it is the submitter's to change.
func TestWhatNoNodeTakesIsForItsSubmitter(t *testing.T) {
	st := fitFleet(t)
	st.do(time.Minute, st.tight(fleet.Takings{}, 0, 1, 2, 3), needing(heavy, "train", "q", 1, 8))
	if b := st.waitsFor(time.Minute, "train", reason.DoesNotFit); b.Class != reason.Change {
		t.Errorf("its class is %s, want change", b.Class)
	}
}

// A node takes as many of its pods as its processors allow, though it has more GPUs.
func TestATightNodeTakesAsManyAsItCan(t *testing.T) {
	st := fitFleet(t)
	st.do(time.Minute, st.tight(fleet.Takings{Takes: 2}, 0, 1, 2, 3), needing(heavy, "many", "q", 8, 1))
	st.runsOn("many", 0, 0, 1, 1, 2, 2, 3, 3)
	light := needing("cpu 4", "light", "q", 1, 1)
	light.Spec.Priority = fleet.High // of the same importance it would wait behind more
	st.do(2*time.Minute, needing(heavy, "more", "q", 1, 1), light)
	st.waitsFor(2*time.Minute, "more", reason.DoesNotFit)
	if w := st.s.Workload("oak", "light"); w.State != fleet.RunningW {
		t.Errorf("light is %s", w.State)
	}
}

// One pod of a gang that does not fit moves; the others keep their nodes.
func TestAMemberThatDoesNotFitMoves(t *testing.T) {
	st := fitFleet(t)
	st.do(time.Minute, needing(heavy, "train", "q", 2, 8))
	at := st.on("train")
	w := st.s.Workload("oak", "train")
	st.do(2*time.Minute, st.tight(fleet.Takings{}, at[0]), core.ReportUnfit{ID: w.ID, Spots: []fleet.Spot{{Nodes: at[:1]}}, Why: "insufficient cpu"})
	if now := st.on("train"); w.State != fleet.RunningW || slices.Contains(now, at[0]) || !slices.Contains(now, at[1]) {
		t.Errorf("train is %s on %v, was on %v", w.State, now, at)
	}
	if !core.Idle(st.s, fleet.Instant(3*time.Minute)) {
		t.Error("deciding again without a new event changes something")
	}
}

// A start of which nothing runs yet is planned anew, and keeps its age: no later workload passes it.
func TestAStartThatDoesNotFitIsPlannedAnew(t *testing.T) {
	st := fitFleet(t)
	st.do(time.Minute, needing(heavy, "train", "q", 3, 8))
	w, at := st.s.Workload("oak", "train"), st.on("train")
	st.do(2*time.Minute, st.tight(fleet.Takings{}, at[0], at[1]), core.ReportUnfit{ID: w.ID, Spots: []fleet.Spot{{Nodes: at}}, Why: "insufficient cpu"})
	if w.State != fleet.Pending || len(st.on("train")) != 0 || w.Started != 0 || w.Evictions != 0 {
		t.Fatalf("train is %s on %v, started %v, evicted %d times", w.State, st.on("train"), w.Started, w.Evictions)
	}
	st.waitsFor(2*time.Minute, "train", reason.DoesNotFit)
	st.do(3*time.Minute, st.loose(at[0]))
	if w.State != fleet.RunningW || slices.Contains(st.on("train"), at[1]) {
		t.Errorf("train is %s on %v", w.State, st.on("train"))
	}
}

// Work of Muster's own that takes all processors of a node keeps others from it as long as it stays: one that
// may evict it does so, and only then.
func TestANodeFullOfOthersWorkIsFreeOnceTheyLeave(t *testing.T) {
	st := fitFleet(t)
	st.do(time.Minute, needing("cpu 90", "hog", fleet.Flex, 4, 2)) // packed on one node
	node := st.on("hog")[0]
	st.do(2*time.Minute, st.tight(fleet.Takings{Takes: 8, Full: true}, node))
	st.do(3*time.Minute, needing(heavy, "three", "q", 3, 8))
	if slices.Contains(st.on("three"), node) {
		t.Fatalf("three stands on the full node %d: %v", node, st.on("three"))
	}
	st.do(4*time.Minute, needing(heavy, "fourth", "q", 1, 4)) // there are 0 free nodes but the full one
	hog, fourth := st.s.Workload("oak", "hog"), st.s.Workload("oak", "fourth")
	if hog.State != fleet.Evicting || fourth.State != fleet.Starting {
		t.Fatalf("hog is %s, fourth is %s; want evicting and starting", hog.State, fourth.State)
	}
	st.leave(5*time.Minute, "oak", "hog")
	st.runsOn("fourth", node)
	if !core.Idle(st.s, fleet.Instant(6*time.Minute)) {
		t.Error("deciding again without a new event changes something")
	}
}

// onlyNode is a fleet in which node 3 takes so many heavy replicas, and the others, which are full, none.
func onlyNode(t *testing.T, takes int) story {
	st := fitFleet(t)
	st.do(time.Minute, needing("cpu 4", "fill", "q", 3, 8))
	if on := st.on("fill"); !slices.Equal(on, []int{0, 1, 2}) {
		t.Fatalf("fill stands on %v", on)
	}
	st.do(time.Minute, st.tight(fleet.Takings{Empty: 8}, 0, 1, 2), st.tight(fleet.Takings{Takes: takes, Empty: 8}, 3))
	return st
}

// A node that takes one heavy replica, and has one, takes no other because work that asks for something else
// would leave it: that work stays.
func TestRoomOfOtherWorkIsNotRoomForWhatIsShort(t *testing.T) {
	st := onlyNode(t, 1)
	st.do(2*time.Minute, needing(heavy, "one", "q", 1, 4), needing("cpu 4", "lent", fleet.Flex, 1, 4))
	st.runsOn("one", 3)
	st.runsOn("lent", 3)
	st.do(3*time.Minute, needing(heavy, "two", "q", 1, 4))
	st.runsOn("lent", 3)
	st.waitsFor(3*time.Minute, "two", reason.DoesNotFit)
}

// A tight node takes so many replicas, however many GPUs each of them has.
func TestReplicasOfUnlikeGPUsCountAlike(t *testing.T) {
	st := onlyNode(t, 2)
	st.do(2*time.Minute, needing(heavy, "small", "q", 2, 1))
	st.runsOn("small", 3, 3)
	st.do(3*time.Minute, needing(heavy, "large", "q", 1, 4))
	st.waitsFor(3*time.Minute, "large", reason.DoesNotFit)
}

// of is a pool of replicas that may stand anywhere.
func of(footprint string, replicas, gpus int) fleet.Pool {
	return fleet.Pool{Name: strings.Fields(footprint)[0], Min: replicas, Max: replicas, GPUs: gpus, Reach: fleet.ReachAny, Footprint: footprint}
}

// twoPools is a workload of q.
func twoPools(name string, a, b fleet.Pool) core.Submit {
	s := gang(name, "oak", "q", fleet.Mid, 1)
	b.Name += "-too"
	s.Spec.Pools = []fleet.Pool{a, b}
	return s
}

// Each pool alone fits on node 3, the only one that takes its pods, and both of them do not. Room that comes free does not help
// such work, so work behind it starts.
func TestPoolsThatFitOnlyEachAloneHoldUpNoOther(t *testing.T) {
	for says, both := range map[string]core.Submit{
		"of one footprint": twoPools("both", of(heavy, 3, 1), of(heavy, 2, 3)),
		"of two":           twoPools("both", of(heavy, 1, 5), of("cpu 90", 1, 5)),
	} {
		t.Run(says, func(t *testing.T) {
			st := fitFleet(t)
			full := st.tight(fleet.Takings{Empty: 8}, 0, 1, 2)
			full.Footprint = "cpu 90"
			st.do(time.Minute, st.tight(fleet.Takings{Empty: 8}, 0, 1, 2), full, both)
			st.waitsFor(time.Minute, "both", reason.DoesNotFit)
			st.do(2*time.Minute, needing("cpu 4", "light", "q", 1, 8))
			if w := st.s.Workload("oak", "light"); w.State != fleet.RunningW {
				t.Errorf("light is %s behind one that the backing could not take", w.State)
			}
		})
	}
}

// Two pools fit beside each other if the one that node 3 takes fewer of is placed first. So they hold up others, and start once
// there is room.
func TestPoolsThatFitInSomeOrderHoldTheirReservation(t *testing.T) {
	st := onlyNode(t, 1)
	st.do(2*time.Minute, twoPools("both", of("cpu 4", 4, 5), of(heavy, 1, 3)), needing("cpu 4", "light", "q", 1, 8))
	st.waitsFor(2*time.Minute, "light", reason.Behind)
	st.do(3*time.Minute, core.ReportFinished{ID: st.s.Workload("oak", "fill").ID})
	st.runsOn("both", 0, 1, 2, 3, 3)
}

// Whether many replicas of two pools fit together is not searched for. They hold their reservation, since each pool alone would fit.
func TestManyReplicasOfPoolsHoldTheirReservation(t *testing.T) {
	st := onlyNode(t, 1)
	st.do(2*time.Minute,
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i2", Nodes: 4}}}, core.SetGrant{Quota: "q", Partition: "tiger/h200", GPUs: 64},
		twoPools("many", of("cpu 4", 40, 1), of(heavy, 1, 3)), needing("cpu 4", "light", "q", 1, 8))
	st.waitsFor(2*time.Minute, "light", reason.Behind)
	st.do(3*time.Minute, core.ReportFinished{ID: st.s.Workload("oak", "fill").ID})
	if w := st.s.Workload("oak", "many"); w.State != fleet.RunningW {
		t.Errorf("many is %s", w.State)
	}
}

// A node tells for which pods it has GPUs and no room, how many it takes, who is in the way and who asks. What
// waits is told first, and the list is bounded.
func TestANodeTellsForWhichPodsItIsTight(t *testing.T) {
	st := onlyNode(t, 1)
	st.do(2*time.Minute, needing("cpu 90", "hog", "q", 1, 4), needing(heavy, "waits", "q", 2, 2))
	name := st.s.Partition("tiger/h200").Nodes[3].Name
	full := event.TightNode{Node: name, Takings: fleet.Takings{Takes: 1, Empty: 2, Full: true}, Why: "4 of 96 cores are free", By: []string{"stranger/cache"}}
	st.do(3*time.Minute, core.ReportFit{Partition: "tiger/h200", Footprint: heavy, Tight: []event.TightNode{full}})
	for i := range 9 {
		other := event.TightNode{Node: name, Why: "has none"}
		st.do(3*time.Minute, core.ReportFit{Partition: "tiger/h200", Footprint: "a/device " + strings.Repeat("1", i+1), Tight: []event.TightNode{other}})
	}
	p := st.s.Partition("tiger/h200")
	list, more := explain.AsksIn(st.s, p).TightFor(p, 3)
	if len(list) != 8 || more != 2 {
		t.Fatalf("%d footprints are told and %d more, want 8 and 2", len(list), more)
	}
	is := list[0]
	if is.Footprint != heavy || is.Takes != 0 || is.Of != 4 || is.Empty != 2 || !slices.Equal(is.Asked, []string{"oak/waits"}) {
		t.Errorf("told first: %+v", is)
	}
	if want := "4 of 96 cores are free; in the way: pods that are not Muster's (stranger/cache), and oak/hog"; is.String() != want {
		t.Errorf("it says %q, want %q", is, want)
	}
}

// Reports that say nothing new, or that name nothing that is known to be tight, change nothing.
func TestReportsOfFitAreHeardOnce(t *testing.T) {
	st := fitFleet(t)
	st.do(time.Minute, needing(heavy, "train", "q", 2, 8), st.tight(fleet.Takings{Takes: 1}, 3))
	w := st.s.Workload("oak", "train")
	st.ignored(2*time.Minute, "the same again", st.tight(fleet.Takings{Takes: 1}, 3))
	st.ignored(2*time.Minute, "nodes that are loose anyway", st.loose(0))
	st.ignored(2*time.Minute, "an unfit pod on a node that is not tight", core.ReportUnfit{ID: w.ID, Spots: []fleet.Spot{{Nodes: []int{st.on("train")[0]}}}, Why: "x"})
	st.ignored(2*time.Minute, "an unfit pod where none is", core.ReportUnfit{ID: w.ID, Spots: []fleet.Spot{{Nodes: []int{3}}}, Why: "x"})
	for _, bad := range []core.ReportFit{
		{Partition: "tiger/h200", Footprint: heavy, Loose: []string{"no-such-node"}},
		{Partition: "tiger/h200", Tight: []event.TightNode{{Node: "tiger-h200-i1-001"}}},
		st.tight(fleet.Takings{Takes: -1}, 1),
		{Partition: "lion/h200", Footprint: heavy},
	} {
		before := st.s.Hash()
		if _, no := core.Step(st.s, core.Request{Command: bad, Actor: core.Reporter}, fleet.Instant(3*time.Minute)); no == nil || st.s.Hash() != before {
			t.Errorf("%+v: refused %v", bad, no)
		}
	}
}

// What is known of nodes survives a restart.
func TestWhatIsKnownOfNodesIsKept(t *testing.T) {
	st := fitFleet(t)
	st.do(time.Minute, st.tight(fleet.Takings{Takes: 1, Full: true}, 2, 0))
	data, err := st.s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := fleet.Decode(data)
	if err != nil || again.Hash() != st.s.Hash() || again.Partition("tiger/h200").Footprint(heavy).At(2) == nil {
		t.Errorf("after a restart: %v", err)
	}
	st.do(2*time.Minute, st.loose(0, 2))
	if st.s.Partition("tiger/h200").Footprints != nil {
		t.Error("nothing is tight any more, and something is kept")
	}
}
