package bench

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

func TestATabAsksForWhatComesLater(t *testing.T) {
	var asked []string
	said := 0
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("HX-Target")+" "+r.URL.String())
		text := "all"
		switch r.URL.Path {
		case "/job":
			text = `<p>first</p><div id="why" class="loading" data-loads hx-get="/why?a=1&amp;b=2" hx-trigger="load">soon</div><div id="once" hx-get="/once" data-loads ></div><div id="not" hx-get="/not"></div>`
		case "/why":
			text = `<div id="why" data-loaded data-every="2">because</div>`
		}
		said += len(text)
		fmt.Fprint(w, text)
	})
	open := &tab{pages: pages, path: "/job"}
	if size := open.load(t.Context()); size != said {
		t.Errorf("%d bytes, want %d", size, said)
	}
	all := []string{"main http://localhost/job", "why http://localhost/why?a=1&b=2", "once http://localhost/once"}
	if !slices.Equal(asked, all) {
		t.Errorf("asked for %q, want %q", asked, all)
	}
	asked = nil
	open.again(t.Context())
	open.parts[0].asked, open.parts[1].asked = time.Time{}, time.Time{}
	open.again(t.Context())
	if !slices.Equal(asked, all[1:2]) {
		t.Errorf("asked for %q again, want %q", asked, all[1:2])
	}
}

// A bench once measured sign-in pages, and found them fast.
func TestATabTellsWhatIsNoPage(t *testing.T) {
	for body, wrong := range map[string]bool{
		"<h1>Fleet</h1>": false,
		`<h1>Who are you?</h1><form method="post" action="/sign-in"></form>`: true,
	} {
		open := &tab{path: "/", pages: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })}
		if open.load(t.Context()); (open.wrong != nil) != wrong {
			t.Errorf("%s: %v", body, open.wrong)
		}
	}
	gone := &tab{path: "/gone", pages: http.NotFoundHandler()}
	if gone.load(t.Context()); gone.wrong == nil {
		t.Error("a page that is not there counts as one")
	}
}
