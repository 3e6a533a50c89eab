package web_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A cluster in shadow says on its partition's page, and on one of its own, what would have been decided there and what
// became of it; a cluster where Muster acts says nothing of the kind.
func TestAClusterInShadowSaysWhatWouldBeDecided(t *testing.T) {
	h := open(t, nil).furnish()
	one := spec("watched", 1)
	one.Target, one.Partition = fleet.Flex, "puma/a100"
	h.do(
		core.AddCluster{Name: "puma", Mode: fleet.Shadow}, core.AddPartition{Cluster: "puma", GPU: "a100"},
		core.AddIslands{Partition: "puma/a100", Islands: []core.NewIsland{{Name: "i1", Nodes: 4}}}, core.Submit{Spec: one},
	)
	h.clock.Add(int64(time.Hour))

	_, body := h.get("/partition/puma/a100")
	has(t, body, "What Muster would have decided", "muster cluster shadow puma --since 24h", "/part/shadow?cluster=puma")
	if _, body = h.get("/partition/tiger/h200"); contains(body, "muster cluster shadow") {
		t.Error("the page of a cluster where Muster acts compares, too")
	}
	_, body = h.get("/shadow/puma?window=168h")
	has(t, body, "The cluster is in mode shadow", "muster cluster shadow puma --since 168h")
	_, body = h.get("/part/shadow?cluster=puma&window=24h")
	has(t, body, "Muster would have started 1 workload of 8 GPUs: 1 still waits", "/workload/oak/watched", "puma/a100")

	for path, want := range map[string]int{"/shadow/none": 404, "/shadow/puma?window=never": 400, "/part/shadow?cluster=puma&window=-1h": 400} {
		if code, _ := h.get(path); code != want {
			t.Errorf("%s is answered with %d, not %d", path, code, want)
		}
	}
}

// In a fleet where a try takes seconds a page tries what would help once, when it is asked to.
func TestOfALargeFleetHelpIsTriedWhenAskedFor(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(core.AddPartition{Cluster: "tiger", GPU: "b200"}, core.AddIslands{Partition: "tiger/b200", Islands: []core.NewIsland{{Name: "i1", Nodes: 60_000}}})
	_, body := h.get("/workload/oak/moonshot/help")
	has(t, body, "Try it now", "/workload/oak/moonshot/help?try=yes")
	if contains(body, "No single change") {
		t.Error("it says that nothing helps, and has tried nothing")
	}
	_, body = h.get("/workload/oak/moonshot/help?try=yes")
	has(t, body, "until the page is loaded again") // what it finds hangs on how fast the machine is
	if contains(body, "hx-trigger") || contains(body, "Try it now") {
		t.Error("what was asked for once is tried again and again")
	}
}
