package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// enlarge adds 20,000 nodes in 200 islands, 500 quotas and 6,000 workloads with long names.
func (h *house) enlarge() *house {
	h.t.Helper()
	islands := core.AddIslands{Partition: "tiger/h200"}
	for i := range 200 {
		islands.Islands = append(islands.Islands, core.NewIsland{Name: fmt.Sprintf("vast%d", i), Nodes: 100})
	}
	var quotas, work core.Batch
	for i := range 500 {
		path := fmt.Sprintf("department-%d/a-team-with-a-long-name-%d", i%20, i)
		quotas.Commands = append(quotas.Commands, core.CreateQuota{Path: path, Owner: "ada"}, core.SetGrant{Quota: path, Partition: "tiger/h200", GPUs: 8})
	}
	for i := range 6000 {
		work.Commands = append(work.Commands, core.Submit{Spec: spec(fmt.Sprintf("%0200d", i), 1)})
	}
	h.do(islands, quotas, work)
	h.clock.Add(int64(time.Minute))
	return h
}

// trouble adds planned work and an incident, and then takes so many nodes out of service that grants are not backed, and plans a haircut.
func (h *house) trouble() *house {
	h.t.Helper()
	h.plan().do(core.OpenIncident{Name: "worst", Severity: "sev0"})
	for i := range 200 {
		var names []string
		for n := range 100 {
			names = append(names, fmt.Sprintf("tiger-h200-vast%d-%03d", i, n+1))
		}
		h.do(core.SetNodes{Names: names, State: fleet.Quarantined, Signal: "XID 79"})
	}
	h.clock.Add(int64(time.Minute))
	h.do(core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisCluster}})
	return h
}

// longName is the name of one of the workloads.
var longName = strings.Repeat("0", 196) + "5999"

// largePages are what is opened of a large fleet: NAME is a workload's.
var largePages = []string{
	"/", "/partition/tiger/h200", "/shadow/tiger", "/part/shadow?cluster=tiger", "/part/uptime", "/coming", "/build-out", "/build-out/lynx", "/cloud-quota", "/run?gpus=8&replicas=64",
	"/workloads", "/workloads?limit=10000", "/workload/oak/NAME", "/workload/oak/NAME/why", "/workload/oak/NAME/help", "/workload/oak/NAME/story", "/queue?target=research/oak",
	"/teams", "/team/research/oak", "/team/research", "/team/department-1", "/haircuts", "/haircut/new", "/promise", "/part/promise-islands", "/nodes", "/nodes?limit=100000", "/node/tiger-h200-vast7-007", "/maintenance", "/incidents", "/events", "/events?limit=10000",
	"/sessions", "/style", "/words", "/maintenance.ics", "/haircut-export", "/do/grant", "/do/transfer", "/do/submit",
}

// troubledPages are what is opened of it when work is planned and most nodes are out of service.
var troubledPages = []string{
	"/", "/drift", "/incidents", "/incident/worst", "/promise", "/haircuts", "/haircut/autumn", "/haircut/autumn/apply?cluster=tiger", "/maintenance", "/coming", "/nodes", "/partition/tiger/h200",
	"/rollout/driver", "/part/rollout-end?name=driver", "/workload/oak/NAME", "/workload/oak/NAME/story", "/workload/oak/NAME/help", "/promise/broken", "/part/broken",
}

// No page of a large fleet, and no file of one, has more than a megabyte: who opens it has no
// reason to take a stream.
func TestNoPageIsLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("a large fleet takes a while")
	}
	h := open(t, nil).furnish().enlarge()
	for _, path := range largePages {
		h.small(strings.ReplaceAll(path, "NAME", longName))
	}
}

// Nor is one where much goes on: planned work on all nodes, and most of them out of service.
func TestNoPageOfATroubledFleetIsLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("a large fleet takes a while")
	}
	h := open(t, nil).furnish().enlarge().trouble()
	for _, path := range troubledPages {
		if status := h.small(strings.ReplaceAll(path, "NAME", longName)); status != http.StatusOK {
			t.Errorf("%s is answered with %d", path, status)
		}
	}
}

// small reads a page that has at most a megabyte.
func (h *house) small(path string) (status int) {
	h.t.Helper()
	began := time.Now()
	status, body := h.get(path)
	if status >= 500 || len(body) > 1<<20 {
		h.t.Errorf("%.60s is answered with %d and %d bytes", path, status, len(body))
	}
	h.t.Logf("%.60s: %d, %d kB in %v", path, status, len(body)>>10, time.Since(began).Round(time.Millisecond))
	return status
}
