package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkGrowth is the bench "growth" one size at a time, for a profile.
func BenchmarkGrowth(b *testing.B) {
	for _, size := range [][2]int{{1_000, 1_000}, {1_000, 10_000}, {1_000, 100_000}} {
		for _, kind := range []string{"end and start", "submit and wait"} {
			b.Run(fmt.Sprintf("%s, %d nodes, %d waiting", kind, size[0], size[1]), func(b *testing.B) {
				h, err := newHall(context.Background(), size[0], size[1])
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				b.ResetTimer()
				if _, err := h.time(context.Background(), kind, b.N); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkMend is the bench "mend" for a profile: a node fails, and returns.
func BenchmarkMend(b *testing.B) {
	for _, nodes := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("%d nodes", nodes), func(b *testing.B) {
			h, err := newHall(context.Background(), nodes, nodes/10)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			var r Report
			if err := r.mends(context.Background(), h, nodes, b.N); err != nil {
				b.Fatal(err)
			}
			for _, f := range r.Figures {
				b.ReportMetric(f.Value, strings.ReplaceAll(f.Name, " ", "_"))
			}
		})
	}
}
