package server

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// What a caller has shown to a server that follows reaches the one that leads, whatever the caller
// names in Connection: without it the request would be the server's own.
func TestNobodyBecomesTheServerOnTheWayToTheLeader(t *testing.T) {
	var seen http.Header
	leader := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Clone() }))
	defer leader.Close()
	at, err := url.Parse(leader.URL)
	if err != nil {
		t.Fatal(err)
	}
	follower := httptest.NewServer(&httputil.ReverseProxy{Rewrite: onward(at, "b")})
	defer follower.Close()
	conn, err := net.Dial("tcp", follower.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var lines strings.Builder
	for _, name := range proofs {
		fmt.Fprintf(&lines, "%s: shown\r\n", name)
	}
	fmt.Fprintf(conn, "POST /muster.v1.WorkloadService/Submit HTTP/1.1\r\nHost: localhost\r\nConnection: close, %s\r\nMuster-Forwarded-By: me\r\nContent-Length: 0\r\n%s\r\n", strings.Join(proofs, ", "), lines.String())
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", res, err)
	}
	_ = res.Body.Close()
	for _, name := range proofs {
		if seen.Get(name) != "shown" {
			t.Errorf("the leader does not see %s, which the caller has shown", name)
		}
	}
	if seen.Get(headerForwarded) != "b" {
		t.Errorf("the leader takes it for sent on by %q", seen.Get(headerForwarded))
	}
}
