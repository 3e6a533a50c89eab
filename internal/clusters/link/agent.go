package link

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
)

// Hello is what an agent says of itself.
type Hello struct {
	Cluster string `json:"cluster"` // must be whom its certificate is for
	Version string `json:"version"`
	Manage  bool   `json:"manage"` // what runs there is decided by Muster; else it is watched only
	Kueue   bool   `json:"kueue"`  // what backs quotas is written to Kueue's queues
	Quotas  bool   `json:"quotas"` // the cluster's own quotas are taken over
	// FenceAfter is how long a node is silent until it is taken for off; 0: never.
	FenceAfter time.Duration `json:"fenceAfter,omitempty"`
	// Prometheus says that the agent answers for one that keeps what GPUs do.
	Prometheus bool `json:"prometheus,omitempty"`
	// UID tells the cluster from another to which its certificate was
	// copied: that of its namespace kube-system. "" where it may not be read.
	UID string `json:"uid,omitempty"`
	// Several says that the agent keeps a line to each server, also to those that follow.
	Several bool `json:"several,omitempty"`
}

// ErrFollows refuses an agent that knows one address on a server that does not lead: the same
// address may lead it to another.
var ErrFollows = errors.New("this server follows another; dial again")

// Paths that the agent itself answers.
const (
	helloPath   = "/.muster/hello"
	refusedPath = "/.muster/refused"
)

// Agent keeps a line to the server.
type Agent struct {
	Server   string // host:port; several with commas in between, of which one leads
	Identity string // folder or file, read again for every connection
	Hello    func(context.Context) Hello
	Handler  http.Handler // answers what the server asks of the cluster
	Log      *slog.Logger

	connected atomic.Int64 // lines over which it was asked
	asked     atomic.Int64
	lines     atomic.Int64
	fence     fence
	keys      keyring
}

// Stats are what an agent has done so far.
type Stats struct {
	Connected    bool
	Asked, Lines int64 // calls answered, and lines that have been
}

// Stats says how the agent fares.
func (a *Agent) Stats() Stats {
	return Stats{a.connected.Load() > 0, a.asked.Load(), a.lines.Load()}
}

// How long an agent waits before it dials again, and for what it listens.
const (
	waitLeast = 500 * time.Millisecond
	waitMost  = 30 * time.Second
	steady    = time.Second // a line on which the server asked who is there, and that held so long, was a good one
	handshake = 15 * time.Second
	silence   = 15 * time.Second // then the other side is asked whether it is there
	answer    = 15 * time.Second // and has so long to say so
)

// Run keeps a line to each server until ctx ends. Whatever the server that leads asked of the
// cluster stays as it is while there is no line. The others have theirs ready, and ask once
// they lead.
func (a *Agent) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for server := range strings.SplitSeq(a.Server, ",") {
		all.Go(func() { a.keep(ctx, strings.TrimSpace(server)) })
	}
	all.Wait()
	return nil
}

// keep keeps the line to one server.
func (a *Agent) keep(ctx context.Context, server string) {
	waits := pauses{}
	heard, said := a.lines.Load(), ""
	for {
		began := time.Now()
		greeted, err := a.line(ctx, server)
		if ctx.Err() != nil {
			return
		}
		wait := waits.after(greeted && time.Since(began) > steady || strings.Contains(err.Error(), ErrFollows.Error()))
		pause := wait/2 + rand.N(wait/2)
		if a.lines.Load() > heard || cause(err) != said { // it lasts: said once, and when it is another
			a.Log.Warn("no line to the server; the cluster goes on with what it runs, and it is tried again and again", "server", server, "why", err)
		}
		heard, said = a.lines.Load(), cause(err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// pauses are what an agent waits before it dials a server again: twice as long after each line that was
// not good. After a good one it begins anew: a server that went away has come back by then, and may be
// the next to lead.
type pauses struct{ next time.Duration }

func (p *pauses) after(good bool) time.Duration {
	if good || p.next == 0 {
		p.next = waitLeast
	}
	wait := p.next
	p.next = min(2*wait, waitMost)
	return wait
}

// cause is an error without what differs from try to try, as ports do.
func cause(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + " " + op.Err.Error()
	}
	return err.Error()
}

// line is one connection from its beginning to its end. greeted: the server asked who is there, and
// has not refused the answer.
func (a *Agent) line(ctx context.Context, to string) (greeted bool, err error) {
	is, err := a.current()
	if err != nil {
		return false, err
	}
	conn, err := a.dial(ctx, to, is.clientConfig())
	if err != nil {
		return false, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	said := &verdict{server: to}
	defer func() {
		if said.asked.Load() {
			a.connected.Add(-1)
		}
	}()
	//nolint:staticcheck // the line is one connection that was made the other way round: net/http has no call for that yet
	server := http2.Server{ReadIdleTimeout: silence, PingTimeout: answer, MaxConcurrentStreams: 1000}
	//nolint:staticcheck // as above
	server.ServeConn(conn, &http2.ServeConnOpts{Context: ctx, Handler: a.answers(said)})
	if text := said.text.Load(); text != nil {
		return false, errors.New("the server refuses it: " + *text)
	}
	return said.greeted.Load(), errors.New("the line has ended")
}

func (a *Agent) dial(ctx context.Context, server string, config *tls.Config) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	d := tls.Dialer{Config: config, NetDialer: &net.Dialer{KeepAlive: silence}}
	return d.DialContext(ctx, "tcp", server)
}

// verdict is what the server makes of a line.
type verdict struct {
	server  string
	text    atomic.Pointer[string] // why it does not want it
	greeted atomic.Bool            // it has asked who is there
	asked   atomic.Bool            // it has asked something of the cluster
}

// answers is who answers what on a line.
func (a *Agent) answers(said *verdict) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+helloPath, func(w http.ResponseWriter, r *http.Request) {
		hello := a.Hello(r.Context())
		hello.Several = strings.Contains(a.Server, ",")
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(hello)
		if said.greeted.CompareAndSwap(false, true) {
			a.lines.Add(1)
		}
	})
	mux.HandleFunc("GET "+renewalPath, a.request)
	mux.HandleFunc("POST "+renewalPath, a.renewed)
	mux.HandleFunc("POST "+refusedPath, func(_ http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(io.LimitReader(r.Body, 1000))
		text := fmt.Sprintf("%.1000q", data)
		said.text.Store(&text)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if said.asked.CompareAndSwap(false, true) {
			a.connected.Add(1)
			a.Log.Info("the server asks over a new line", "server", said.server)
		}
		a.asked.Add(1)
		a.Handler.ServeHTTP(w, r)
	})
	return a.fence.keep(mux)
}
