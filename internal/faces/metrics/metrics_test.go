package metrics_test

import (
	"context"
	"io"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// small is a fleet of 4 nodes with one quota of 2, one job that runs and one that waits.
func small(t *testing.T) *fleet.State {
	t.Helper()
	s := fleet.NewState()
	for _, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.SetPolicy{Policy: noBuffer()},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 4}}},
		core.CreateQuota{Path: "oak"},
		core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 16},
		submit("runs", 2), submit("waits", 1),
		core.SetNodes{Names: []string{"tiger-h200-a-004"}, State: fleet.Quarantined, Signal: "XID 79"},
	} {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, 1); refusal != nil {
			t.Fatalf("%T: %v", c, refusal)
		}
	}
	return s
}

func noBuffer() fleet.Policy {
	p := fleet.DefaultPolicy()
	p.Buffer.Share = 0
	return p
}

func submit(name string, nodes int) core.Command {
	return core.Submit{Spec: fleet.Spec{Name: name, Namespace: "ada", Target: "oak", Priority: fleet.Mid, Grace: fleet.DefaultGrace, Pools: []fleet.Pool{
		{Name: "w", GPUs: 8, Min: nodes, Max: nodes, Reach: fleet.ReachIsland},
	}}}
}

func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != 200 {
		t.Fatalf("scrape: %d, %v: %s", w.Code, err, text)
	}
	return string(text)
}

func TestAScrapeSaysWhatTheFleetIs(t *testing.T) {
	s := small(t)
	m := metrics.New(func(fn func(*fleet.State)) { fn(s) })
	m.Answered(metrics.Refused, 3*time.Millisecond)
	err := m.Follow(context.Background(), 1, func(_ context.Context, _ uint64, fn func(event.Record) error) error {
		return fn(event.Record{Events: []event.Event{event.NodeChanged{}, event.NodeChanged{}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	for _, line := range []string{
		`muster_gpus_installed{cluster="tiger",gpu="h200"} 32`,
		`muster_gpus_healthy{cluster="tiger",gpu="h200"} 24`,
		`muster_nodes{cluster="tiger",gpu="h200",state="quarantined"} 1`,
		`muster_quota_gpus_usage{cluster="tiger",gpu="h200",quota="oak"} 16`,
		`muster_gpus_held{cluster="tiger",gpu="h200",holds="guaranteed"} 16`,
		`muster_workloads{state="pending"} 1`,
		`muster_waiting_gpus{target="oak"} 8`,
		`muster_events_total{event="node.changed"} 2`,
		`muster_commands_total{outcome="refused"} 1`,
		`muster_command_seconds_count 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the scrape lacks %s", line)
		}
	}
	for _, metric := range metrics.Catalogue() {
		if !strings.Contains(text, "# TYPE "+metric.Name+" "+string(metric.Kind)+"\n") {
			t.Errorf("%s is in the catalogue and not in the scrape", metric.Name)
		}
	}
}

// What Prometheus and Grafana are given speaks of metrics that exist.
func TestDashboardAndAlertsSpeakOfMetricsThatExist(t *testing.T) {
	var known []string
	for _, m := range metrics.Catalogue() {
		known = append(known, m.Name)
		if m.Kind == metrics.Histogram {
			known = append(known, m.Name+"_bucket")
		}
	}
	dashboard, err := metrics.Dashboard()
	if err != nil {
		t.Fatal(err)
	}
	alerts, err := metrics.AlertRules()
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\bmuster_[a-z_]+`).FindAllString(string(dashboard)+string(alerts), -1)
	if len(named) < 20 {
		t.Fatalf("only %d metrics are named", len(named))
	}
	for _, name := range named {
		if !slices.Contains(known, name) {
			t.Errorf("%s is shown or alerted on, and is no metric", name)
		}
	}
}

// The files that people install are those of this version.
func TestInstalledFilesAreUpToDate(t *testing.T) {
	for path, made := range map[string]func() ([]byte, error){
		"../../../deploy/grafana/muster.json":          metrics.Dashboard,
		"../../../deploy/prometheus/muster.rules.yaml": metrics.AlertRules,
		"../../../docs/metrics.md":                     func() ([]byte, error) { return []byte(metrics.Markdown()), nil },
	} {
		want, err := made()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(got)) != strings.TrimSpace(string(want)) {
			t.Errorf("%s is not what muster metrics makes now; make it again: make metrics", path)
		}
	}
}
