package web_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/web"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var everyPage = []string{
	"/", "/run", "/run?gpus=8&replicas=2&hours=3", "/workloads", "/workload/oak/base", "/workload/oak/moonshot", "/workload/oak/moonshot/why", "/workload/oak/moonshot/help", "/part/places?gpus=8&replicas=2", "/part/stairs", "/part/frontier", "/workload/oak/base/story",
	"/queue?target=research/oak", "/part/ladder?target=research/oak", "/partition/tiger/h200", "/partition/tiger/h200?island=i2", "/teams", "/team/research/oak", "/team/research",
	"/part/timeline?quota=research/oak&window=1h", "/haircuts", "/haircuts?basis=quota", "/part/compare", "/promise", "/promise/broken", "/part/broken?window=24h", "/part/uptime", "/incidents", "/incidents?closed=yes", "/do/grant?quota=research/oak", "/coming", "/coming?scope=tiger/h200", "/build-out", "/build-out?phase=Planned", "/build-out/lynx", "/part/cluster-log?cluster=lynx", "/cloud-quota", "/do/cluster-hold?cluster=lynx", "/do/cluster-plan", "/maintenance", "/drift", "/do/start-rollout", "/do/add-zone?name=z&scope=tiger&to=7d&why=w&owner=o&link=https://e.org&try=yes", "/maintenance.ics?scope=tiger", "/nodes", "/node/tiger-h200-i1-001", "/part/kept?quota=research/oak", "/part/evictions?quota=research/oak&window=24h", "/part/promise-islands?partition=tiger/h200", "/events", "/sessions", "/words", "/style",
}

// elsewhere are the pages that need more than the furnished fleet, and the tests that open them.
var elsewhere = map[string]string{
	"/shadow/{cluster}":        "TestAClusterInShadowSaysWhatWouldBeDecided",
	"/part/shadow":             "TestAClusterInShadowSaysWhatWouldBeDecided",
	"/haircut/{name}":          "TestHaircutByForms",
	"/haircut/{name}/{step}":   "TestHaircutByForms",
	"/incident/{name}":         "TestPagesDoWhatTheirReadersMay",
	"/promise/broken/{record}": "lived.mjs",
	"/rollout/{name}":          "TestARolloutHasAPage",
	"/part/rollout-end":        "TestARolloutsEndComesLater",
	"/zone/{name}":             "TestAZoneHasABoard",
}

// Every address of a page is opened by TestEveryPageOpens, or by a test that is named.
func TestNoPageIsLeftOut(t *testing.T) {
	for _, pattern := range web.Patterns() {
		mux := http.NewServeMux()
		mux.Handle(pattern, http.NotFoundHandler())
		opens := slices.ContainsFunc(everyPage, func(path string) bool {
			_, found := mux.Handler(httptest.NewRequest(http.MethodGet, path, nil))
			return found != ""
		})
		if named := elsewhere[pattern] != ""; opens == named {
			t.Errorf("%s is opened: %v, and elsewhere: %v", pattern, opens, named)
		}
	}
}

func TestEveryPageOpens(t *testing.T) {
	h := open(t, nil).furnish()
	for _, path := range everyPage {
		code, body := h.get(path)
		if code != http.StatusOK || strings.Contains(body, `class="trouble"`) {
			t.Errorf("%s: %d\n%.600s", path, code, body)
		}
		if len(body) > 500_000 {
			t.Errorf("%s has %d bytes", path, len(body))
		}
	}
}

// Nothing on a page is loaded from elsewhere, and nothing of it is a script or a
// style that is written into the page.
func TestPagesLoadNothingFromElsewhere(t *testing.T) {
	h := open(t, nil).furnish()
	loads := regexp.MustCompile(`(?:src|srcset|action|formaction|poster)="([^"]*)"|<link[^>]*href="([^"]*)"`)
	for _, path := range everyPage {
		_, body := h.get(path)
		for _, m := range loads.FindAllStringSubmatch(body, -1) {
			if to := m[1] + m[2]; !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
				t.Errorf("%s loads %q", path, to)
			}
		}
		for _, bad := range []string{"<style", " style=\"", " onclick", " onload", "javascript:", "<script>"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %s in it, which the policy forbids", path, bad)
			}
		}
	}
}

