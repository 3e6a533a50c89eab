package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
)

// callers is how many clients ask at once; the fleet has a GPU for each.
const callers = 64

// BenchmarkSubmit is commands over Connect on loopback, by 64 clients at once,
// each answered once it is durable. Every caller submits a workload that starts
// at once and then cancels it, so that the fleet stays as full as it is; both count.
func BenchmarkSubmit(b *testing.B) {
	for _, wire := range []struct {
		name string
		http func() *http.Client
	}{
		{"http1", func() *http.Client { return nil }},
		{"http2", overHTTP2},
	} {
		b.Run(wire.name, func(b *testing.B) { benchmarkSubmit(b, wire.http()) })
	}
}

func benchmarkSubmit(b *testing.B, h *http.Client) {
	house := open(b, func(o *api.Options) { o.Log, o.Now, o.Engine = nil, nil, live(b) })
	_, err := house.Fleet.Apply(b.Context(), furniture())
	must(b, err)
	c := client.New(client.Options{Address: house.url, HTTPClient: h})
	var next atomic.Int64
	var done sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for caller := range callers {
		done.Go(func() {
			for submit := true; next.Add(1) <= int64(b.N); submit = !submit {
				if err := call(b, c, caller, submit); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// call submits a workload, or cancels the caller's last.
func call(b *testing.B, c *client.Client, caller int, submit bool) error {
	namespace := fmt.Sprint("team", caller)
	if !submit {
		_, err := c.Workloads.Cancel(b.Context(), &musterv1.CancelRequest{Namespace: namespace, Name: "probe"})
		return err
	}
	_, err := c.Workloads.Submit(b.Context(), &musterv1.SubmitRequest{
		Write: &musterv1.Write{Reason: "bench"},
		Spec: &musterv1.WorkloadSpec{
			Name: "probe", Namespace: namespace, Target: "flex", Priority: "high",
			Pools: []*musterv1.Pool{{Name: "w", Gpus: 1, Replicas: 1}},
		},
	})
	return err
}

// live is an engine on the machine's clock.
func live(b *testing.B) api.Engine {
	e, err := engine.Open(b.Context(), engine.Options{Journal: memory.New()})
	must(b, err)
	b.Cleanup(func() { _ = e.Close() })
	return realEngine{e}
}
