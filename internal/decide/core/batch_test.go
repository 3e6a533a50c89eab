package core_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// oneCluster is a state with one cluster of so many nodes of 8 GPUs.
func oneCluster(t testing.TB, nodes int) *fleet.State {
	s := fleet.NewState()
	for _, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: nodes}}},
	} {
		if _, no := core.Step(s, core.Request{Command: c, Actor: core.System}, 1); no != nil {
			t.Fatal(no)
		}
	}
	return s
}

// jobs are submits of so many workloads of one GPU.
func jobs(prefix string, n int) (list []core.Command) {
	for i := range n {
		list = append(list, core.Submit{Spec: fleet.Spec{
			Name: fmt.Sprint(prefix, i), Namespace: "oak", Target: fleet.Flex, Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "main", GPUs: 1, Min: 1, Max: 1, Reach: fleet.ReachAny}},
		}})
	}
	return list
}

// Of a batch in which each command stands for itself the refused ones are left out, and
// the record is that of a batch of the others.
func TestABatchOfEachLeavesOutWhatIsRefused(t *testing.T) {
	each, whole := oneCluster(t, 4), oneCluster(t, 4)
	good := jobs("j", 3)
	mixed := []core.Command{good[0], core.Cancel{Namespace: "oak", Name: "none"}, good[1], good[0], good[2]}
	out, no := core.Step(each, core.Request{Command: core.Batch{Commands: mixed, Each: true}, Actor: core.Reporter}, 2)
	if no != nil {
		t.Fatal(no)
	}
	for i, refused := range []bool{false, true, false, true, false} {
		if (out.Refused[i] != nil) != refused {
			t.Errorf("command %d is refused: %v, want %t", i, out.Refused[i], refused)
		}
	}
	want, no := core.Step(whole, core.Request{Command: core.Batch{Commands: good}, Actor: core.Reporter}, 2)
	if no != nil || !reflect.DeepEqual(out.Record, want.Record) || each.Hash() != whole.Hash() {
		t.Errorf("the record is %+v, want that of the others alone: %+v (%v)", out.Record, want.Record, no)
	}
	before := each.Hash()
	if _, no := core.Step(each, core.Request{Command: core.Batch{Commands: mixed}, Actor: core.Reporter}, 3); no == nil || each.Hash() != before {
		t.Errorf("the same as one whole: %v; want it refused, and nothing changed", no)
	}
}

// What a cluster's reports cost beside 10,000 nodes: one batch of 20 submits.
func BenchmarkBatch(b *testing.B) {
	for _, each := range []bool{false, true} {
		b.Run(fmt.Sprintf("each=%t", each), func(b *testing.B) {
			s := oneCluster(b, 10_000)
			for i := 0; b.Loop(); i++ {
				if _, no := core.Step(s, core.Request{Command: core.Batch{Commands: jobs(fmt.Sprint("b", i, "-"), 20), Each: each}, Actor: core.Reporter}, fleet.Instant(time.Second)*fleet.Instant(i+2)); no != nil {
					b.Fatal(no)
				}
			}
		})
	}
}

// A batch of submissions is decided as one that does something else besides, which is
// tried on a copy: the same record, and the same refusals.
func TestABatchOfSubmissionsNeedsNoCopy(t *testing.T) {
	request := func(list []core.Command) core.Request {
		return core.Request{Command: core.Batch{Commands: list}, Actor: core.System}
	}
	plain, copied := oneCluster(t, 4), oneCluster(t, 4)
	list := jobs("j", 5)
	quick, no := core.Step(plain, request(list), 2)
	if no != nil {
		t.Fatal(no)
	}
	slow, no := core.Step(copied, request(append(list, core.Tick{})), 2)
	if no != nil {
		t.Fatal(no)
	}
	if !reflect.DeepEqual(quick.Record, slow.Record) || plain.Hash() != copied.Hash() {
		t.Errorf("decided without a copy: %+v\nwith one: %+v", quick.Record, slow.Record)
	}
	for what, list := range map[string][]core.Command{
		"a name twice":              append(jobs("k", 3), jobs("k", 1)...),
		"a name that is taken":      append(jobs("k", 3), jobs("j", 1)...),
		"a quota that is not there": append(jobs("k", 3), core.Submit{Spec: fleet.Spec{Name: "x", Namespace: "oak", Target: "none", Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "main", GPUs: 1, Min: 1, Max: 1, Reach: fleet.ReachAny}}}}),
	} {
		before := plain.Hash()
		_, quick := core.Step(plain, request(list), 3)
		_, slow := core.Step(copied, request(append([]core.Command{core.Tick{}}, list...)), 3)
		if quick == nil || slow == nil || quick.Code != slow.Code || plain.Hash() != before {
			t.Errorf("%s: %v without a copy, %v with one", what, quick, slow)
		}
	}
}
