package web_test

import (
	"net/url"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The board, a cluster's life and the ledger say what a cluster waits for, and a form holds it.
func TestPagesOfAClusterThatIsBuilt(t *testing.T) {
	h := open(t, nil).furnish()
	_, board := h.get("/build-out")
	has(t, board, "1 cluster on the way", "lynx", "QuotaAvailable", "cloud", "Planned")
	_, life := h.get("/build-out/lynx")
	has(t, life, "142 cores of h200 are missing", "muster cluster hold lynx", "entry", "Conditions")
	_, ledger := h.get("/cloud-quota")
	has(t, ledger, "s1/east", "50 used", "lynx", "142 are missing")

	tried, done := h.change("cluster-hold", url.Values{"cluster": {"lynx"}})
	has(t, tried, "What would change", "muster cluster hold lynx --reason")
	has(t, done, "held")
	h.engine.Read(func(s *fleet.State) {
		if s.Life("lynx").Course.Held == 0 {
			t.Error("the form did not hold the cluster")
		}
	})
	h.do(core.ReportCounts{Subscription: "s1", Region: "east", Counts: []fleet.CloudCount{{Meter: "h200", Limit: 1000, Used: 50}}},
		core.SteerCluster{Cluster: "lynx", Do: core.Go})
	_, life = h.get("/build-out/lynx")
	has(t, life, "a person has to check the cluster in", "muster cluster checkin lynx", "192")
	if code, _ := h.get("/build-out/nobody"); code != 404 {
		t.Errorf("a cluster that nobody planned is answered with %d", code)
	}
	if code, _ := h.get("/build-out?phase=Nowhere"); code != 400 {
		t.Errorf("a phase that does not exist is answered with %d", code)
	}
}
