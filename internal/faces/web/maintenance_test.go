package web_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// planned is a house with a rollout over all nodes, of which ten are in use, and with a zone over island i1 alone.
func planned(t *testing.T) *house { return open(t, nil).furnish().plan() }

// plan adds a rollout, a zone and an announced maintenance.
func (h *house) plan() *house {
	h.t.Helper()
	week := fleet.Span{From: fleet.Instant(h.clock.Load()), To: fleet.Instant(h.clock.Load()).Add(7 * 24 * time.Hour)}
	h.do(
		core.AddUpdate{Update: fleet.NodeUpdate{Name: "driver-580", Component: fleet.Component{Name: "gpu-driver", Version: "580"}, Impact: fleet.ImpactRestart, Lasts: time.Hour}},
		core.AddZone{Zone: fleet.Zone{Name: "launch", Scope: "tiger/h200/i1", Spans: []fleet.Span{week}, ZoneRecord: fleet.ZoneRecord{Reason: "a launch", Owner: "ada", Link: "https://example.com/launch"}}},
		core.StartRollout{Name: "driver", Plan: fleet.RolloutPlan{Scope: "tiger/h200", Updates: []string{"driver-580"}, Limits: fleet.VisitLimit{Failures: -1}}},
		core.AddNotice{Name: "host-update", Nodes: []string{"tiger-h200-i1-001"}, Starts: fleet.Instant(h.clock.Load()).Add(48 * time.Hour), Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true},
	)
	return h
}

// A rollout's page has its plan, what its nodes wait for in sentences, its islands, canaries and combinations.
func TestARolloutHasAPage(t *testing.T) {
	h := planned(t)
	_, body := h.get("/rollout/driver")
	has(t, body, "Rollout driver", "in stage canary: 0 of 16 nodes have driver-580", "Canary: 2 nodes for each combination", "5 %, 25 %, 100 % of the nodes that remain",
		"No-fly zone launch keeps visits away, until", "tiger/h200/i1", "gpu-driver", "untested", "muster rollout show driver")
	if code, body := h.get("/rollout/none"); code != 404 {
		t.Errorf("a rollout that is not there: %d", code)
	} else {
		has(t, body, "muster rollout list")
	}
}

// A rollout's page opens without a search: when it should end is a part that comes later.
func TestARolloutsEndComesLater(t *testing.T) {
	h := planned(t)
	_, body := h.get("/rollout/driver")
	has(t, body, "When it should end", `hx-get="/part/rollout-end?name=driver"`)
	if strings.Contains(body, "When it ends is") || strings.Contains(body, "It should end by") {
		t.Error("the page waits for a search")
	}
	_, part := h.get("/part/rollout-end?name=driver")
	has(t, part, "When it ends is not known: after all that is known to come it still waits")
	if code, _ := h.get("/part/rollout-end?name=none"); code != 404 {
		t.Errorf("the end of a rollout that is not there: %d", code)
	}
}

// A zone's board says what it costs: who is behind it, what starts when it lifts and whether that is proven, and what
// falls inside.
func TestAZoneHasABoard(t *testing.T) {
	h := planned(t)
	_, body := h.get("/zone/launch")
	has(t, body, "It is in force until", "8 nodes under it lack an update that it keeps away", "1 combination that piles up was never proven", "deadlines and announced maintenances inside: 1",
		"gpu-driver", "/rollout/driver", "Maintenance host-update", "the provider heeds no zone")
	if code, _ := h.get("/zone/none"); code != 404 {
		t.Errorf("a zone that is not there: %d", code)
	}
}

// Work whose owner agreed to a moment says so where it said before that it is left alone.
func TestAnAgreementStandsOnTheWorkloadsPage(t *testing.T) {
	h := planned(t)
	h.do(core.AgreeToStop{Namespace: "oak", Name: "base", At: fleet.Instant(h.clock.Load()).Add(2 * time.Hour)})
	_, body := h.get("/workload/oak/base")
	has(t, body, "It stops once, as a whole and with its grace, at Sat 2026-11-21 14:01Z as was agreed")
}

