package web_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// refresh asks for what of a page changes, as a browser does that has it open.
func (h *house) refresh(reader *http.Client, path string) string {
	h.t.Helper()
	q, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.server.URL+path, nil)
	must(h.t, err)
	q.Header.Set("HX-Request", "true")
	q.Header.Set("HX-Target", "main")
	r, err := reader.Do(q)
	must(h.t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(h.t, err)
	return string(body)
}

// reader2 is another browser.
func (h *house) reader2() *http.Client {
	jar, err := cookiejar.New(nil)
	must(h.t, err)
	c := &http.Client{Jar: jar}
	r, err := c.Get(h.server.URL + "/style") // it has been here before
	must(h.t, err)
	must(h.t, r.Body.Close())
	return c
}

// What is kept of a page for others is given up soon after something has changed, and a
// page that is opened never shows it.
func TestAnOpenPageLearnsOfAChange(t *testing.T) {
	h := open(t, nil).furnish()
	_, _ = h.get("/")
	has(t, h.refresh(h.reader, "/workloads"), "oak/base")
	h.do(core.Submit{Spec: spec("newcomer", 1)})
	_, page := h.get("/workloads")
	has(t, page, "oak/newcomer")
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(h.refresh(h.reader, "/workloads"), "oak/newcomer"); {
		if time.Now().After(deadline) {
			t.Fatal("the page that is open does not show the newcomer")
		}
	}
}

// A form is of one browser alone: no browser is given another's seal, or its key.
func TestNobodyIsGivenAnothersForm(t *testing.T) {
	h := open(t, nil).furnish()
	_, _ = h.get("/")
	other := h.reader2()
	const path = "/haircuts?basis=quota&kind=fixed&share=25"
	for range 3 {
		a, b := form(h.refresh(h.reader, path)), form(h.refresh(other, path))
		if a.Get("csrf") == "" || a.Get("key") == "" {
			t.Fatal("there is no form")
		}
		if a.Get("csrf") == b.Get("csrf") || a.Get("key") == b.Get("key") {
			t.Errorf("two browsers were given one form: %v and %v", a, b)
		}
	}
}
