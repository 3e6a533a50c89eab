package api

import (
	"net/http"
	"testing"
)

// A user may be named as records name it.
func TestWhoIsActedForIsNamedAsRecordsDo(t *testing.T) {
	for word, want := range map[string]string{"ada": "ada", "user:ada": "ada", "group:ada": "group:ada", "": ""} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(headerAs, word)
		if got := actsFor(r); got != want {
			t.Errorf("%q acts for %q, want %q", word, got, want)
		}
	}
}