// A zone may recur. Its days are those of its time zone, and a dry run says when it is in force before it is added.
func TestAZoneThatRecursIsTriedAndThenAdded(t *testing.T) {
	h := open(t, nil).furnish()
	demos := url.Values{
		"name": {"demos"}, "scope": {"tiger"}, "from": {"2026-12-04 18:00"}, "to": {"2026-12-04 20:00"}, "time_zone": {"Europe/Berlin"}, "recur": {"FREQ=WEEKLY;COUNT=10"},
		"why": {"demos"}, "owner": {"ada"}, "link": {"https://example.com/demos"},
	}
	tried, done := h.change("add-zone", demos)
	has(t, tried, "from 2026-12-04 17:00Z to 2026-12-04 19:00Z, and 9 more times by FREQ=WEEKLY;COUNT=10 in Europe/Berlin, the last from 2027-02-05 17:00Z to 2027-02-05 19:00Z",
		"--time-zone Europe/Berlin --recur")
	has(t, done, "Done: add a no-fly zone.")
	h.engine.Read(func(s *fleet.State) {
		if z := s.Kept().Zone("demos"); z == nil || len(z.Spans) != 10 || z.TimeZone != "Europe/Berlin" {
			t.Errorf("the zone is %+v", z)
		}
	})
}

// How many no-fly days owners set is tried first, which changes nothing, and then set.
func TestNoFlyDaysOfQuotasAreTriedAndThenLimited(t *testing.T) {
	h := open(t, nil).furnish()
	days := func() (n int) {
		h.engine.Read(func(s *fleet.State) { n = s.Policy.Maintenance.ZoneDays })
		return n
	}
	_, tried := h.get("/do/zone-days?try=yes&days=14")
	has(t, tried, "What would change", "no-fly days of quotas a quarter 14")
	if days() != 0 {
		t.Fatalf("trying it set the limit to %d days", days())
	}
	_, done := h.change("zone-days", url.Values{"days": {"14"}})
	has(t, done, "Done: limit the no-fly days of quotas.")
	if days() != 14 {
		t.Errorf("the limit is %d days", days())
	}
}

// The page of work that bears a freeze of its node says so.
func TestWorkThatBearsAFreezeSaysSo(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(core.Submit{Spec: fleet.Spec{
		Name: "patient", Namespace: "oak", User: "ada", Target: "research/oak", Priority: fleet.Mid, BearsFreeze: 30 * time.Second,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachIsland}},
	}})
	_, body := h.get("/workload/oak/patient")
	has(t, body, "<dt>Bears a freeze of</dt>", "30s")
	if _, body := h.get("/workload/oak/base"); strings.Contains(body, "Bears a freeze of") {
		t.Error("the page of work that bears none says so, too")
	}
}

