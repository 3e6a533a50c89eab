package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// evict gives research/elm, which namespace elm may use, work on flex that fills the fleet, and then has work of
// research/oak take room from it; between them come other commands.
func (h *house) evict(between ...core.Command) {
	h.t.Helper()
	guest := spec("guest", 1)
	guest.Namespace, guest.User, guest.Target = "elm", "eli", "flex"
	guest.Pools = []fleet.Pool{{Name: "w", GPUs: 8, Min: 12, Max: 12, Elastic: true, Reach: fleet.ReachAny}}
	h.do(core.CreateQuota{Path: "research/elm", Owner: "eve"}, core.SetAccess{Path: "research/elm", Access: fleet.Access{Namespaces: []string{"elm"}}}, core.Submit{Spec: guest})
	h.do(between...)
	h.do(core.Submit{Spec: spec("urgent", 4)})
}

// Work of an eviction is found however much other work there is between the two: in a large fleet that is more than a list
// may have.
func TestAnEvictionIsToldWhereMuchOtherWorkLiesBetween(t *testing.T) {
	h := open(t, nil).furnish()
	var others []core.Command
	for k := range 10_000 {
		name := fmt.Sprintf("other-%d", k)
		others = append(others, core.Submit{Spec: spec(name, 12)}, core.Cancel{Namespace: "oak", Name: name})
	}
	h.evict(others...)
	_, body := h.get("/part/evictions?window=1h&quota=research/oak")
	has(t, body, "Taken from others for this team: 1 eviction", `href="/workload/elm/guest"`, `href="/workload/oak/urgent"`)
}

// A team's page lists what was evicted in a time: which work left, how much of it, for which work, and why it. Both teams see
// it, each from its own side.
func TestATeamSeesWhatWasTakenAndForWhom(t *testing.T) {
	h := open(t, nil).furnish()
	h.evict()
	_, page := h.get("/team/research/elm?window=1h")
	has(t, page, "What was evicted, over 1 hour", "/part/evictions?quota=research%2Felm&amp;window=1h")
	for quota, want := range map[string]string{"research/elm": "Taken from this team: 1 eviction, 96 GPUs in all", "research/oak": "Taken from others for this team: 1 eviction, 96 GPUs in all"} {
		code, body := h.get("/part/evictions?window=1h&quota=" + quota)
		if code != http.StatusOK {
			t.Fatalf("%s: %d", quota, code)
		}
		has(t, body, want, `href="/workload/elm/guest"`, `href="/workload/oak/urgent"`, "this work is on flex", "muster events --kind replicas.evicted --since 1h")
	}
	if _, body := h.get("/part/evictions?window=1h&quota=research"); strings.Contains(body, "guest") && !strings.Contains(body, "for this team") {
		t.Error("the quota above sees another's flex work as its own")
	}
	code, body := h.get("/part/evictions?window=soon&quota=research/elm")
	if code != http.StatusBadRequest || !strings.Contains(body, "is not a length of time; write one such as 24h") {
		t.Errorf("no length of time is answered with %d", code)
	}
}

// The page of workloads lists what was evicted, and nothing else.
func TestEvictedWorkIsListed(t *testing.T) {
	h := open(t, nil).furnish()
	h.evict()
	_, page := h.get("/workloads?states=evicted")
	has(t, page, `href="/workload/elm/guest"`, "muster job list --evicted")
	if strings.Contains(page, `href="/workload/oak/urgent"`) {
		t.Error("what was never evicted is listed, too")
	}
}
