package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// Where no server ran, the targets and the timeline of a quota say so.
func TestATimeWithoutAServerIsShownAsAGap(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(core.SetOwner{Path: "research/oak", Owner: "mia"})
	h.clock.Add(int64(10 * time.Hour))
	h.do(core.StartServer{})
	h.clock.Add(int64(time.Hour))
	_, body := h.get("/part/uptime")
	has(t, body, "No server ran for 10h", "it is not counted")
	_, body = h.get("/part/timeline?quota=research/oak&window=24h")
	if !strings.Contains(body, "no server ran") {
		t.Errorf("the timeline shows no gap: %.300s", body)
	}
}
