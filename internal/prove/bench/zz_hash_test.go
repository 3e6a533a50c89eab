package bench

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

type zz struct {
	*busy
	h     hash.Hash
	n     int
	kinds map[string]int
	rich  bool
	nodes []string
	down  []string
	holds []uint64
}

func newZZ(t *testing.T, seed uint64, nodes int, rich bool) *zz {
	b := &busy{rng: newRand(seed, uint64(nodes)), now: busyStart, quotas: max(1, nodes/20)}
	if rich {
		b.quotas = 2 + b.rng.IntN(8)
	}
	z := &zz{busy: b, h: sha256.New(), kinds: map[string]int{}, rich: rich}
	var err error
	b.Engine, err = engine.Open(context.Background(), engine.Options{
		Journal: &forgetful{}, Synchronous: true, Now: func() fleet.Instant { return b.now },
		Plan: func(r event.Record, _ *fleet.State) func() {
			d, err := event.Encode(r)
			if err != nil {
				t.Error(err)
			}
			z.h.Write(d)
			z.n += len(r.Events)
			for _, e := range r.Events {
				z.kinds[e.Kind()]++
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := z.make(nodes); err != nil {
		t.Fatal(err)
	}
	b.Read(func(s *fleet.State) {
		for _, n := range s.Partitions[0].Nodes {
			z.nodes = append(z.nodes, n.Name)
		}
	})
	return z
}

func (z *zz) make(nodes int) error {
	ctx := context.Background()
	if !z.rich {
		return build(ctx, z.Engine, nodes, z.quotas)
	}
	var isl []core.NewIsland
	for i, left := 0, nodes; left > 0; i++ {
		n := min(left, 3+z.rng.IntN(10))
		isl = append(isl, core.NewIsland{Name: fmt.Sprintf("i%d", i+1), Nodes: n, Racks: 1 + z.rng.IntN(3)})
		left -= n
	}
	cs := []core.Command{core.AddCluster{Name: cluster}, core.AddPartition{Cluster: cluster, GPU: gpu}, core.AddIslands{Partition: partition, Islands: isl}}
	if z.rng.IntN(2) == 0 {
		cs = append(cs, core.AddPartition{Cluster: cluster, GPU: "a100"}, core.AddIslands{Partition: cluster + "/a100", Islands: []core.NewIsland{{Name: "j1", Nodes: nodes / 3, Racks: 1}}})
	}
	for q := range z.quotas {
		cs = append(cs, core.CreateQuota{Path: zq(q)}, core.SetGrant{Quota: zq(q), Partition: partition, GPUs: max(1, nodes*8/10/z.quotas) * 8})
		if len(cs)%2 == 0 {
			cs = append(cs, core.SetGrant{Quota: zq(q), Partition: cluster + "/a100", GPUs: 8})
		}
	}
	for _, c := range cs {
		_, _ = z.Do(ctx, core.Request{Command: c, Actor: operator, Reason: "bench"})
	}
	return nil
}

func zq(q int) string { return fmt.Sprintf("tree%d/quota%d", q/3, q%3) }

func zpool(r *rand.Rand, name string, rank int) fleet.Pool {
	p := fleet.Pool{Name: name, GPUs: 1 << r.IntN(4), Min: 1 + r.IntN(4), Rank: rank, Reach: []fleet.Reach{fleet.ReachAny, fleet.ReachIsland, fleet.ReachRack}[r.IntN(3)]}
	p.Max = p.Min
	if r.IntN(4) == 0 {
		p.Elastic, p.Max = true, p.Min+1+r.IntN(10)
	}
	return p
}

func (z *zz) spec() fleet.Spec {
	if !z.rich {
		return mix(z.rng, z.drawn, z.quotas)
	}
	r := z.rng
	s := fleet.Spec{
		Name: fmt.Sprintf("w%d", z.drawn), Namespace: fmt.Sprintf("team%d", r.IntN(6)), User: fmt.Sprintf("u%d", r.IntN(5)),
		Target: fleet.Flex, Priority: fleet.Priority(r.IntN(4)), Grace: fleet.DefaultGrace, Partition: partition,
		Pools: []fleet.Pool{zpool(r, "w", 0)},
	}
	if r.IntN(3) > 0 {
		s.Target = zq(r.IntN(z.quotas))
	}
	if r.IntN(4) == 0 {
		s.Partition = ""
	}
	if r.IntN(3) == 0 {
		s.Pools = append(s.Pools, zpool(r, "x", r.IntN(2)))
	}
	if r.IntN(8) == 0 {
		s.Pools = append(s.Pools, zpool(r, "y", r.IntN(3)))
	}
	if r.IntN(3) == 0 {
		s.MaxRuntime = time.Duration(1+r.IntN(600)) * time.Second * 10
	}
	if r.IntN(3) == 0 {
		s.CheckpointEvery = time.Duration(1+r.IntN(60)) * time.Minute
	}
	return s
}

func (z *zz) step(t *testing.T) {
	ctx := context.Background()
	do := func(c core.Command) { _, _ = z.Do(ctx, core.Request{Command: c, Actor: operator, Reason: "bench"}) }
	z.now = z.now.Add(time.Duration(1+z.rng.IntN(20)) * time.Second)
	switch k := z.rng.IntN(100); {
	case k < 55:
		z.drawn++
		res, err := z.Do(ctx, core.Request{Command: core.Submit{Spec: z.spec()}, Actor: operator})
		if err == nil {
			z.note(res.Record)
		}
	case k < 85:
		if err := z.end(ctx); err != nil {
			z.h.Write([]byte(err.Error()))
		}
	case k < 88:
		n := z.nodes[z.rng.IntN(len(z.nodes))]
		do(core.SetNodes{Names: []string{n}, State: fleet.Quarantined, Signal: "bench"})
		z.down = append(z.down, n)
	case k < 92 && len(z.down) > 0:
		do(core.SetNodes{Names: []string{z.down[0]}, State: fleet.Healthy, Signal: "bench"})
		z.down = z.down[1:]
	case k < 94 && z.rich:
		_, err := z.Do(ctx, core.Request{Command: core.PlaceHold{Quota: zq(z.rng.IntN(z.quotas)), Partition: partition, GPUs: 8 * (1 + z.rng.IntN(2)), User: fmt.Sprintf("u%d", z.rng.IntN(5)), Until: z.now.Add(6 * time.Hour)}, Actor: operator, Reason: "bench"})
		if err != nil {
			z.kinds["refused hold "+err.Error()[:min(40, len(err.Error()))]]++
		}
		if res, err := z.Do(ctx, core.Request{Command: core.PlaceHold{Quota: zq(z.rng.IntN(z.quotas)), Partition: partition, GPUs: 8, Namespace: fmt.Sprintf("team%d", z.rng.IntN(6)), Until: z.now.Add(9 * time.Hour)}, Actor: operator, Reason: "bench"}); err == nil && z.rng.IntN(2) == 0 {
			for _, e := range res.Record.Events {
				if h, ok := e.(event.HoldPlaced); ok {
					z.holds = append(z.holds, h.Hold.ID)
				}
			}
		}
		if len(z.holds) > 4 {
			do(core.ReleaseHold{ID: z.holds[0]})
			z.holds = z.holds[1:]
		}
	case k < 96 && z.rich:
		do(core.SetGrant{Quota: zq(z.rng.IntN(z.quotas)), Partition: partition, GPUs: 8 * z.rng.IntN(8)})
	case k < 98:
		z.now = z.now.Add(time.Duration(z.rng.IntN(40)) * time.Minute)
		do(core.Tick{})
	}
	if z.rng.IntN(3) > 0 {
		if err := z.release(ctx); err != nil {
			z.h.Write([]byte(err.Error()))
		}
	}
}

func TestZZHash(t *testing.T) {
	all := sha256.New()
	n := 0
	kinds := map[string]int{}
	add := func(z *zz) {
		fmt.Fprintf(all, "%x\n", z.h.Sum(nil))
		n += z.n
		for k, v := range z.kinds {
			kinds[k] += v
		}
		z.Close()
	}
	for seed := range uint64(120) {
		z := newZZ(t, 4000+seed, 8+int(seed)%30, true)
		for range 400 {
			z.step(t)
		}
		add(z)
	}
	for _, nodes := range []int{200, 600} {
		z := newZZ(t, 77, nodes, false)
		for range nodes * 12 {
			z.step(t)
		}
		add(z)
	}
	if os.Getenv("ZZ_BIG") != "" {
		z := newZZ(t, 78, 1000, false)
		if err := z.fill(context.Background(), true, time.Hour); err != nil {
			t.Fatal(err)
		}
		for range 1500 {
			z.step(t)
		}
		add(z)
	}
	fmt.Printf("HASH %x events %d %v\n", all.Sum(nil), n, kinds)
}

// how long submissions in a crowd take: the same work in old and new
func TestZZTime(t *testing.T) {
	z := newZZ(t, 78, 1000, false)
	for z.waits < 0.5 && z.drawn < 4000 {
		if _, err := z.submit(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := z.release(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	var took []time.Duration
	began := threadTime()
	for range 600 {
		one, err := z.churn(context.Background(), true)
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, one)
	}
	sum := time.Duration(0)
	for _, d := range took {
		sum += d
	}
	_ = began
	sortDur(took)
	fmt.Printf("TIME sum %v p50 %v p90 %v p99 %v\n", sum, took[len(took)/2], took[len(took)*9/10], took[len(took)*99/100])
}

func sortDur(d []time.Duration) {
	for i := range d {
		for j := i; j > 0 && d[j] < d[j-1]; j-- {
			d[j], d[j-1] = d[j-1], d[j]
		}
	}
}
