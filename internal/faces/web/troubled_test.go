package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/faces/web"
)

// An address without a page is answered without a question to the API, however large the fleet is and however long its
// answers take.
func TestAnAddressWithoutAPageAsksNothing(t *testing.T) {
	asked := ""
	pages := web.New(web.Options{
		API:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = r.URL.Path; http.Error(w, "", http.StatusTeapot) }),
		Last: func() uint64 { return 1 }, Now: time.Now, Version: "test",
	})
	for _, path := range []string{"/help", "/no/such/page?as-of=never"} {
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil))
		if w.Code != http.StatusNotFound || asked != "" {
			t.Errorf("%s is answered with %d, and asked %q", path, w.Code, asked)
		}
		has(t, w.Body.String(), "There is no page at", "/promise")
	}
}

// What broke promises has a page, at the address that its command suggests.
func TestWhatBrokePromisesHasAPage(t *testing.T) {
	h := open(t, nil).furnish()
	status, body := h.get("/promise/broken?scope=tiger")
	if status != http.StatusOK {
		t.Fatalf("it is answered with %d", status)
	}
	has(t, body, "Broken promises", "/part/broken?scope=tiger", "muster promise broken tiger")
}

// Where no search plays all visits of a rollout through, its page says so, and proposes none.
func TestARolloutOfMostNodesIsNotPlayedThrough(t *testing.T) {
	if testing.Short() {
		t.Skip("a large fleet takes a while")
	}
	h := open(t, nil).furnish().enlarge().trouble()
	status, body := h.get("/part/rollout-end?name=driver")
	if status != http.StatusOK {
		t.Fatalf("it is answered with %d", status)
	}
	has(t, body, "When it ends is not known: too many visits remain")
	if contains(body, "--search") {
		t.Error("a search is proposed that plays nothing through")
	}
}
