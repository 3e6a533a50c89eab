package buildkite_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision/buildkite"
)

const hookSecret = "webhook_planted_secret"

var hookNow = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const finished = `{"event": "build.finished", "build": {"number": 7, "state": "passed", "meta_data": {"muster-operation": "lynx.pipeline.g1.1"}}}`

func signed(secret, body string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("timestamp=%d,signature=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// hooked is a Hook, and the operations that it wants looked at.
func hooked() (*buildkite.Hook, *[]string) {
	var nudged []string
	return &buildkite.Hook{Secret: hookSecret, Now: func() time.Time { return hookNow }, Nudge: func(o string) bool { nudged = append(nudged, o); return true }}, &nudged
}

func post(h http.Handler, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/hooks/buildkite", strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const signature = "X-Buildkite-Signature"

// A webhook that is signed lets its operation be looked at, once.
func TestASignedWebhookIsANudge(t *testing.T) {
	h, nudged := hooked()
	for range 3 { // Buildkite sends again what was not answered
		if w := post(h, finished, signature, signed(hookSecret, finished, hookNow)); w.Code != http.StatusNoContent {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	for _, again := range []string{" " + signed(hookSecret, finished, hookNow), strings.ToUpper(signed(hookSecret, finished, hookNow)[len("timestamp=1795435200,signature="):])} {
		if !strings.Contains(again, "=") {
			again = fmt.Sprintf("timestamp=%d,signature=%s", hookNow.Unix(), again)
		}
		if w := post(h, finished, signature, again); w.Code != http.StatusNoContent {
			t.Errorf("the same, written in another way: %d %s", w.Code, w.Body)
		}
	}
	ping := `{"event": "ping"}`
	if w := post(h, ping, signature, signed(hookSecret, ping, hookNow)); w.Code != http.StatusNoContent {
		t.Errorf("a ping: %d", w.Code)
	}
	if !slices.Equal(*nudged, []string{"lynx.pipeline.g1.1"}) {
		t.Errorf("looked at %v", *nudged)
	}
}

// What is not signed by who knows the secret, just now and whole, is refused, and says no secret.
func TestOtherWebhooksAreRefused(t *testing.T) {
	good := signed(hookSecret, finished, hookNow)
	for _, c := range []struct {
		name, body string
		header     []string
		code       int
	}{
		{"no signature", finished, nil, 401},
		{"another secret", finished, []string{signature, signed("other", finished, hookNow)}, 401},
		{"another body", strings.Replace(finished, "lynx", "puma", 1), []string{signature, good}, 401},
		{"a day old", finished, []string{signature, signed(hookSecret, finished, hookNow.Add(-24*time.Hour))}, 401},
		{"of tomorrow", finished, []string{signature, signed(hookSecret, finished, hookNow.Add(24*time.Hour))}, 401},
		{"another moment", finished, []string{signature, strings.Replace(good, "timestamp=1", "timestamp=2", 1)}, 401},
		{"no equals signs", finished, []string{signature, "a,b"}, 401},
		{"half a signature", finished, []string{signature, good[:len(good)-2]}, 401},
		{"no digits", finished, []string{signature, "timestamp=1,signature=zz"}, 401},
		{"the token alone", finished, []string{"X-Buildkite-Token", hookSecret}, 401},
		{"too large", strings.Repeat("x", 2<<20), []string{signature, good}, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, nudged := hooked()
			w := post(h, c.body, c.header...)
			if w.Code != c.code || len(*nudged) > 0 || strings.Contains(w.Body.String(), hookSecret) {
				t.Errorf("%d %s, looked at %v", w.Code, w.Body, *nudged)
			}
		})
	}
	h, _ := hooked()
	h.Secret = ""
	if w := post(h, finished, signature, signed("", finished, hookNow)); w.Code != http.StatusUnauthorized {
		t.Errorf("without a secret: %d", w.Code)
	}
	r := httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/hooks/buildkite", nil))
	if r.Code != http.StatusMethodNotAllowed {
		t.Errorf("a GET: %d", r.Code)
	}
}

// Where nothing builds clusters now, Buildkite is asked to send it again, and that one counts.
func TestAWebhookThatCannotBeUsedIsWanted(t *testing.T) {
	h, nudged := hooked()
	looks := h.Nudge
	h.Nudge = func(string) bool { return false }
	mark := signed(hookSecret, finished, hookNow)
	if w := post(h, finished, signature, mark); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("while nothing builds: %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	h.Nudge = looks
	if w := post(h, finished, signature, mark); w.Code != http.StatusNoContent || len(*nudged) != 1 {
		t.Errorf("sent again: %d, looked at %v", w.Code, *nudged)
	}
}