func TestAnEmptyFleetIsNoError(t *testing.T) {
	h := open(t, nil)
	for _, path := range []string{"/", "/run", "/workloads", "/queue", "/teams", "/haircuts", "/promise", "/nodes", "/events"} {
		if code, body := h.get(path); code != http.StatusOK {
			t.Errorf("%s: %d %.300s", path, code, body)
		}
	}
	_, body := h.get("/")
	has(t, body, "There is no fleet yet.", "muster apply -f FILE brings one into being")
}

func TestFleetSaysWhatTheEngineKnows(t *testing.T) {
	h := open(t, nil).furnish()
	_, body := h.get("/")
	has(t, body, "104 of 104 GPUs granted are backed. Of 128 installed, 104 can be promised now, 104 are promised, and", "Every grant is backed", "muster capacity")
	h.clock.Add(int64(time.Hour))
	h.do(core.SetNodes{Names: []string{"tiger-h200-i2-001", "tiger-h200-i2-002", "tiger-h200-i2-003", "tiger-h200-i2-004"}, State: fleet.Quarantined, Signal: "XID 79"})
	_, body = h.get("/")
	has(t, body, "quarantined: XID 79", "96 can be promised now, 104 are promised (8 too many)", "8 unbacked", "32 not healthy", "Broken: 8 GPUs of what was granted are not backed")
	_, body = h.get("/?as-of=2026-11-21T12:01:00Z")
	has(t, body, "104 could be promised then", "As of", "Live again", "--as-of 2026-11-21T12:01:00Z")
	if strings.Contains(body, "quarantined: XID 79") {
		t.Error("the page of the past knows the future")
	}
}

func TestWorkloadSaysWhyItWaits(t *testing.T) {
	h := open(t, nil).furnish()
	_, body := h.get("/workload/oak/moonshot")
	has(t, body, "Waits for research/oak", "muster why oak/moonshot --history")
	_, body = h.get("/workload/oak/moonshot/why")
	has(t, body, "GangTooLarge", "12 nodes in one island")
	_, body = h.get("/workload/oak/moonshot/help")
	has(t, body, "muster job resize", "impossible")
	_, body = h.get("/workload/oak/base/story")
	has(t, body, "submitted to research/oak", ">running<")
}

func TestWrongAddressesAreAnswered(t *testing.T) {
	h := open(t, nil).furnish()
	for path, want := range map[string]int{
		"/no": 404, "/?as-of=soon": 400, "/?as-of=2099-01-01": 400, "/workload/oak/none": 404, "/partition/no/such": 404, "/team/none": 404, "/node/none": 404,
		"/haircut/none": 404, "/haircuts?kind=magic": 400, "/haircuts?kind=fixed&share=-3": 400, "/nodes?scope=none": 404, "/run?gpus=x": 200,
	} {
		code, body := h.get(path)
		if code != want {
			t.Errorf("%s is answered with %d, want %d", path, code, want)
		}
		has(t, body, "</html>")
	}
	_, body := h.get("/workload/oak/%3Cscript%3Ealert(1)%3C%2Fscript%3E")
	if strings.Contains(body, "<script>alert") {
		t.Error("what an address says comes back unescaped")
	}
}

// A thing that may have ended is looked for at an earlier moment: links lead there, as far back as the record goes.
func TestWhatIsNotFoundIsLookedForEarlier(t *testing.T) {
	h := open(t, nil).furnish()
	h.clock.Add(int64(30 * time.Hour))
	h.do(core.Tick{})
	_, body := h.get("/team/none")
	links := regexp.MustCompile(`<a href="/team/none\?as-of=([^"]*)">([^<]*)</a>`).FindAllStringSubmatch(body, -1)
	if len(links) != 2 || links[0][2] != "an hour earlier" || links[1][2] != "a day earlier" {
		t.Fatalf("it leads to %v", links)
	}
	if _, body = h.get("/no"); strings.Contains(body, "earlier") {
		t.Error("a page that there never was is said to be found earlier")
	}
}

