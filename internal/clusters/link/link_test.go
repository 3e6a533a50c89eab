package link

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long anything may take on a busy machine.
const patience = 2 * time.Minute

// house is a server with an authority of its own.
type house struct {
	t         *testing.T
	ctx       context.Context
	authority *Authority
	hub       *Hub
	noted     text // agents that came, and why others were not let in
	address   string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return newHouseWith(t, (*Authority).Trust)
}

func newHouseWith(t *testing.T, trusts func(*Authority) (*Trust, error)) *house {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	authority, err := OpenAuthority(filepath.Join(t.TempDir(), "agents"))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, ctx: ctx, authority: authority}
	trust, err := trusts(authority)
	if err != nil {
		t.Fatal(err)
	}
	h.hub = &Hub{Trust: trust, Log: slog.New(slog.DiscardHandler), Note: func(cluster, _ string, why error) {
		_, _ = fmt.Fprintf(&h.noted, "%s %v\n", cluster, why)
	}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.address = l.Addr().String()
	var done sync.WaitGroup
	done.Go(func() { _ = h.hub.Serve(ctx, l) })
	t.Cleanup(func() { stop(); done.Wait() })
	return h
}

// enrol gives a cluster's agents a certificate, in a file.
func (h *house) enrol(cluster string) string {
	h.t.Helper()
	is, err := h.authority.Enrol(cluster, time.Hour, false)
	if err != nil {
		h.t.Fatal(err)
	}
	file := filepath.Join(h.t.TempDir(), cluster+".pem")
	if err := os.WriteFile(file, is.Bundle(), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return file
}

// agent runs an agent that says it is of a cluster. What it says is in heard.
func (h *house) agent(server, identity, cluster string, answers http.HandlerFunc) (stop func(), heard *text) {
	ctx, cancel := context.WithCancel(h.ctx)
	heard = &text{}
	a := &Agent{
		Server: server, Identity: identity, Log: slog.New(slog.NewTextHandler(heard, nil)), Handler: answers,
		Hello: func(context.Context) Hello { return Hello{Cluster: cluster} },
	}
	var done sync.WaitGroup
	done.Go(func() { _ = a.Run(ctx) })
	stop = func() { cancel(); done.Wait() }
	h.t.Cleanup(stop)
	return stop, heard
}

type text struct {
	mu sync.Mutex
	b  strings.Builder
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

func (h *house) until(what string, is func() bool) {
	h.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("after %v it is still not so: %s", patience, what)
		}
	}
}

func (h *house) ask(cluster string) (string, error) {
	r, _ := http.NewRequestWithContext(h.ctx, http.MethodGet, "http://"+cluster+"/livez", nil)
	res, err := h.hub.Way(cluster).RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	return string(data), err
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, text) }
}

func TestEachClusterIsAskedOverItsOwnAgent(t *testing.T) {
	h := newHouse(t)
	for _, cluster := range []string{"tiger", "lion"} {
		if _, err := h.ask(cluster); !errors.Is(err, ErrAbsent) {
			t.Fatalf("nobody is there, and the error is %v", err)
		}
		h.agent(h.address, h.enrol(cluster), cluster, says("I am "+cluster))
	}
	for _, cluster := range []string{"tiger", "lion"} {
		h.until(cluster+" is there", func() bool { return h.hub.Connected(cluster) == 1 })
		var all sync.WaitGroup
		for range 300 { // more than one line may carry at once elsewhere
			all.Go(func() {
				if got, err := h.ask(cluster); err != nil || got != "I am "+cluster {
					t.Errorf("%s answers %q, %v", cluster, got, err)
				}
			})
		}
		all.Wait()
	}
}

