package bench

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"
)

// BenchmarkCrowded is the crowded part of the bench "submit" with counts instead of
// spans, for a profile and for comparing two builds: the decisions are the same in
// each run. It quotes the processor time of the deciding thread.
func BenchmarkCrowded(b *testing.B) {
	const nodes, filled = 10_000, 6_500
	ctx := context.Background()
	e, err := newBusy(ctx, Options{Seed: 1}, &forgetful{}, nodes)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	for range filled {
		if _, err := e.submit(ctx); err != nil {
			b.Fatal(err)
		}
		if err := e.release(ctx); err != nil {
			b.Fatal(err)
		}
	}
	runtime.LockOSThread() // so that the thread's processor time is the decision's
	defer runtime.UnlockOSThread()
	var busy []time.Duration
	b.ResetTimer()
	for range b.N {
		if err := e.end(ctx); err != nil {
			b.Fatal(err)
		}
		before := threadTime()
		if _, err := e.submit(ctx); err != nil {
			b.Fatal(err)
		}
		busy = append(busy, threadTime()-before)
		if err := e.release(ctx); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(busy)
	b.ReportMetric(ms(busy[len(busy)/2]), "p50-ms")
	b.ReportMetric(ms(busy[len(busy)*9/10]), "p90-ms")
	b.ReportMetric(ms(busy[len(busy)*99/100]), "p99-ms")
}