// A haircut is drafted, saved, reviewed, told, applied and undone; each form is
// done once, however often it is sent, and only if it was made for this browser.
func TestHaircutByForms(t *testing.T) {
	h := open(t, nil).furnish()
	_, draft := h.get("/haircuts?basis=quota&kind=fixed&share=25")
	f := form(draft)
	for k, v := range map[string]string{"basis": "quota", "kind": "fixed", "share": "25", "name": "spring", "reason": "the cluster runs hot"} {
		f.Set(k, v)
	}
	for range 2 {
		if code, body := h.post("/haircuts", f); code != http.StatusOK || !strings.Contains(body, "Haircut spring") {
			t.Fatalf("saving: %d\n%.800s", code, body)
		}
	}
	step := func(what string, with url.Values) (int, string) {
		at := "/haircut/spring"
		if what == "undo" {
			at += "/undo?cluster=tiger" // the plan's own page has no form any more
		}
		_, page := h.get(at)
		f := form(page)
		for k := range with {
			f.Set(k, with.Get(k))
		}
		return h.post("/haircut/spring/"+what, f)
	}
	_, letters := h.get("/haircut/spring")
	has(t, letters, "to the people concerned", "research/oak in tiger/h200: ")
	wave := url.Values{"reason": {"agreed"}, "cluster": {"tiger"}}
	if code, body := step("apply", wave); code != http.StatusBadRequest {
		t.Fatalf("a plan that nobody reviewed is applied: %d\n%.500s", code, body)
	}
	for _, what := range []string{"review", "tell"} {
		if code, body := step(what, url.Values{"reason": {"done"}}); code != http.StatusOK {
			t.Fatalf("%s: %d\n%.800s", what, code, body)
		}
	}
	if code, _ := step("apply", url.Values{"reason": {" "}, "cluster": {"tiger"}}); code != http.StatusBadRequest {
		t.Error("a wave is applied without a reason")
	}
	if code, bare := h.get("/haircut/spring/apply"); code != http.StatusNotFound || !strings.Contains(bare, "The address names no wave of the plan spring.") {
		t.Errorf("a step without a wave: %d\n%.600s", code, bare)
	}
	_, diff := h.get("/haircut/spring/apply?cluster=tiger")
	has(t, diff, "Nothing is changed yet", "104", "research/oak")
	assigned := func() int {
		n := 0
		h.engine.Read(func(s *fleet.State) { n = s.Partitions[0].Assigned() })
		return n
	}
	if code, body := step("apply", wave); code != http.StatusOK || assigned() >= 104 {
		t.Fatalf("apply: %d, %d assigned\n%.900s", code, assigned(), body)
	}
	_, plan := h.get("/haircut/spring")
	has(t, plan, "In force: 1 of ", " waves.")
	elm := core.SetGrant{Quota: "research/elm", Partition: "tiger/h200", GPUs: 40, Overcommit: true}
	h.do(core.CreateQuota{Path: elm.Quota}, elm) // the room is given to another quota meanwhile
	if code, _ := step("undo", wave); code != http.StatusBadRequest {
		t.Fatalf("what was granted since is promised twice: %d", code)
	}
	_, over := h.get("/haircut/spring/undo?cluster=tiger")
	has(t, over, "before the wave", "Overcommit: assign more than can be sustained")
	elm.GPUs = 0
	h.do(elm)
	if code, _ := step("undo", wave); code != http.StatusOK || assigned() != 104 {
		t.Fatalf("undo: %d, %d assigned", code, assigned())
	}
	if code, _ := h.post("/haircut/spring/apply", wave); code != http.StatusBadRequest || assigned() != 104 {
		t.Error("a form without the browser's seal is heard")
	}
}

// A page may be asked for by a browser; what changes something, by its own forms only.
func TestFormsFromElsewhereAreRefused(t *testing.T) {
	h := open(t, nil).furnish()
	_, page := h.get("/haircuts?basis=quota")
	f := form(page)
	f.Set("reason", "forged")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.server.URL+"/haircuts", strings.NewReader(f.Encode()))
	must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Origin", "http://elsewhere.example")
	answer, err := h.reader.Do(r)
	must(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("answered with %d", answer.StatusCode)
	}
}

