package web_test

import (
	"net/url"
	"strings"
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

// The board has the phases as columns, and late clusters come first in theirs.
func TestTheBoardHasPhasesAsColumns(t *testing.T) {
	h := open(t, nil).furnish()
	_, board := h.get("/build-out")
	at := 0
	for _, want := range []string{`class="board"`, "Planned <span", "lynx", "Waits for QuotaAvailable", "No date is known", "1 touch", "Provisioning <span", "Provisioned <span", "InProduction <span", "Draining <span"} {
		found := strings.Index(board[at:], want)
		if found < 0 {
			t.Fatalf("the board does not have %q where it should", want)
		}
		at += found
	}
	_, table := h.get("/build-out?phase=Planned")
	has(t, table, "<table", "lynx")
}

// A record is entered by a form, which says what is wrong with a field and enters nothing then.
func TestAClusterIsPlannedByAForm(t *testing.T) {
	h := open(t, nil).furnish()
	record := func(name, islands, blueprint string) url.Values {
		return url.Values{"name": {name}, "subscription": {"s1"}, "region": {"east"}, "gpu": {"h200"}, "islands": {islands}, "blueprint": {blueprint}, "owner": {"capacity"}}
	}
	count := func() (n int) {
		h.engine.Read(func(s *fleet.State) { n = len(s.Lives) })
		return n
	}
	before := count()
	for _, c := range []struct{ name, islands, blueprint, says string }{
		{"puma", "a-4", "nd", "write name:nodes"},
		{"puma", "a:4 a:2", "nd", "is named twice"},
		{"puma", "a:4", "none", "muster blueprint list"},
		{"lynx", "a:4", "nd", "is planned already"},
		{"Puma!", "a:4", "nd", "lower-case letters"},
	} {
		fields := record(c.name, c.islands, c.blueprint)
		fields.Set("try", "yes")
		code, page := h.get("/do/cluster-plan?" + fields.Encode())
		if !strings.Contains(page, c.says) || count() != before {
			t.Errorf("%+v is answered with %d, %d records; it does not say so: %.3000s", c, code, count()-before, page)
		}
	}
	tried, done := h.change("cluster-plan", record("puma", "a=4 b:2", "nd"))
	has(t, tried, "What would change", "muster cluster plan puma")
	has(t, done, "puma")
	h.engine.Read(func(s *fleet.State) {
		if l := s.Life("puma"); l == nil || l.Record.Nodes() != 6 || l.Record.Owner != "capacity" {
			t.Errorf("the form entered %+v", l)
		}
	})
}

// The page of a cluster draws its steps, and shows the log of its pipeline as far as there is one.
func TestAClustersPageShowsItsTimelineAndItsLog(t *testing.T) {
	h := open(t, nil).furnish()
	_, page := h.get("/build-out/lynx")
	has(t, page, "Timeline", "Steps of lynx", "QuotaAvailable", `hx-get="/part/cluster-log?cluster=lynx"`)
	_, part := h.get("/part/cluster-log?cluster=lynx")
	has(t, part, "The pipeline has not begun.", `id="cluster-log"`)
	if code, _ := h.get("/part/cluster-log?cluster=nobody"); code != 404 {
		t.Errorf("the log of a cluster that nobody planned is answered with %d", code)
	}
}
