package web_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/faces/api"
)

// Places of pages are a person's, however often that person signed in. Another person has their own.
func TestPagesOfAllSignInsOfAPersonAreCountedTogether(t *testing.T) {
	var file strings.Builder
	sums := map[string]string{"first-0123456789abcdefghij": "ada", "second-0123456789abcdefghij": "ada", "other-0123456789abcdefghij": "eve"}
	for token, user := range sums {
		sum := sha256.Sum256([]byte(token))
		file.WriteString("- {token_sha256: " + hex.EncodeToString(sum[:]) + ", user: " + user + "}\n")
	}
	tokens, err := api.ParseTokens(strings.NewReader(file.String()))
	must(t, err)
	h := open(t, tokens).furnish()
	live := func(token string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/live", nil)
		must(t, err)
		r.AddCookie(&http.Cookie{Name: "muster_token", Value: token})
		answer, err := http.DefaultClient.Do(r)
		must(t, err)
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer.StatusCode
	}
	opened := 0
	for live("first-0123456789abcdefghij") == http.StatusOK {
		if opened++; opened > 1000 {
			t.Fatal("one sign-in opens pages without number")
		}
	}
	if code := live("second-0123456789abcdefghij"); code != http.StatusTooManyRequests {
		t.Errorf("with %d pages open, the same person's other sign-in is answered with %d", opened, code)
	}
	if code := live("other-0123456789abcdefghij"); code != http.StatusOK {
		t.Errorf("another person is answered with %d", code)
	}
}