// Where the server asks for tokens, a reader signs in; who is no operator sees the
// pages and none of their writes.
func TestSignIn(t *testing.T) {
	sum := sha256.Sum256([]byte("hers-0123456789abcdefghij"))
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	must(t, os.WriteFile(path, []byte("- token_sha256: "+hex.EncodeToString(sum[:])+"\n  user: ada\n"), 0o600))
	tokens, err := api.ReadTokensFile(path)
	must(t, err)
	h := open(t, tokens).furnish()
	h.do(core.GrantRole{Subject: fleet.Principal{Kind: fleet.UserPrincipal, Name: "ada"}, Role: fleet.Viewer}) // plans name everybody's work
	code, body := h.get("/")
	if code != http.StatusUnauthorized {
		t.Fatalf("a stranger is answered with %d", code)
	}
	has(t, body, "Who are you?", "needs to know who you are", `action="/sign-in"`)
	if strings.Contains(body, "tiger") {
		t.Error("a stranger is told of the fleet")
	}
	if code, _ := h.get("/live"); code != http.StatusUnauthorized {
		t.Errorf("a stranger is told when something happens: %d", code)
	}
	if code, body = h.post("/sign-in", url.Values{"token": {"hers-0123456789abcdefghij"}, "back": {"/haircuts?basis=quota&kind=fixed&share=25"}}); code != http.StatusOK {
		t.Fatalf("signing in: %d\n%.400s", code, body)
	}
	has(t, body, "ada", "research/oak")
	if strings.Contains(body, "Save the plan") {
		t.Error("who is no operator is offered what is refused")
	}
	f := form(body)
	_, page := h.get("/haircuts")
	f.Set("csrf", form(page).Get("csrf"))
	f.Set("reason", "tried")
	if code, _ := h.post("/haircuts", f); code < 400 || code >= 500 {
		t.Errorf("a write without the right is answered with %d", code)
	}
	if _, body = h.post("/sign-in", url.Values{"token": {"hers-0123456789abcdefghij"}, "back": {"//elsewhere.example"}}); !strings.Contains(body, "From installed to in use") {
		t.Error("signing in leads elsewhere")
	}
}

// Where readers sign in at a provider the page says so, leads back to itself, and takes a
// session in the place of a token.
func TestAnUnknownReaderIsLedToTheProvider(t *testing.T) {
	pages := web.New(web.Options{Login: "/login", API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"code":"unauthenticated","message":"shown: `+r.Header.Get("Authorization")+`"}`)
	})})
	ask := func(path string, change func(*http.Request)) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		change(r)
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, r)
		return w
	}
	w := ask("/queue?target=flex", func(*http.Request) {})
	if w.Code != http.StatusUnauthorized {
		t.Errorf("answered with %d", w.Code)
	}
	has(t, w.Body.String(), `href="/login?back=%2Fqueue%3Ftarget%3Dflex"`, "Sign in with a token")
	w = ask("/live", func(r *http.Request) {
		r.Header.Set("Muster-Session", "session.x")
		r.AddCookie(&http.Cookie{Name: "muster_token", Value: "y"})
	})
	has(t, w.Body.String(), "shown: Bearer session.x")
	w = httptest.NewRecorder()
	pages.Refuse(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/login/callback?code=c", nil), http.StatusForbidden, "You are not signed in: <b>.")
	has(t, w.Body.String(), "You are not signed in: &lt;b&gt;.", `href="/login?back=%2F"`)
	if w.Code != http.StatusForbidden || w.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("answered with %d and %v", w.Code, w.Header())
	}
}

// An open page is told of a change at once.
func TestLivePagesAreTold(t *testing.T) {
	h := open(t, nil).furnish()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/live", nil)
	must(t, err)
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	until := func(word string) {
		for lines.Scan() {
			if lines.Text() == word {
				return
			}
		}
		t.Fatalf("the stream ended before %q", word)
	}
	until("event: hello")
	h.do(core.Submit{Spec: spec("news", 1)})
	until("event: changed")
}

// What htmx asks for is what changes, and not the frame around it.
func TestFragment(t *testing.T) {
	h := open(t, nil).furnish()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/", nil)
	must(t, err)
	r.Header.Set("HX-Request", "true")
	r.Header.Set("HX-Target", "main")
	answer, err := h.reader.Do(r)
	must(t, err)
	defer answer.Body.Close()
	var body strings.Builder
	_, err = bufio.NewReader(answer.Body).WriteTo(&body)
	must(t, err)
	has(t, body.String(), `<main id="main"`, `hx-swap-oob`)
	if strings.Contains(body.String(), "<nav aria-label=\"Pages\">") {
		t.Error("the frame comes along")
	}
}

// A quota's page draws those below it as the list of quotas does, and says whose each change was.
func TestQuotasBelowAreDrawnToOneScale(t *testing.T) {
	h := open(t, nil).furnish()
	_, list := h.get("/teams?under=research")
	_, page := h.get("/team/research")
	meter := func(body string) string { return between(body, `<table class="figures`, `</svg>`) }
	if got, want := between(meter(page), "<svg", "</g>"), between(meter(list), "<svg", "</g>"); got != want || got == "" {
		t.Errorf("below research: %s\nin the list: %s", got, want)
	}
	has(t, between(page, `id="changes"`, "</table>"), `<th scope="col">Quota</th>`, `data-label="quota">research/oak</td>`)
}
