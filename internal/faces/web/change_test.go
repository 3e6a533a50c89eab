package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// change fills in a form, looks at what it would change, and does it.
func (h *house) change(action string, fields url.Values) (tried, done string) {
	h.t.Helper()
	fields.Set("try", "yes")
	_, tried = h.get("/do/" + action + "?" + fields.Encode())
	f := form(tried)
	for name := range fields {
		f.Set(name, fields.Get(name))
	}
	f.Set("reason", "the story")
	_, done = h.post("/do/"+action, f)
	return tried, done
}

// A grant is tried first, which changes nothing, and then done once.
func TestAGrantIsTriedAndThenSet(t *testing.T) {
	h := open(t, nil).furnish()
	granted := func() (n int) {
		h.engine.Read(func(s *fleet.State) { n = s.Partitions[0].Assigned() })
		return n
	}
	_, tried := h.get("/do/grant?try=yes&quota=research/oak&partition=tiger/h200&gpus=64")
	has(t, tried, "What would change", "research/oak", "64", "muster quota grant research/oak tiger/h200 64 --reason")
	if granted() != 104 {
		t.Fatalf("trying a grant set it to %d", granted())
	}
	_, done := h.change("grant", url.Values{"quota": {"research/oak"}, "partition": {"tiger/h200"}, "gpus": {"64"}})
	has(t, done, "Done: set a grant.", "research/oak")
	if granted() != 64 {
		t.Errorf("the grant is %d", granted())
	}
}

// A form says why it would be refused, and what of it is wrong, before anything is sent.
func TestFormsSayWhyTheyWouldBeRefused(t *testing.T) {
	h := open(t, nil).furnish()
	for path, want := range map[string]string{
		"/do/grant?try=yes&quota=research/oak&partition=tiger/h200&gpus=many":             "GPUs: &#34;many&#34; is not a whole number of 0 or more; write one such as 352",
		"/do/grant?try=yes&quota=research/oak&partition=tiger/h200&gpus=128":              "It would be refused",
		"/do/hold?try=yes&quota=research/oak&partition=tiger/h200&gpus=8&until=yesterday": "Until: &#34;yesterday&#34; is past (",
		"/do/cancel?try=yes&job=base":                                                             "Workload: &#34;base&#34; is not NAMESPACE/NAME; write it as in oak/pretrain-1",
		"/do/buffer?try=yes&scope=tiger/h200&kind=fixed&share=":                                   "Share in %: is empty; write one such as 15",
		"/do/grant?try=yes&quota=research/oak&partition=tiger/h200&gpus=99999999999":              "GPUs: &#34;99999999999&#34; is too large; write a whole number such as 352",
		"/do/grant?try=yes&quota=research/oak":                                                    "Partition: is empty; write one such as tiger/h200; GPUs: is empty; write one such as 352",
		"/do/grant?try=yes&quota=research/oak&partition=tiger/h200&gpus=sixty&until=frday&gang=x": "write one such as 352; Until: &#34;frday&#34; may mean friday",
	} {
		code, body := h.get(path)
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, without %q", path, code, want)
		}
		if strings.Contains(body, `id="confirm"`) {
			t.Errorf("%s can be sent", path)
		}
		if strings.Contains(body, "The same on the command line") {
			t.Errorf("%s names a command that would be refused, too", path)
		}
	}
}

// A form at an earlier moment says that the past cannot be changed, in a sentence.
func TestAFormOfThePastSaysThatItIsOne(t *testing.T) {
	code, body := open(t, nil).furnish().get("/do/grant?as-of=2h")
	if code != http.StatusBadRequest || !strings.Contains(body, "The past cannot be changed; take as-of out of the address.") {
		t.Errorf("it is answered with %d\n%s", code, between(body, "<main", "</main>"))
	}
}

// Every action's form opens, bare and with all that other pages know.
func TestEveryFormOpens(t *testing.T) {
	h := open(t, nil).furnish()
	for _, name := range []string{
		"grant", "transfer", "hold", "release", "request", "answer", "access", "cancel", "retarget", "priority", "cordon", "drain", "uncordon",
		"open-incident", "update-incident", "close-incident", "burst", "breaker", "acknowledge", "buffer",
		"approve", "decline", "end-sign-ins",
	} {
		if code, body := h.get("/do/" + name); code != http.StatusOK || !strings.Contains(body, "Show what would change") {
			t.Errorf("%s: %d", name, code)
		}
	}
	if code, _ := h.get("/do/nothing"); code != http.StatusNotFound {
		t.Errorf("an action that does not exist is answered with %d", code)
	}
	if code, _ := h.get("/do/grant?as-of=12:00"); code != http.StatusBadRequest {
		t.Errorf("changing the past is answered with %d", code)
	}
}

