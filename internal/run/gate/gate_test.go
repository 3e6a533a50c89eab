package gate_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// serve answers with ok behind a gate.
func serve(t *testing.T, b gate.Bounds, times gate.Times) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: times.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, "too slow", http.StatusRequestTimeout)
			return
		}
		_, _ = fmt.Fprint(w, "ok")
	}))}
	go func() { _ = s.Serve(b.Listen(l)) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

var usual = gate.Times{Body: time.Minute, Write: time.Minute}

// Connections that say nothing keep no caller out, however many they are.
func TestSilentConnectionsGiveWay(t *testing.T) {
	for what, b := range map[string]gate.Bounds{"per address": {PerAddress: 8}, "in total": {Total: 8}} {
		t.Run(what, func(t *testing.T) {
			address := serve(t, b, usual)
			for range 100 {
				dial(t, address)
			}
			for range 20 {
				res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get("http://" + address)
				if err != nil {
					t.Fatal(err)
				}
				_ = res.Body.Close()
			}
		})
	}
}

// Connections that are used are not closed for others.
func TestUsedConnectionsStay(t *testing.T) {
	address := serve(t, gate.Bounds{PerAddress: 2}, usual)
	used := []net.Conn{dial(t, address), dial(t, address)}
	ask := func(c net.Conn) error {
		_, err := fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if err != nil {
			return err
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil {
			_ = res.Body.Close()
		}
		return err
	}
	for _, c := range used {
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask(dial(t, address)); err == nil {
		t.Error("a third connection is answered where two may be")
	}
	for _, c := range used {
		if err := ask(c); err != nil {
			t.Errorf("one that was used before: %v", err)
		}
	}
	_ = used[0].Close()
	for end := time.Now().Add(time.Minute); ask(dial(t, address)) != nil; {
		if time.Now().After(end) {
			t.Fatal("the room of a closed connection is not given to another")
		}
	}
}

// A body that does not come is not waited for.
func TestSlowBodiesAreCut(t *testing.T) {
	address := serve(t, gate.Bounds{}, gate.Times{Body: 50 * time.Millisecond, Write: time.Minute})
	c := dial(t, address)
	if _, err := fmt.Fprint(c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc"); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusRequestTimeout {
		t.Errorf("it is answered with %s", res.Status)
	}
}

// An answer may go on for ever as long as it is taken.
func TestStreamsGoOn(t *testing.T) {
	parts := 20
	s := httptest.NewServer(gate.Times{Body: 10 * time.Millisecond, Write: time.Minute}.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for range parts {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
			_, _ = fmt.Fprintln(w, "more")
			w.(http.Flusher).Flush()
		}
	})))
	defer s.Close()
	res, err := http.Post(s.URL, "text/plain", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	got := 0
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		got++
	}
	if got != parts {
		t.Errorf("%d parts of %d came", got, parts)
	}
}

// The same holds on HTTP/2, where one that is slow ends by itself and not its connection.
func TestSlowBodiesOnHTTP2AreCut(t *testing.T) {
	s := httptest.NewUnstartedServer(gate.Times{Body: 50 * time.Millisecond, Write: time.Minute}.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, "too slow", http.StatusRequestTimeout)
		}
	})))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	for _, slow := range []bool{true, false, true} {
		in, out := io.Pipe()
		go func() {
			_, _ = io.WriteString(out, "abc")
			if !slow {
				_ = out.Close()
			}
		}()
		res, err := s.Client().Post(s.URL, "text/plain", in)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		_ = out.Close()
		if want := map[bool]int{true: http.StatusRequestTimeout, false: http.StatusOK}[slow]; res.StatusCode != want || res.ProtoMajor != 2 {
			t.Errorf("slow: %v; it is answered with %s on %s", slow, res.Status, res.Proto)
		}
	}
}

// Each part of an answer has about the same time, also where many are sent one after the other.
func TestAnAnswerThatIsNotTakenIsCut(t *testing.T) {
	for _, version := range []int{1, 2} {
		ended := make(chan error, 1)
		s := httptest.NewUnstartedServer(gate.Times{Body: time.Minute, Write: 200 * time.Millisecond}.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			var err error
			for part := make([]byte, 1<<20); err == nil; {
				_, err = w.Write(part)
			}
			ended <- err
		})))
		s.EnableHTTP2 = version == 2
		s.StartTLS()
		res, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Errorf("HTTP/%d: an answer that is not taken goes on", version)
		}
		_ = res.Body.Close()
		s.Close()
	}
}
