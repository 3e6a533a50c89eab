package frame

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A frame that comes before its figures does not say that the page is there: it may turn out that it is not.
func TestAFrameBeforeItsFiguresIsNotSaidToBeThePage(t *testing.T) {
	s := New(Options{API: http.NotFoundHandler(), Last: func() uint64 { return 0 }})
	never := make(chan struct{})
	defer close(never)
	open := func(fn PageFunc, dest string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/workload/oak/none", nil)
		r.Header.Set("Sec-Fetch-Dest", dest)
		w := httptest.NewRecorder()
		s.Page(fn).ServeHTTP(w, r)
		return w
	}
	gone := func(*Visit) (Page, error) { return Page{}, Missing("There is no such page.", "Look elsewhere.") }
	late := func(*Visit) (Page, error) {
		<-never
		return gone(nil)
	}
	if w := open(late, "document"); w.Code != http.StatusAccepted || !strings.Contains(w.Body.String(), "data-coming") {
		t.Errorf("a frame before its figures is answered with %d:\n%.400s", w.Code, w.Body)
	}
	for _, dest := range []string{"document", ""} { // a script waits for the answer, and so for its status
		if w := open(gone, dest); w.Code != http.StatusNotFound {
			t.Errorf("for %q a page that is not there is answered with %d", dest, w.Code)
		}
	}
}