// Work, nodes and incidents are changed from pages too.
func TestPagesDoWhatTheirReadersMay(t *testing.T) {
	h := open(t, nil).furnish()
	_, done := h.change("cancel", url.Values{"job": {"oak/moonshot"}})
	has(t, done, "Cancelled")
	node := "tiger-h200-i2-003"
	_, done = h.change("drain", url.Values{"nodes": {node}})
	has(t, done, "maintenance", "Return to service …")
	_, done = h.change("open-incident", url.Values{"name": {"cooling-7"}, "scope": {"tiger/h200"}, "severity": {"sev1"}, "owner": {"ada"}, "link": {"https://example.org/7"}})
	has(t, done, "Incident cooling-7", "sev1", "the story", "https://example.org/7", "Close …", "open for 0s; it takes 8 GPUs.")
	h.do(core.OpenIncident{Name: "a-late-one", Severity: "sev3"}, core.OpenIncident{Name: "worst", Severity: "sev0"})
	_, list := h.get("/incidents")
	if a, b, c := strings.Index(list, "/incident/worst"), strings.Index(list, "/incident/cooling-7"), strings.Index(list, "/incident/a-late-one"); a < 0 || a > b || b > c {
		t.Errorf("incidents stand at %d, %d, %d: not the worst first", a, b, c)
	}
	_, fleetPage := h.get("/")
	has(t, fleetPage, "/incident/cooling-7", "ada")
	_, incident := h.get("/incident/cooling-7")
	has(t, incident, "Incident cooling-7", "https://example.org/7", "muster incident list<")
}

// An incident takes no node out: one that names healthy nodes says so, and the page of such a node names the incident.
func TestAnIncidentThatTakesNothingSaysSo(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(
		core.OpenIncident{Name: "flaps", Scope: "tiger/h200/i1", Severity: "sev2", Nodes: []string{"tiger-h200-i1-001", "tiger-h200-i1-002"}},
		core.OpenIncident{Name: "cooling", Scope: "tiger/h200/i2", Severity: "sev3"},
	)
	_, page := h.get("/incident/flaps")
	has(t, page, "it takes no GPUs: all of its 2 nodes are in service.", "An incident takes no node out of service", "muster node drain")
	_, page = h.get("/")
	has(t, page, "in tiger/h200/i2 takes no GPUs: all nodes in tiger/h200/i2 are in service, open since")
	for node, want := range map[string]string{"tiger-h200-i1-001": "Incident flaps</a> names this node.", "tiger-h200-i2-001": "Incident cooling</a> touches where this node stands."} {
		_, page = h.get("/node/" + node)
		has(t, page, want)
	}
	if _, page = h.get("/node/tiger-h200-i1-003"); strings.Contains(page, "/incident/flaps") {
		t.Error("an incident of other nodes stands on the page of a node")
	}
	h.do(core.CloseIncident{Name: "flaps"})
	_, page = h.get("/incident/flaps")
	has(t, page, "closed ", "muster incident list --closed")
}

// A warning leads to where something can be done about it, can be acknowledged, and goes away
// when a burst is judged.
func TestWarningsAreAcknowledgedAndJudged(t *testing.T) {
	h := open(t, nil).furnish()
	h.burst()
	_, body := h.get("/")
	has(t, body, "2 warnings", "Automation has stopped in tiger/h200", "Possible false alarm in tiger/h200", "/do/burst?partition=tiger%2Fh200", "Acknowledge …")
	key := "burst" + between(body, "/do/acknowledge?warning=burst", `"`)
	key, err := url.QueryUnescape(key)
	must(t, err)
	_, _ = h.change("acknowledge", url.Values{"warning": {key}, "lasts": {"8h"}})
	_, body = h.get("/nodes")
	has(t, body, "Acknowledged by ", "until 20:0", "the story")
	if !strings.Contains(body, "1 warning<") {
		t.Error("a warning that was acknowledged still asks to be seen")
	}
	signature := between(body, "/do/burst?partition=tiger%2Fh200&amp;signature=", `"`)
	signature, err = url.QueryUnescape(signature)
	must(t, err)
	h.clock.Add(int64(time.Second))
	_, _ = h.change("burst", url.Values{"partition": {"tiger/h200"}, "signature": {signature}, "verdict": {"false"}})
	if _, body = h.get("/nodes"); strings.Contains(body, "Possible false alarm") {
		t.Error("a burst that was judged is still shown")
	}
}

