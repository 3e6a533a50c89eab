package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
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

// No page of a large fleet, and no file of one, has more than a megabyte: who opens it has no
// reason to take a stream.
func TestNoPageIsLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("a large fleet takes a while")
	}
	h := open(t, nil).furnish().enlarge()
	name := strings.Repeat("0", 196) + "5999"
	for _, path := range []string{
		"/", "/partition/tiger/h200", "/shadow/tiger", "/part/shadow?cluster=tiger", "/part/uptime", "/coming", "/build-out", "/build-out/lynx", "/cloud-quota", "/run?gpus=8&replicas=64",
		"/workloads", "/workloads?limit=10000", "/workload/oak/" + name, "/workload/oak/" + name + "/why", "/workload/oak/" + name + "/help", "/workload/oak/" + name + "/story", "/queue?target=research/oak",
		"/teams", "/team/research/oak", "/team/research", "/team/department-1", "/haircuts", "/haircut/new", "/promise", "/part/promise-islands", "/nodes", "/nodes?limit=100000", "/node/vast7-7", "/maintenance", "/incidents", "/events", "/events?limit=10000",
		"/sessions", "/style", "/words", "/maintenance.ics", "/haircut-export", "/do/grant", "/do/transfer", "/do/submit",
	} {
		began := time.Now()
		status, body := h.get(path)
		if status >= 500 || len(body) > 1<<20 {
			t.Errorf("%.60s is answered with %d and %d bytes", path, status, len(body))
		}
		t.Logf("%.60s: %d, %d kB in %v", path, status, len(body)>>10, time.Since(began).Round(time.Millisecond))
	}
}
