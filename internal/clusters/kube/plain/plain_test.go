package plain

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// heard is a server that says no to whatever is called bad, and remembers what it was asked.
func heard(t *testing.T) (Server, func() []string) {
	var mu sync.Mutex
	var all []string
	is := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, strings.Join([]string{r.Method, r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("Authorization")}, " "))
		if strings.HasSuffix(r.URL.Path, "/bad") {
			http.Error(w, "no", http.StatusConflict)
			return
		}
		fmt.Fprintf(w, `{"metadata":{"uid":"u%d"}}`, len(all))
	}))
	t.Cleanup(is.Close)
	return Server{URL: is.URL, HTTP: is.Client(), Token: "secret"}, func() []string { return all }
}

func TestAPatchIsAMergePatch(t *testing.T) {
	s, asked := heard(t)
	var is struct{ Metadata struct{ UID string } }
	if err := s.Call(t.Context(), http.MethodPatch, "/x", Object{"a": nil}, &is); err != nil || is.Metadata.UID != "u1" {
		t.Errorf("answered %v, %q", err, is.Metadata.UID)
	}
	if want := []string{"PATCH /x application/merge-patch+json Bearer secret"}; !slices.Equal(asked(), want) {
		t.Errorf("asked %q, want %q", asked(), want)
	}
}

func TestAnAnswerThatIsNoSuccessHasItsCode(t *testing.T) {
	s, _ := heard(t)
	err := s.Call(t.Context(), http.MethodGet, "/bad", nil, nil)
	if CodeOf(err) != http.StatusConflict || !strings.Contains(err.Error(), "GET /bad: 409: no") {
		t.Errorf("says %v, with code %d", err, CodeOf(err))
	}
}

func TestManyAreMadeAndAllThatFailedIsSaid(t *testing.T) {
	s, asked := heard(t)
	made := map[string]bool{}
	if err := s.Make(t.Context(), "/pods", make([]Object, 100), func(uid string) { made[uid] = true }); err != nil || len(made) != 100 || len(asked()) != 100 {
		t.Errorf("%d asked, %d made: %v", len(asked()), len(made), err)
	}
	err := s.Make(t.Context(), "/bad", make([]Object, 3), func(string) { t.Error("one was made") })
	if err == nil || strings.Count(err.Error(), "409") != 3 {
		t.Errorf("says %v", err)
	}
}
