package bench

import (
	"strconv"
	"testing"
)

// BenchmarkPeers runs the peers' cases whole, for profiles:
// go test ./internal/prove/bench -run '^$' -bench Peers/kueue-baseline -cpuprofile cpu.out.
func BenchmarkPeers(b *testing.B) {
	for _, bench := range All() {
		if bench.Name != "kueue-baseline" && bench.Name != "kueue-large" && bench.Name != "fleet" && bench.Name[:3] != "kai" {
			continue
		}
		b.Run(bench.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := bench.Run(b.Context(), Options{Seed: 1, Dir: b.TempDir(), Progress: func(what string) { b.Log(what) }}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReclaim makes room for a gang of half the nodes among a sibling's
// borrowers that fill the fleet: the one decision, and then until it runs.
func BenchmarkReclaim(b *testing.B) {
	for _, nodes := range []int{100, 200, 400} {
		b.Run(strconv.Itoa(nodes), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				c := reclaim{"half × 8 from borrowers", nodes, nodes / 2, kaiGuest, nodes / 2, 8, kaiPeer(102), 0}
				s, err := newKai(b.Context(), c.nodes, c.guests)
				if err == nil {
					err = s.crowd(b.Context(), c.crowd, c.nodes*8)
				}
				b.StartTimer()
				if err == nil {
					_, _, err = s.submit(b.Context(), kaiWork("comes", kaiOwner, c.replicas, c.gpus), 0)
				}
				if err == nil {
					err = s.settle(b.Context())
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkKueueLarge is Kueue's large-scale test with fewer quotas in each tree.
func BenchmarkKueueLarge(b *testing.B) {
	for _, quotas := range []int{10, 30} {
		b.Run(strconv.Itoa(quotas), func(b *testing.B) {
			for b.Loop() {
				s, _, _, err := kueueCase{10, quotas, 20, kueueSets(10)}.run(b.Context(), Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(s.decided)/s.all.work.Seconds(), "decisions/CPU-s")
				s.close()
			}
		})
	}
}