// TestNobodySpeaksForAnotherCluster tries every way in that is not an enrolled
// certificate of the cluster itself.
func TestNobodySpeaksForAnotherCluster(t *testing.T) {
	h, other := newHouse(t), newHouse(t)
	var asked atomic.Int64
	handler := func(http.ResponseWriter, *http.Request) { asked.Add(1) }

	_, heard := h.agent(h.address, h.enrol("tiger"), "lion", handler)
	h.until("who lies is told so", func() bool {
		return strings.Contains(heard.String(), "it says that it is of cluster") && strings.Contains(heard.String(), "its certificate is for tiger")
	})
	revoked := h.enrol("bear")
	if err := h.authority.Revoke("bear"); err != nil {
		t.Fatal(err)
	}
	_, heard = h.agent(h.address, revoked, "bear", handler)
	h.until("who is revoked is told so", func() bool { return strings.Contains(heard.String(), "not enrolled, or not any more") })

	_, heard = h.agent(h.address, other.enrol("tiger"), "tiger", handler)
	h.until("another authority's agent does not believe this server", func() bool { return strings.Contains(heard.String(), "certificate signed by unknown authority") })

	for name, config := range map[string]*tls.Config{
		"without a certificate":              {},
		"with one of another authority":      {Certificates: []tls.Certificate{load(t, other.enrol("tiger"))}},
		"with a server's":                    {Certificates: []tls.Certificate{serversOwn(t, h.authority)}},
		"with the right one, another speech": {Certificates: []tls.Certificate{load(t, h.enrol("tiger"))}, NextProtos: []string{"h2"}},
	} {
		config.InsecureSkipVerify = true // this client does not mind
		if config.NextProtos == nil {
			config.NextProtos = []string{Protocol}
		}
		if err := knock(h.address, config); err == nil {
			t.Errorf("%s one is let in", name)
		}
	}
	for _, cluster := range []string{"tiger", "lion", "bear"} {
		if n := h.hub.Connected(cluster); n != 0 {
			t.Errorf("%s has %d lines", cluster, n)
		}
	}
	if asked.Load() != 0 {
		t.Error("somebody was asked")
	}
}

func load(t *testing.T, file string) tls.Certificate {
	t.Helper()
	is, err := readIdentity(file)
	if err != nil {
		t.Fatal(err)
	}
	return is.cert
}

func serversOwn(t *testing.T, a *Authority) tls.Certificate {
	t.Helper()
	is, err := a.serverCert()
	if err != nil {
		t.Fatal(err)
	}
	return *is
}

// knock dials and reads: with TLS 1.3 a client hears only then that it is refused.
func knock(address string, config *tls.Config) error {
	c, err := tls.Dial("tcp", address, config)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	_, err = c.Read(make([]byte, 1))
	return err
}

// TestALineThatIsCutComesAgain cuts the connection of an agent again and again. A
// second agent of the cluster serves meanwhile, and both come back.
func TestALineThatIsCutComesAgain(t *testing.T) {
	h := newHouse(t)
	wire := newWire(t, h.address)
	h.agent(wire.address, h.enrol("tiger"), "tiger", says("first"))
	h.until("it is there", func() bool { return h.hub.Connected("tiger") == 1 })
	for range 3 {
		wire.cut()
		h.until("the server has noticed", func() bool { return h.hub.Connected("tiger") == 0 })
		if _, err := h.ask("tiger"); !errors.Is(err, ErrAbsent) {
			t.Fatalf("nobody is there, and the error is %v", err)
		}
		wire.mend()
		h.until("it answers again", func() bool { got, err := h.ask("tiger"); return err == nil && got == "first" })
	}
	stop, _ := h.agent(h.address, h.enrol("tiger"), "tiger", says("second"))
	h.until("two are there", func() bool { return h.hub.Connected("tiger") == 2 })
	wire.cut()
	h.until("the second serves", func() bool { got, err := h.ask("tiger"); return err == nil && got == "second" })
	stop()
	h.until("none is there", func() bool { return h.hub.Connected("tiger") == 0 })
}

