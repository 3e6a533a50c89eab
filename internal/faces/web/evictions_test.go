package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// evict gives research/elm, which namespace elm may use, work on flex that fills the fleet, and then has work of
// research/oak take room from it.
func (h *house) evict() {
	h.t.Helper()
	guest := spec("guest", 1)
	guest.Namespace, guest.User, guest.Target = "elm", "eli", "flex"
	guest.Pools = []fleet.Pool{{Name: "w", GPUs: 8, Min: 12, Max: 12, Elastic: true, Reach: fleet.ReachAny}}
	h.do(core.CreateQuota{Path: "research/elm", Owner: "eve"}, core.SetAccess{Path: "research/elm", Access: fleet.Access{Namespaces: []string{"elm"}}}, core.Submit{Spec: guest}, core.Submit{Spec: spec("urgent", 4)})
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
