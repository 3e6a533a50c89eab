package api_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Who shows one wrong token after the other is soon refused without a look at them, in one
// line of the audit log. No other caller of that address is.
func TestWrongTokensAreBounded(t *testing.T) {
	log, err := audit.Open(t.TempDir(), nil)
	must(t, err)
	h := guarded(t, func(o *api.Options) { o.Audit = recorded{log} })
	_, err = h.as(adaToken, "").System.Version(t.Context(), &musterv1.VersionRequest{})
	must(t, err)
	codes := map[connect.Code]int{}
	for i := range 500 {
		_, err := h.as(fmt.Sprintf("wrong-token-%d-0123456789abcdef", i), "").System.Version(t.Context(), &musterv1.VersionRequest{})
		codes[connect.CodeOf(err)]++
	}
	if codes[connect.CodeResourceExhausted] < 300 || codes[connect.CodeUnauthenticated] < 100 {
		t.Errorf("500 wrong tokens were answered with %v", codes)
	}
	for who, token := range map[string]string{"one who was there before": adaToken, "one who comes for the first time": bobToken} {
		_, err := h.as(token, "").System.Version(t.Context(), &musterv1.VersionRequest{})
		equal(t, who, err, nil)
	}
	list, _, err := log.Entries(1, 1000)
	must(t, err)
	lines := 0
	for _, e := range list {
		if e.Kind == audit.Unknown {
			lines++
		}
	}
	equal(t, "lines in the audit log", lines, 1)
}

// A question that holds the state that questions read keeps no command of anybody's from
// being judged and decided.
func TestCommandsDoNotWaitForQuestions(t *testing.T) {
	h := guarded(t)
	_, err := h.Access.GrantRole(t.Context(), &musterv1.GrantRoleRequest{
		Write: &musterv1.Write{Reason: "she runs it"}, Binding: &musterv1.RoleBinding{Subject: "user:ada", Role: "manager"},
	})
	must(t, err)
	held, over := make(chan struct{}), make(chan struct{})
	defer close(over)
	go h.engine.Study(func(*fleet.State) { close(held); <-over })
	<-held
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	_, err = h.as(adaToken, "").Quotas.SetGrant(ctx, &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 40})
	must(t, err)
}

// A person who signed in at a provider is known by what was ended before its time, too. Neither that nor
// their roles are asked of the state that a long question of another caller holds.
func TestWhoSignedInWaitsForNoQuestion(t *testing.T) {
	p := newProvider(t)
	h := open(t, func(o *api.Options) {
		o.Auth = api.SignIns{api.NewOIDC(api.OIDCOptions{Issuer: p.http.URL, ClientID: "muster", Now: func() time.Time { return noon }})}
	})
	held, over := make(chan struct{}), make(chan struct{})
	defer close(over)
	go h.engine.Study(func(*fleet.State) { close(held); <-over })
	<-held
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	_, err := h.as(p.token(nil), "").System.Version(ctx, &musterv1.VersionRequest{}) // it reads nothing of the state
	must(t, err)
}

// slowly sends the beginning of a request, and nothing more.
func slowly(t *testing.T, h *house, token string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = fmt.Fprintf(c, "POST /muster.v1.WorkloadService/SubmitBatch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{", token)
	must(t, err)
}

// Five hundred bodies that do not come keep no other caller out.
func TestSlowBodiesKeepNobodyOut(t *testing.T) {
	h := guarded(t)
	for range 500 {
		slowly(t, h, bobToken)
	}
	ada := h.as(adaToken, "")
	for range 20 {
		_, err := ada.Workloads.ListWorkloads(t.Context(), &musterv1.ListWorkloadsRequest{})
		must(t, err)
	}
	_, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 40})
	must(t, err)
}

// Ten thousand streams of one caller: as many go on as may, and others have theirs.
func TestTenThousandStreams(t *testing.T) {
	streams := 10_000
	if testing.Short() {
		streams = 500
	}
	h := guarded(t)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	bob := clientOf(h, bobToken, overHTTP2())
	open, refused, began := 0, 0, time.Now()
	for range streams {
		stream, err := bob.Events.Watch(ctx, &musterv1.WatchRequest{From: 1})
		switch {
		case err == nil && stream.Receive():
			open++
		case err == nil && connect.CodeOf(stream.Err()) == connect.CodeResourceExhausted, connect.CodeOf(err) == connect.CodeResourceExhausted:
			refused++
		}
	}
	// They are not read, so each ends after 30 s (see usualTimes), and leaves its place to another: on a slow machine that happens.
	if most := 32 * (1 + int(time.Since(began)/(30*time.Second))); open < 32 || open > most {
		t.Errorf("%d streams went on, 32 to %d may", open, most)
	}
	equal(t, "streams that are refused", refused, streams-open)
	stream, err := h.as(adaToken, "").Events.Watch(ctx, &musterv1.WatchRequest{From: 1})
	must(t, err)
	equal(t, "somebody else's", stream.Receive(), true)
}

func clientOf(h *house, token string, by *http.Client) *client.Client {
	return client.New(client.Options{Address: h.url, Token: token, HTTPClient: by, Retries: -1})
}

// Behind a proxy wrong tokens of one caller keep no other caller of that proxy out, and a caller
// who reaches the port past the proxy is not believed another address each time.
func TestWrongTokensBehindAProxyAreTheirCallers(t *testing.T) {
	guess := func(h *house, from string, i int) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/muster.v1.SystemService/Version", strings.NewReader("{}"))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", fmt.Sprintf("Bearer wrong-token-%d-0123456789abcdef", i))
		r.Header.Set("X-Forwarded-For", from)
		res, err := http.DefaultClient.Do(r)
		must(t, err)
		_ = res.Body.Close()
		return res.StatusCode
	}
	through := func(proxy string) *house {
		return guarded(t, func(o *api.Options) { o.BehindProxy, o.Proxies = true, []netip.Prefix{netip.MustParsePrefix(proxy)} })
	}
	h, refused := through("127.0.0.0/8"), 0
	for i := range 200 {
		if guess(h, "203.0.113.9", i) == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 50 {
		t.Errorf("%d of 200 wrong tokens of one address are refused without a look", refused)
	}
	equal(t, "another address behind the proxy", guess(h, "203.0.113.10", 1000), http.StatusUnauthorized)
	past, refused := through("10.0.0.0/8"), 0
	for i := range 200 {
		if guess(past, fmt.Sprintf("203.0.113.%d", i), i) == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 50 {
		t.Errorf("past the proxy, %d of 200 wrong tokens are refused without a look", refused)
	}
}
