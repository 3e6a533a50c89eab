package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A webhook that reaches the server that follows is used by the one that leads. While none
// does it is asked for again, and is never taken and dropped.
func TestAWebhookReachesTheServerThatLeads(t *testing.T) {
	const secret = "webhook_of_two_servers"
	file := filepath.Join(t.TempDir(), "webhook")
	write(t, file, secret)
	p := newPair(t, false, func(p *pair) { p.more = []string{"--buildkite-webhook", file} })
	leader := p.leader()
	post := func(i int, build string) *http.Response {
		t.Helper()
		body := `{"event": "build.finished", "build": {"meta_data": {"muster-operation": "` + build + `"}}}`
		at := time.Now().Unix()
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.%s", at, body)
		q, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.at[i]+buildkiteHook, strings.NewReader(body))
		q.Header.Set("X-Buildkite-Signature", fmt.Sprintf("timestamp=%d,signature=%s", at, hex.EncodeToString(mac.Sum(nil))))
		res, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	within := func(i int, what string) {
		t.Helper()
		for n, until := 0, time.Now().Add(30*time.Second); ; n++ {
			res := post(i, fmt.Sprintf("%s.%d", what, n))
			if res.StatusCode == http.StatusNoContent {
				return
			}
			if res.StatusCode != http.StatusServiceUnavailable || time.Now().After(until) {
				t.Fatalf("%s: %s", what, res.Status)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	within(leader, "leads")
	within(1-leader, "follows")
	p.kill(leader)
	if res := post(1-leader, "alone"); res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("while no server leads it is answered %s, Retry-After %q", res.Status, res.Header.Get("Retry-After"))
	}
	within(1-leader, "took over")
}
