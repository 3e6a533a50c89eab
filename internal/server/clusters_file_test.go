package server

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAFileOfClusters(t *testing.T) {
	got, err := readClusters("clusters.yaml", []byte(`clusters:
  - {name: tiger, kubeconfig: /etc/muster/tiger, mode: manage, fenceAfter: 10m, prometheus: "http://prometheus:9090"}
  - {name: lion, kubeconfig: /etc/muster/lion, context: admin, mode: observe, quotas: none}
  - {name: bear, mode: kueue}
`))
	want := []joinOptions{
		{Name: "tiger", Kubeconfig: "/etc/muster/tiger", Manage: true, Quotas: true, FenceAfter: 10 * time.Minute, Prometheus: "http://prometheus:9090"},
		{Name: "lion", Kubeconfig: "/etc/muster/lion", Context: "admin"},
		{Name: "bear", Kueue: true, Quotas: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
	for _, try := range [][2]string{
		{"clusters: []", "it takes 1 to"},
		{"clusters: [{name: Tiger, mode: observe}]", `clusters.yaml:1: name is "Tiger"`},
		{"clusters: [{name: a, mode: observe}, {name: a, mode: observe}]", "listed twice, first in line 1"},
		{"clusters: [{name: a, mode: enforce}]", `known here: observe, kueue, manage`},
		{"clusters: [{name: a, mode: observe, fenceAfter: 10m}]", `for mode manage`},
		{"clusters: [{name: a, mode: manage, fenceAfter: 10s}]", "at least 1m"},
		{"clusters: [{name: a, mode: manage, fenceAfter: soon}]", `clusters.yaml:1: fenceAfter`},
		{"clusters: [{name: a, mode: manage, fence: 10m}]", `unknown key "fence"`},
	} {
		if _, err := readClusters("clusters.yaml", []byte(try[0])); err == nil || !strings.Contains(err.Error(), try[1]) {
			t.Errorf("%s: %v, want %q", try[0], err, try[1])
		}
	}
}
