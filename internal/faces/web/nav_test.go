package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// A page names its entry of the navigation, also where its figures come later: the browser marks the entry then.
func TestAPageNamesItsEntryOfTheNavigation(t *testing.T) {
	h := planned(t)
	for path, entry := range map[string]string{"/": "fleet", "/maintenance": "maintenance", "/rollout/driver": "maintenance", "/events": "events"} {
		_, page := h.get(path)
		has(t, page, `data-nav="`+entry+`" aria-current="page"`)
		has(t, h.refresh(h.reader, path), `tabindex="-1" data-nav="`+entry+`"`)
	}
}

// Closed incidents are listed with the one that was closed last on top.
func TestTheLastClosedIncidentComesFirst(t *testing.T) {
	h := open(t, nil).furnish()
	for _, name := range []string{"pump", "fabric"} {
		h.do(core.OpenIncident{Name: name, Scope: "tiger/h200", Severity: "sev3", Owner: "olga"}, core.CloseIncident{Name: name})
		h.clock.Add(int64(time.Hour))
	}
	_, body := h.get("/incidents?closed=yes")
	if first, last := strings.Index(body, "/incident/fabric"), strings.Index(body, "/incident/pump"); first < 0 || first > last {
		t.Errorf("fabric, which was closed last, stands at %d, and pump at %d", first, last)
	}
	has(t, body, `data-label="closed"`, `data-label="lasted">`)
	h.do(core.OpenIncident{Name: "one", Severity: "sev3"}, core.OpenIncident{Name: "two", Severity: "sev2"})
	_, body = h.get("/incidents")
	has(t, body, "2 incidents are open, the worst first; they take ")
	if strings.Contains(body, `data-label="closed"`) {
		t.Error("an open incident has a moment at which it was closed")
	}
}
