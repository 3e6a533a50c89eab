package api

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Bodies of callers who have not shown who they are yet are bounded in number, and those that do
// not end keep no other out, of the same address neither.
func TestBodiesThatDoNotEndGiveWay(t *testing.T) {
	var arrivals bodies
	var reading atomic.Int32
	s := httptest.NewServer(arrivals.bound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reading.Add(1)
		defer reading.Add(-1)
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, "cut", http.StatusRequestTimeout)
		}
	})))
	t.Cleanup(s.Close) // after the connections: it waits for them
	for range 100 {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = fmt.Fprint(c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nname=")
	}
	for end := time.Now().Add(time.Minute); reading.Load() > arrivingOfAddress; {
		if time.Now().After(end) {
			t.Fatalf("%d bodies of one address are being read", reading.Load())
		}
		time.Sleep(5 * time.Millisecond)
	}
	res, err := (&http.Client{Timeout: time.Minute}).Post(s.URL, "text/plain", strings.NewReader("name=oak"))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("a whole body is answered with %s", res.Status)
	}
}

// Where there are as many as may be, the address with most of them gives way.
func TestTheAddressWithMostBodiesGivesWay(t *testing.T) {
	var b bodies
	cut := map[string]int{}
	enter := func(address string, n int) {
		for range n {
			b.enter(&arriving{address: address, cut: func() { cut[address]++ }})
		}
	}
	enter("oak", 1)
	for _, address := range []string{"a", "b", "c"} {
		enter(address, arrivingOfAddress)
	}
	enter("d", arrivingOfAll-len(b.line))
	if len(cut) > 0 {
		t.Errorf("%v are cut before there are too many", cut)
	}
	enter("ash", 1)
	enter("a", 1)
	if cut["oak"]+cut["ash"] > 0 || cut["a"]+cut["b"]+cut["c"]+cut["d"] != 2 || len(b.line) > arrivingOfAll {
		t.Errorf("cut: %v, %d are left", cut, len(b.line))
	}
}
