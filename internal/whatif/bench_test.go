package whatif_test

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/explain"
	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/forecast"
	"github.com/muster-fleet/muster/internal/whatif"
)

// crowded is a fleet of 1,000 nodes and 50 quotas in trees, with so many
// workloads that wait.
func crowded(waiting int) *fleetAt {
	f := &fleetAt{rng: rand.New(rand.NewSource(1)), s: fleet.NewState(), now: fleet.Instant(time.Hour)}
	f.do(core.AddCluster{Name: "c"})
	f.do(core.AddPartition{Cluster: "c", GPU: "g"})
	f.partitions = []string{"c/g"}
	for i := range 10 {
		f.do(core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: fmt.Sprintf("i%d", i), Nodes: 100, Racks: 4}}})
	}
	for i := range 50 {
		path := fmt.Sprintf("t%d/q%d", i/8, i)
		f.quotas = append(f.quotas, path)
		f.do(core.CreateQuota{Path: path})
		f.do(core.SetGrant{Quota: path, Partition: "c/g", GPUs: 8 * 16})
	}
	for n := 0; n < waiting; {
		f.now = f.now.Add(time.Second)
		s := f.spec()
		s.Pools[0].GPUs, s.Pools[0].Min = 8, 1+f.rng.Intn(12)
		s.Pools[0].Max = s.Pools[0].Min
		s.Name = fmt.Sprintf("w%d", f.n)
		f.do(core.Submit{Spec: s})
		f.leave()
		if w := f.s.Workload(s.Namespace, s.Name); w != nil && w.State == fleet.Pending {
			n++
		}
	}
	return f
}

func (f *fleetAt) pending() []*fleet.Workload {
	var list []*fleet.Workload
	for id := uint64(1); id < f.s.NextID; id++ {
		if w := f.s.Workloads[id]; w != nil && w.State == fleet.Pending {
			list = append(list, w)
		}
	}
	return list
}

// BenchmarkWhy is the whole answer about one of 500 that wait on 1,000 nodes,
// what would help included, in the second that the API gives it.
func BenchmarkWhy(b *testing.B) {
	f := crowded(500)
	list := f.pending()
	b.Run("clone", func(b *testing.B) {
		for b.Loop() {
			f.s.Clone()
		}
	})
	c := f.s.Clone()
	b.Run("reasons of all", func(b *testing.B) {
		for b.Loop() {
			for _, w := range list {
				explain.Why(c, c.Workloads[w.ID], f.now)
			}
		}
	})
	b.Run("when", func(b *testing.B) {
		i := 0
		for b.Loop() {
			forecast.When(c, c.Workloads[list[i*37%len(list)].ID], f.now, forecast.Options{Steps: 60})
			i++
		}
	})
	b.Run("one and what helps", func(b *testing.B) {
		i, slowest, changes, missed := 0, time.Duration(0), 0, 0
		for b.Loop() {
			began := time.Now()
			w := list[i*37%len(list)]
			why := explain.Why(c, c.Workloads[w.ID], f.now)
			found := whatif.Changes(c, c.Workloads[w.ID], why, f.now, whatif.Budget{Stop: func() bool { return time.Since(began) > time.Second }})
			changes += len(found.Changes)
			if found.Missed {
				missed++
			}
			slowest = max(slowest, time.Since(began))
			i++
		}
		b.ReportMetric(float64(slowest.Milliseconds()), "ms-slowest")
		b.ReportMetric(float64(changes)/float64(i), "changes")
		b.ReportMetric(float64(missed)/float64(i), "cut")
	})
}
