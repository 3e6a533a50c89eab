package web_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/faces/api"
)

// An admin finds the sign-ins of others on a page and is offered to end them; another reader
// finds their own and no others.
func TestSignInsOfOthersAreAnAdmins(t *testing.T) {
	text := ""
	for _, line := range []string{"ada}", "bob}", "olga, operator: true}"} {
		name, _, _ := strings.Cut(strings.TrimSuffix(line, "}"), ",")
		sum := sha256.Sum256([]byte(name + "-0123456789abcdefghijkl"))
		text += "- {token_sha256: " + hex.EncodeToString(sum[:]) + ", user: " + line + "\n"
	}
	tokens, err := api.ParseTokens(strings.NewReader(text))
	must(t, err)
	h := open(t, tokens).furnish()
	as := func(name string) string {
		h.post("/sign-in", url.Values{"token": {name + "-0123456789abcdefghijkl"}, "back": {"/"}})
		code, body := h.get("/sessions")
		if code != http.StatusOK {
			t.Fatalf("%s: %d\n%.400s", name, code, body)
		}
		return body
	}
	_, none := open(t, nil).furnish().get("/sessions")
	if n := strings.Count(none, "No sign-in was seen since this server started."); n != 1 || strings.Contains(none, "auditor") {
		t.Errorf("that there is none is said to an operator %d times:\n%s", n, none)
	}
	bobs := as("bob")
	has(t, bobs, "1 sign-in of bob", "tokens-file", "127.0.0.1", "/do/end-sign-ins?")
	has(t, as("olga"), "2 sign-ins of 2 people", "/sessions?user=bob", "user=bob", "/do/end-sign-ins?", `href="/sessions?user=olga"`)
	if own := as("ada"); strings.Contains(own, "bob") || strings.Contains(own, "olga") {
		t.Errorf("ada sees sign-ins of others:\n%s", own)
	}
}

// A token that is too short to be one is told as that: an operator may have listed it, and would look for another cause.
func TestAShortTokenIsToldToBeShort(t *testing.T) {
	sum := sha256.Sum256([]byte("short"))
	tokens, err := api.ParseTokens(strings.NewReader("- {token_sha256: " + hex.EncodeToString(sum[:]) + ", user: ada}\n"))
	must(t, err)
	h := open(t, tokens).furnish()
	h.post("/sign-in", url.Values{"token": {"short"}, "back": {"/"}})
	code, body := h.get("/")
	if code != http.StatusUnauthorized {
		t.Errorf("it is answered with %d", code)
	}
	has(t, body, "That token is not known here, or has fewer than 22 characters.")
}