// What is wrong with a form of planned work stands at its field, and in one sentence above. Nothing of it is kept.
func TestFormsOfPlannedWorkSayWhichFieldIsWrong(t *testing.T) {
	h := planned(t)
	zone := url.Values{"name": {"z"}, "scope": {"tiger"}, "to": {"7d"}, "why": {"w"}, "owner": {"ada"}, "link": {"https://example.com"}}
	update := url.Values{"name": {"u"}, "component": {"nic"}, "version": {"2"}, "impact": {"restart"}, "lasts": {"2d"}, "executor": {"people"}}
	rollout := url.Values{"name": {"r"}, "scope": {"tiger/h200"}, "updates": {"driver-580"}}
	notice := url.Values{"name": {"n"}, "nodes": {"tiger-h200-i1-001"}, "starts": {"3d"}, "lasts": {"1h"}, "impact": {"restart"}}
	for _, c := range []struct {
		what, action string
		form         url.Values
		field, value string
		says         string
		at           string // the field that is marked; none: what is wrong is of no single one
	}{
		{"a zone that ends before it begins", "add-zone", zone, "from", "9d", "it ends after it begins", "to"},
		{"no moment at all", "add-zone", zone, "to", "some day", `"some day" is not a moment to come; write`, "to"},
		{"an unknown time zone", "add-zone", zone, "time_zone", "Europe/Atlantis", "is no time zone of the IANA database; write it as in Europe/London", "time_zone"},
		{"a rule in words", "add-zone", zone, "recur", "every friday", "write it as in FREQ=WEEKLY;BYDAY=FR;COUNT=10", "recur"},
		{"a hundred years", "add-zone", zone, "recur", "FREQ=YEARLY;COUNT=100", "the recurrence goes on for more than ten years; give it an earlier end", "recur"},
		{"a rule that begins again before it ended", "add-zone", zone, "recur", "FREQ=DAILY;COUNT=3", "make it one stretch, or let it recur less often", ""},
		{"a workload that is none", "add-zone", zone, "workload", "moonshot", "is NAMESPACE/NAME", "workload"},
		{"a place that is not there", "add-zone", zone, "scope", "lion", "lion", ""},
		{"a deadline in the past", "add-update", update, "deadline", "2001-01-01", `"2001-01-01" is in the past; write a moment to come`, "deadline"},
		{"no length", "add-update", update, "lasts", "soon", `"soon" is not a length of time; write one such as 45m, 24h or 2d`, "lasts"},
		{"another's nodes", "start-rollout", rollout, "scope", "tiger/h200/i1", `rollout "driver" has nodes of this scope; wait until it is done, abandon it, or choose other nodes`, ""},
		{"a node that is not there", "announce", notice, "nodes", "none", "none", ""},
		{"more days than a quarter has", "zone-days", url.Values{}, "days", "93", "92", "days"},
	} {
		form := maps.Clone(c.form)
		form.Set("try", "yes")
		form.Set(c.field, c.value)
		code, body := h.get("/do/" + c.action + "?" + form.Encode())
		plain := html.UnescapeString(body)
		if code != http.StatusOK || !strings.Contains(plain, "It would be refused: ") || !strings.Contains(plain, c.says) {
			t.Errorf("%s: %d, without %q", c.what, code, c.says)
		}
		marked := ""
		if m := fault.FindStringSubmatch(body); m != nil {
			marked = m[1]
		}
		if marked != c.at {
			t.Errorf("%s: marked is field %q, should be %q", c.what, marked, c.at)
		}
		form.Set("reason", "the story")
		for name, values := range hiddenOf(body, h) {
			form[name] = values
		}
		if code, _ := h.post("/do/"+c.action, form); code < 400 {
			t.Errorf("%s: it is done all the same: %d", c.what, code)
		}
	}
	h.engine.Read(func(s *fleet.State) {
		if k := s.Kept(); len(k.Zones) != 1 || len(k.Updates) != 1 || len(k.Rollouts) != 1 || len(k.Notices) != 1 {
			t.Errorf("%d zones, %d updates, %d rollouts and %d maintenances are kept, and each was refused but the first", len(k.Zones), len(k.Updates), len(k.Rollouts), len(k.Notices))
		}
	})
}

var fault = regexp.MustCompile(`aria-describedby="fault-(\w+)"`)

// hiddenOf is what a form carries without the reader. One that would be refused has no button, so that of another page is taken.
func hiddenOf(body string, h *house) url.Values {
	if f := form(body); f.Get("csrf") != "" {
		return f
	}
	_, other := h.get("/do/add-zone?name=any&scope=tiger&to=7d&why=w&owner=o&link=https://e.org&try=yes")
	return form(other)
}

// The page Drift says how far behind each partition is.
func TestDriftSaysWhoIsBehind(t *testing.T) {
	h := planned(t)
	_, body := h.get("/drift")
	has(t, body, "16 of 16 nodes lack an update that fits; in 1 partition every node does.", "driver-580")
}

// Planned work stands on the pages of those whom it concerns, with what becomes of their work.
func TestPlannedWorkStandsWhereItConcerns(t *testing.T) {
	h := planned(t)
	for path, wants := range map[string][]string{
		"/":                       {"Planned work", "/rollout/driver", "host-update"},
		"/partition/tiger/h200":   {"/rollout/driver", "is left alone until it ends"},
		"/node/tiger-h200-i1-001": {"host-update", "The provider takes the nodes at that moment"},
		"/team/research/oak":      {"/rollout/driver"},
		"/workload/oak/base":      {"/rollout/driver", "muster maintenance agree oak/base --at 2h"},
	} {
		_, body := h.get(path)
		has(t, body, wants...)
	}
}