// A warning is red on the pages that it concerns. Every other page counts it, and leads to where it stands.
func TestAWarningIsRedWhereItConcerns(t *testing.T) {
	h := open(t, nil).furnish()
	h.burst()
	for _, path := range []string{"/", "/nodes", "/partition/tiger/h200", "/team/research/oak", "/workload/oak/base", "/node/tiger-h200-i1-001", "/queue?target=research/oak&partition=tiger/h200"} {
		_, body := h.get(path)
		has(t, body, `<p class="alarm"`, "Automation has stopped in tiger/h200", `<a class="tag bad" href="#banners">2 warnings</a>`, `id="banners"`)
	}
	for _, path := range []string{"/teams", "/words", "/events", "/team/research", "/workloads", "/build-out/lynx", "/do/grant"} {
		_, body := h.get(path)
		has(t, body, `<a class="tag wait" href="/nodes#banners">2 warnings</a>`, `<a href="/nodes#banners">2 warnings about other parts of the fleet</a>`)
		if strings.Contains(body, "Automation has stopped") || strings.Contains(body, `class="alarm"`) {
			t.Errorf("%s is red for what does not concern it", path)
		}
	}
}

// On a page about the past a warning of now is counted, and said to be of now: beside figures of then it would say that they were so.
func TestAWarningOfNowDoesNotStandInThePast(t *testing.T) {
	h := open(t, nil).furnish()
	h.burst()
	for _, path := range []string{"/?as-of=12:00", "/partition/tiger/h200?as-of=12:00", "/words?as-of=12:00"} {
		code, body := h.get(path)
		has(t, body, `<a class="tag wait" href="/nodes#banners">2 warnings now</a>`, `<a href="/nodes#banners">2 warnings now, not at the moment that this page is about</a>`)
		if code != http.StatusOK || strings.Contains(body, "Automation has stopped") || strings.Contains(body, `class="alarm"`) {
			t.Errorf("%s, %d: a warning of now stands on a page about the past", path, code)
		}
	}
}

// between is what stands between two texts.
func between(body, from, to string) string {
	_, rest, _ := strings.Cut(body, from)
	word, _, _ := strings.Cut(rest, to)
	return strings.ReplaceAll(word, "&amp;", "&")
}

// burst makes one check fail on six nodes at once, which is taken for the monitor's fault.
func (h *house) burst() {
	h.t.Helper()
	h.do(core.SetHealthPolicy{Policy: fleet.DefaultHealth()})
	var list []fleet.Signal
	for _, node := range []string{"i1-001", "i1-002", "i1-003", "i1-004", "i2-001", "i2-002"} {
		list = append(list, fleet.Signal{
			Agent: "dcgm", Component: "GPU", Check: "XIDErrors", Node: "tiger-h200-" + node, Codes: []string{"79"}, Fatal: true, At: fleet.Instant(h.clock.Load()),
		})
	}
	h.do(core.TakeSignals{Signals: list})
}

// The form of a grant ends one, as muster quota grant QUOTA PARTITION none does: what stays is no row of 0 GPUs.
func TestTheFormOfAGrantEndsIt(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(core.CreateQuota{Path: "research/elm", Owner: "eve"}, core.SetGrant{Quota: "research/elm", Partition: "tiger/h200", GPUs: 0})
	grant := url.Values{"quota": {"research/elm"}, "partition": {"tiger/h200"}, "gpus": {"none"}}
	_, tried := h.get("/do/grant?try=yes&" + grant.Encode())
	has(t, tried, "muster quota grant research/elm tiger/h200 none")
	if strings.Contains(tried, "It would be refused") {
		t.Error("the end of a grant would be refused")
	}
	h.change("grant", grant)
	_, teams := h.get("/teams")
	_, without, _ := strings.Cut(teams, "Without grants of their own:")
	has(t, without, `href="/team/research/elm"`)
}
