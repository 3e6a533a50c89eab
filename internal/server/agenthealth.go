package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/clusters/link"
	"github.com/muster-fleet/muster/internal/run/gate"
)

// serveHealth says how the agent fares until ctx ends.
func serveHealth(ctx context.Context, l net.Listener, agent *link.Agent, door *kube.APIProxy) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if !agent.Stats().Connected {
			http.Error(w, "no line to the server", http.StatusServiceUnavailable)
			return
		}
		if err := door.Alive(r.Context()); err != nil {
			http.Error(w, "the API server does not answer: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ready")
	})
	mux.Handle("GET /metrics", agentMetrics(agent.Stats))
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	defer context.AfterFunc(ctx, func() { _ = h.Close() })()
	if err := h.Serve(gate.Bounds{PerAddress: 32, Total: 256}.Listen(l)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// agentMetrics serves an agent's own figures to Prometheus.
func agentMetrics(stats func() link.Stats) http.Handler {
	connected := func() float64 {
		if stats().Connected {
			return 1
		}
		return 0
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "muster_agent_connected", Help: "Whether the agent has a line to the server."}, connected),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "muster_agent_lines_total", Help: "Lines to the server that there have been."},
			func() float64 { return float64(stats().Lines) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "muster_agent_calls_total", Help: "Calls of the API server that the server has asked for."},
			func() float64 { return float64(stats().Asked) }),
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
