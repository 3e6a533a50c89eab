package web_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// The page of a workload says who made it, where its cluster knows that.
func TestThePageOfAWorkloadSaysWhoMadeIt(t *testing.T) {
	h := open(t, nil).furnish()
	made := spec("made", 1)
	made.Author = "mia<b>@example.com"
	_, err := h.engine.Do(t.Context(), core.Request{Command: core.Submit{Spec: made}, Actor: core.Reporter, Reason: "as its cluster shows it"})
	must(t, err)
	_, body := h.get("/workload/" + made.Namespace + "/made")
	has(t, body, "<dt>Made by</dt>", "mia&lt;b&gt;@example.com")
	if _, body := h.get("/workload/oak/base"); strings.Contains(body, "Made by") {
		t.Error("the page of work whose author is not known says so, too")
	}
}
