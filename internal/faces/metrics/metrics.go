package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Metrics are a server's figures for machines.
type Metrics struct {
	// Lag is how far the server may be behind the one that leads, and whether it follows one;
	// nil: it leads. It is set before the first scrape.
	Lag func() (lag time.Duration, follows bool)

	registry *prometheus.Registry
	happened *prometheus.CounterVec
	commands *prometheus.CounterVec
	seconds  prometheus.Histogram
}

// New makes the metrics of a server. read shows the state; a scrape looks at all workloads, so no decision should wait for it.
func New(read func(func(*fleet.State))) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		happened: prometheus.NewCounterVec(prometheus.CounterOpts{Name: happened.Name, Help: happened.Help}, happened.Labels),
		commands: prometheus.NewCounterVec(prometheus.CounterOpts{Name: commands.Name, Help: commands.Help}, commands.Labels),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: commandTime.Name, Help: commandTime.Help, Buckets: prometheus.ExponentialBuckets(0.000_1, 2.5, 12),
		}),
	}
	for _, kind := range event.Kinds() {
		m.happened.WithLabelValues(kind)
	}
	for _, o := range []Outcome{Accepted, Repeated, Refused, Failed} {
		m.commands.WithLabelValues(string(o))
	}
	m.registry.MustRegister(newGauges(read), place{m}, m.happened, m.commands, m.seconds, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler answers Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Outcome is what came of a command.
type Outcome string

// The outcomes.
const (
	Accepted Outcome = "accepted"
	Repeated Outcome = "repeated"
	Refused  Outcome = "refused"
	Failed   Outcome = "failed"
)

// Answered counts a command and how long its answer took.
func (m *Metrics) Answered(o Outcome, took time.Duration) {
	m.commands.WithLabelValues(string(o)).Inc()
	m.seconds.Observe(took.Seconds())
}

// Follow counts what happens until ctx ends. watch calls its function for each
// record from a sequence number on.
func (m *Metrics) Follow(ctx context.Context, from uint64, watch func(context.Context, uint64, func(event.Record) error) error) error {
	err := watch(ctx, from, func(r event.Record) error {
		for _, e := range r.Events {
			m.happened.WithLabelValues(e.Kind()).Inc()
		}
		return nil
	})
	if ctx.Err() == nil {
		return err
	}
	return nil // it was to end
}
