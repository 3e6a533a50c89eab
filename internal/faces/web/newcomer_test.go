package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What stands free is said to be so with what waits before.
func TestFreeRoomSaysWhoWaitsBefore(t *testing.T) {
	h := open(t, nil).furnish()
	_, body := h.get("/part/stairs")
	has(t, body, "Free, but", " workload waits ahead of you, and starts first if it fits.", "behind 1 workload that waited before", ` opacity="0.4"`)
	h = open(t, nil).furnish()
	h.do(core.Cancel{Namespace: "oak", Name: "moonshot"})
	if _, body = h.get("/part/stairs"); strings.Contains(body, "ahead of you") || strings.Contains(body, ` opacity="0.4"`) {
		t.Error("nobody waits, and the page says otherwise")
	}
}

// A moment may be written as pages print it.
func TestMomentsAsPagesWriteThem(t *testing.T) {
	h := open(t, nil).furnish()
	for _, word := range []string{"12:00:30", "12:01", "12:01 UTC", "2026-11-21 12:00:30", "30s"} {
		if code, body := h.get("/?as-of=" + url.QueryEscape(word)); code != http.StatusOK || !strings.Contains(body, "Live again") {
			t.Errorf("%s: %d", word, code)
		}
	}
	code, body := h.get("/?as-of=noon")
	if code != http.StatusBadRequest {
		t.Errorf("noon is answered with %d", code)
	}
	has(t, body, "write 2026-11-21 12:01:00, yesterday, 15:04 of today", "Correct the address")
}

// Who sent a form has no address to mend; who only asked has changed nothing, and need not be told.
func TestRefusalsSayWhatToMend(t *testing.T) {
	h := open(t, nil).furnish()
	_, page := h.get("/haircuts?basis=quota")
	f := form(page)
	f.Set("reason", " ")
	code, body := h.post("/haircuts", f)
	if code != http.StatusBadRequest || strings.Contains(body, "Correct the address") || strings.Count(body, "Nothing was changed") != 1 {
		t.Errorf("a form without a reason is answered with %d\n%s", code, body)
	}
	has(t, body, "Go back and correct the form.")
	f.Set("reason", "tried")
	f.Set("name", "a b/c")
	if _, body = h.post("/haircuts", f); strings.Count(body, "Nothing was changed") != 1 {
		t.Errorf("the server's own refusal says %d times that nothing was changed", strings.Count(body, "Nothing was changed"))
	}
	for _, path := range []string{"/?as-of=2099-01-01", "/node/none", "/workload/oak/none", "/partition/no/such"} {
		if _, body := h.get(path); strings.Contains(body, "Nothing was changed") {
			t.Errorf("%s: reading changes nothing, and the page says so", path)
		}
	}
}

// A wave that would be refused says why, and offers no button.
func TestBlockedWavesOfferNoButton(t *testing.T) {
	h := open(t, nil).furnish()
	_, draft := h.get("/haircuts?basis=quota&kind=fixed&share=25")
	f := form(draft)
	for k, v := range map[string]string{"basis": "quota", "kind": "fixed", "share": "25", "name": "spring", "reason": "the cluster runs hot"} {
		f.Set(k, v)
	}
	_, body := h.post("/haircuts", f)
	has(t, body, `<span class="tag wait">not now</span>`, "<button disabled>Apply …</button>", "See what it would change")
	for _, what := range []string{"review", "tell"} {
		_, page := h.get("/haircut/spring")
		f := form(page)
		f.Set("reason", "done")
		_, body = h.post("/haircut/spring/"+what, f)
	}
	if strings.Contains(body, "button disabled") {
		t.Error("a wave that may be applied offers no button")
	}
	has(t, body, "Apply …</a>")
}

// Turns of several partitions stand in one list: the page says why they repeat.
func TestQueueSaysWhoseTurnsItShows(t *testing.T) {
	h := open(t, nil).furnish()
	const says = "Each partition has a queue of its own. Several are shown here as one"
	if _, body := h.get("/queue?target=research/oak"); strings.Contains(body, says) {
		t.Error("one queue is told apart from itself")
	}
	h = open(t, nil).furnish()
	h.do(
		core.AddPartition{Cluster: "tiger", GPU: "b200"}, core.AddIslands{Partition: "tiger/b200", Islands: []core.NewIsland{{Name: "j1", Nodes: 8}}},
		core.SetGrant{Quota: "research/oak", Partition: "tiger/b200", GPUs: 48},
	)
	other := spec("elsewhere", 9)
	other.Partition, other.Priority = "tiger/b200", fleet.High // the first there, as the other is in h200
	h.do(core.Submit{Spec: other})
	_, body := h.get("/queue?target=research/oak")
	has(t, body, says)
}
