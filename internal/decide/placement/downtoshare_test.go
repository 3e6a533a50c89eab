package placement_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of a namespace that has more than its share of flex, a newcomer first looks at so much work as
// brings it down to its share; the rest is left alone.
func TestANamespaceIsBroughtDownToItsShareAndNoFurther(t *testing.T) {
	f := &crowded{s: fleet.NewState(), at: fleet.Instant(time.Hour)}
	f.do(t, core.AddCluster{Name: "c"})
	f.do(t, core.AddPartition{Cluster: "c", GPU: "g"})
	f.do(t, core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: "i", Nodes: 3}}})
	flex := func(namespace, name string, gpus int) core.Submit {
		return core.Submit{Spec: fleet.Spec{
			Name: name, Namespace: namespace, User: "u", Target: fleet.Flex, Priority: fleet.Mid, Grace: time.Minute,
			Pools: []fleet.Pool{{Name: "w", GPUs: gpus, Min: 1, Max: 1, Reach: fleet.ReachAny}},
		}}
	}
	for i := range 24 {
		f.do(t, flex("old", fmt.Sprint("single", i), 1))
	}
	f.do(t, flex("new", "node", 8)) // it waits: nothing has run for the minimum time yet
	it := f.s.Partition("c/g").FlexOf("new").Firsts()[0]
	if kept, of := placement.New(f.s, f.s.Partition("c/g"), f.at.Add(24*time.Hour)).DownToShare(*it); kept != 8 || of != 24 {
		t.Errorf("of %d jobs of old %d are taken to bring it down to its share of 16 GPUs", of, kept)
	}
}