// TestAWatchIsToldAtOnce has an agent send a stream that goes on, and sees each part
// of it come while it does.
func TestAWatchIsToldAtOnce(t *testing.T) {
	h := newHouse(t)
	more := make(chan string)
	h.agent(h.address, h.enrol("tiger"), "tiger", func(w http.ResponseWriter, r *http.Request) {
		for {
			select {
			case text := <-more:
				_, _ = fmt.Fprint(w, text)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	h.until("it is there", func() bool { return h.hub.Connected("tiger") == 1 })
	r, _ := http.NewRequestWithContext(h.ctx, http.MethodGet, "http://tiger/api/v1/pods?watch=1", nil)
	go func() { more <- "one" }()
	res, err := h.hub.Way("tiger").RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	for i, want := range []string{"one", "two", "six"} {
		if i > 0 {
			more <- want
		}
		got := make([]byte, 3)
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
			t.Fatalf("%q came, %v", got, err)
		}
	}
}

// wire is a network between an agent and the server that can be cut.
type wire struct {
	t       *testing.T
	to      string
	address string
	mu      sync.Mutex
	whole   bool
	ends    []net.Conn
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, to: to, address: l.Addr().String(), whole: true}
	t.Cleanup(func() { _ = l.Close(); w.cut() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.connect(c)
		}
	}()
	return w
}

func (w *wire) connect(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	far, err := net.Dial("tcp", w.to)
	if err != nil || !w.whole {
		_ = c.Close()
		if err == nil {
			_ = far.Close()
		}
		return
	}
	w.ends = append(w.ends, c, far)
	go func() { _, _ = io.Copy(far, c); _ = far.Close() }()
	go func() { _, _ = io.Copy(c, far); _ = c.Close() }()
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole = false
	for _, c := range w.ends {
		_ = c.Close()
	}
	w.ends = nil
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole = true
}

// TestAnAuthorityOfAnotherMakeIsTaken gives both sides their files as cert-manager
// writes them.
func TestAnAuthorityOfAnotherMakeIsTaken(t *testing.T) {
	maker, err := OpenAuthority(filepath.Join(t.TempDir(), "ca"))
	if err != nil {
		t.Fatal(err)
	}
	is, err := maker.Enrol("tiger", time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	server, err := maker.serverCert()
	if err != nil {
		t.Fatal(err)
	}
	key, err := keyText(server.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{}
	for name, id := range map[string]Identity{"agent": is, "server": {is.Authority, certText(server.Certificate[0]), key}} {
		dirs[name] = t.TempDir()
		for file, data := range map[string][]byte{"ca.crt": id.Authority, "tls.crt": id.Cert, "tls.key": id.Key} {
			if err := os.WriteFile(filepath.Join(dirs[name], file), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	h := newHouseWith(t, func(*Authority) (*Trust, error) { return ReadTrust(dirs["server"], []string{"tiger"}) })
	h.agent(h.address, dirs["agent"], "tiger", says("hello"))
	h.until("it answers", func() bool { got, err := h.ask("tiger"); return err == nil && got == "hello" })
	other, err := maker.Enrol("lion", time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "lion.pem")
	if err := os.WriteFile(file, other.Bundle(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, heard := h.agent(h.address, file, "lion", says("hello"))
	h.until("another certificate of that authority is refused", func() bool { return strings.Contains(heard.String(), "not enrolled") })
}

// TestSilentConnectionsKeepNoAgentOut dials from the agent's own address, again and again,
// and says nothing.
func TestSilentConnectionsKeepNoAgentOut(t *testing.T) {
	h := newHouse(t)
	for range 200 {
		c, err := net.Dial("tcp", h.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	began := time.Now()
	h.agent(h.address, h.enrol("tiger"), "tiger", says("hello"))
	h.until("it answers", func() bool { got, err := h.ask("tiger"); return err == nil && got == "hello" })
	if took := time.Since(began); took > handshake/2 {
		t.Errorf("the agent waited %v", took)
	}
}

// An agent that comes as an agent is noted, and who is not let in.
func TestAgentsThatComeAreNoted(t *testing.T) {
	h := newHouse(t)
	identity := h.enrol("tiger")
	h.agent(h.address, identity, "tiger", func(http.ResponseWriter, *http.Request) {})
	h.until("the agent is noted", func() bool { return strings.Contains(h.noted.String(), "tiger <nil>") })
	h.agent(h.address, identity, "puma", func(http.ResponseWriter, *http.Request) {})
	h.until("the other is noted", func() bool { return strings.Contains(h.noted.String(), "its certificate is for tiger") })
}
