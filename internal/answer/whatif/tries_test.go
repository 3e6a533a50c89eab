package whatif_test

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
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
	f.crowd(waiting, 12)
	return f
}

// crowd submits work of whole nodes until so many workloads wait.
func (f *fleetAt) crowd(waiting, most int) {
	for n := 0; n < waiting; {
		f.now = f.now.Add(time.Second)
		s := f.spec()
		s.Pools[0].GPUs, s.Pools[0].Min = 8, 1+f.rng.Intn(most)
		s.Pools[0].Max = s.Pools[0].Min
		s.Name = fmt.Sprintf("w%d", f.n)
		f.do(core.Submit{Spec: s})
		f.leave()
		if w := f.s.Workload(s.Namespace, s.Name); w != nil && w.State == fleet.Pending {
			n++
		}
	}
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
	b.Run("fork", func(b *testing.B) {
		for b.Loop() {
			f.s.Fork()
		}
	})
	c := f.s.Fork()
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
	b.Run("one and what helps", func(b *testing.B) { benchChanges(b, f, c) })
}

func benchChanges(b *testing.B, f *fleetAt, c *fleet.State) {
	list := f.pending()
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
}

// several is a fleet of four partitions in two clusters and twelve quotas with
// grants in all of them: what waits may often start in any.
func several(waiting int) *fleetAt {
	f := &fleetAt{rng: rand.New(rand.NewSource(1)), s: fleet.NewState(), now: fleet.Instant(time.Hour)}
	for i := range 4 {
		c, p := fmt.Sprintf("c%d", i/2), fmt.Sprintf("c%d/g%d", i/2, i%2)
		if i%2 == 0 {
			f.do(core.AddCluster{Name: c})
		}
		f.do(core.AddPartition{Cluster: c, GPU: fmt.Sprintf("g%d", i%2)})
		f.do(core.AddIslands{Partition: p, Islands: []core.NewIsland{{Name: "a", Nodes: 40, Racks: 4}, {Name: "b", Nodes: 24, Racks: 2}}})
		f.partitions = append(f.partitions, p)
	}
	for i := range 12 {
		path := fmt.Sprintf("t%d/q%d", i/4, i)
		f.quotas = append(f.quotas, path)
		f.do(core.CreateQuota{Path: path})
		for _, p := range f.partitions {
			f.do(core.SetGrant{Quota: path, Partition: p, GPUs: 8 * 4})
		}
	}
	f.crowd(waiting, 6)
	return f
}

// BenchmarkWhySeveral is BenchmarkWhy's last on four partitions, with 500 that wait.
func BenchmarkWhySeveral(b *testing.B) {
	f := several(500)
	c := f.s.Fork()
	benchChanges(b, f, c)
}
