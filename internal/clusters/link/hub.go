package link

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// Hub is the server's side of all lines.
type Hub struct {
	Trust *Trust
	Log   *slog.Logger
	Check func(Hello) error // may refuse a line; nil: all are taken
	// Joined hears of every line that is taken, once it can be asked over; may be nil.
	Joined func(Hello)
	// Term is in which the server leads, of those that share a log; 0: it does not lead now.
	// nil: its log is its own.
	Term func() int64
	// Keep makes what was just signed for an agent known to the servers that share its log; nil:
	// there are none.
	Keep func(context.Context) error

	// Note hears of each agent that comes, by its cluster and address, and of each that is not let
	// in: why. nil: it is not noted.
	Note func(cluster, from string, why error)

	mu    sync.Mutex
	lines map[string][]*line // by cluster, the oldest first
}

// line is one connection of an agent.
type line struct {
	cluster string
	hello   Hello
	asks    *http2.ClientConn //nolint:staticcheck // see Agent.line
	conn    *ending
}

// ErrAbsent says that no agent of a cluster has a line.
var ErrAbsent = errors.New("no agent of the cluster is connected")

// Bounds that keep one side from wearing out the other.
const (
	mostGreeting  = 512 // connections that have not shown yet who they are
	mostOfAddress = 64  // of one address; the oldest gives way to the next
	mostLines     = 8   // of one cluster
	mostHello     = 64 << 10
	recheck       = 2 * time.Second // whether an agent is still enrolled
)

// Serve takes lines until ctx ends, and closes the listener.
func (h *Hub) Serve(ctx context.Context, l net.Listener) error {
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	greeting := gate.NewCrowd(gate.Bounds{PerAddress: mostOfAddress, Total: mostGreeting})
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			var passing net.Error
			if errors.As(err, &passing) && passing.Timeout() || strings.Contains(err.Error(), "too many open files") {
				time.Sleep(100 * time.Millisecond)
				continue
			}
			return fmt.Errorf("agents' address %s: %w", l.Addr(), err)
		}
		greeted, ok := greeting.Enter(conn)
		if !ok {
			_ = conn.Close()
			continue
		}
		all.Go(func() { h.take(ctx, conn, greeted.Leave) })
	}
}

// take greets who has dialled, and keeps the line while it is there.
func (h *Hub) take(ctx context.Context, raw net.Conn, greeted func()) {
	defer func() { _ = raw.Close() }()
	defer greeted()
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	conn := &ending{Conn: tls.Server(raw, h.Trust.config), ended: make(chan struct{})}
	is, err := h.greet(ctx, conn)
	if err != nil {
		if ctx.Err() == nil {
			h.Log.Warn("an agent is not let in", "from", raw.RemoteAddr(), "why", err)
			h.note("", raw.RemoteAddr(), err)
		}
		return
	}
	greeted()
	h.Log.Info("an agent is connected", "cluster", is.cluster, "from", raw.RemoteAddr(), "version", is.hello.Version)
	h.note(is.cluster, raw.RemoteAddr(), nil)
	h.keep(ctx, is)
	h.Log.Warn("an agent is gone", "cluster", is.cluster, "from", raw.RemoteAddr())
}

func (h *Hub) note(cluster string, from net.Addr, why error) {
	if h.Note != nil {
		h.Note(cluster, from.String(), why)
	}
}

// greet finds out who has dialled.
func (h *Hub) greet(ctx context.Context, conn *ending) (*line, error) {
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	secured := conn.Conn.(*tls.Conn)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	cluster, err := h.Trust.speaksFor(secured.ConnectionState())
	is := &line{cluster: cluster, conn: conn}
	//nolint:staticcheck // see Agent.line
	transport := &http2.Transport{ReadIdleTimeout: silence, PingTimeout: answer}
	var fails error
	//nolint:staticcheck // see Agent.line
	if is.asks, fails = transport.NewClientConn(conn); fails != nil {
		return nil, fails
	}
	if err == nil {
		err = h.hear(ctx, is)
	}
	if err != nil {
		is.refuse(ctx, err)
		return nil, err
	}
	return is, nil
}

// hear asks what the agent says of itself.
func (h *Hub) hear(ctx context.Context, is *line) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://agent"+helloPath, nil)
	if err != nil {
		return err
	}
	h.sign(r)
	res, err := is.asks.RoundTrip(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(res.Body, mostHello)).Decode(&is.hello); err != nil {
		return fmt.Errorf("what it says of itself: %w", err)
	}
	if is.hello.Cluster != is.cluster {
		return fmt.Errorf("it says that it is of cluster %.80q, and its certificate is for %s", is.hello.Cluster, is.cluster)
	}
	if h.Check != nil {
		return h.Check(is.hello)
	}
	return nil
}

// leads says whether this server leads: it alone renews what agents show to all servers.
func (h *Hub) leads() bool { return h.Term == nil || h.Term() > 0 }

// sign says in which term this server leads.
func (h *Hub) sign(r *http.Request) {
	if h.Term == nil {
		return
	}
	if term := h.Term(); term > 0 {
		r.Header.Set(headerTerm, strconv.FormatInt(term, 10))
	}
}

// refuse tells an agent why it is not let in, so that its operator can see it there.
func (l *line) refuse(ctx context.Context, why error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://agent"+refusedPath, strings.NewReader(why.Error()))
	if err != nil {
		return
	}
	if res, err := l.asks.RoundTrip(r); err == nil {
		_ = res.Body.Close()
	}
	_ = l.asks.Close()
}

// keep has a line ready for calls to its cluster, until it ends.
func (h *Hub) keep(ctx context.Context, is *line) {
	h.mu.Lock()
	if h.lines == nil {
		h.lines = map[string][]*line{}
	}
	if list := h.lines[is.cluster]; len(list) >= mostLines {
		_ = list[0].conn.Close() // it may be dead without having been noticed
	}
	h.lines[is.cluster] = append(h.lines[is.cluster], is)
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.lines[is.cluster] = slices.DeleteFunc(h.lines[is.cluster], func(l *line) bool { return l == is })
	}()
	if h.Joined != nil {
		h.Joined(is.hello)
	}
	tick := time.NewTicker(recheck)
	defer tick.Stop()
	var tried time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-is.conn.ended:
			return
		case <-tick.C:
		}
		if _, err := h.Trust.speaksFor(is.conn.Conn.(*tls.Conn).ConnectionState()); err != nil {
			h.Log.Warn("an agent is sent away", "cluster", is.cluster, "why", err)
			return
		}
		if now := time.Now(); h.Trust.renew != nil && h.leads() && now.Sub(tried) > renewAgain && due(is.conn.Conn.(*tls.Conn).ConnectionState().VerifiedChains[0][0], now) {
			tried = now
			if err := h.renew(ctx, is); err == nil {
				h.Log.Info("an agent's certificate is renewed; it comes again", "cluster", is.cluster)
				return
			} else if ctx.Err() == nil {
				h.Log.Warn("an agent's certificate ends soon and cannot be renewed; enrol it again: muster agent enrol", "cluster", is.cluster, "why", err)
			}
		}
	}
}

// Connected says how many agents of a cluster have a line.
func (h *Hub) Connected(cluster string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lines[cluster])
}

// Lead tells every agent that has a line in which term this server leads, and then Joined of
// each cluster. From then on the agents answer no server of an earlier term, and what such a
// server had written has ended.
func (h *Hub) Lead(ctx context.Context) {
	h.mu.Lock()
	clusters := slices.Collect(maps.Keys(h.lines))
	h.mu.Unlock()
	var all sync.WaitGroup
	for _, cluster := range clusters {
		all.Go(func() {
			for _, is := range h.tell(ctx, cluster) {
				if h.Joined != nil {
					h.Joined(is.hello)
				}
			}
		})
	}
	all.Wait()
}

// tell lets all agents of a cluster hear in which term this server leads. One that does not
// answer in time hears it with the first call.
func (h *Hub) tell(ctx context.Context, cluster string) []*line {
	ctx, stop := context.WithTimeout(ctx, handshake)
	defer stop()
	h.mu.Lock()
	lines := slices.Clone(h.lines[cluster])
	h.mu.Unlock()
	var all sync.WaitGroup
	for _, is := range lines {
		all.Go(func() {
			again := &line{cluster: is.cluster, asks: is.asks}
			if err := h.hear(ctx, again); err != nil {
				h.Log.Warn("an agent does not answer", "cluster", is.cluster, "why", err)
			}
		})
	}
	all.Wait()
	return lines
}

// Way is the way to a cluster, over whichever line its agents have.
func (h *Hub) Way(cluster string) http.RoundTripper { return way{h, cluster} }

type way struct {
	hub     *Hub
	cluster string
}

// RoundTrip asks over the oldest line that takes questions.
func (w way) RoundTrip(r *http.Request) (*http.Response, error) {
	w.hub.mu.Lock()
	list := slices.Clone(w.hub.lines[w.cluster])
	w.hub.mu.Unlock()
	for _, l := range list {
		if l.asks.CanTakeNewRequest() {
			r = r.Clone(r.Context()) // it is the caller's
			w.hub.sign(r)
			return l.asks.RoundTrip(r)
		}
	}
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, fmt.Errorf("%w: %s", ErrAbsent, w.cluster)
}

// ending is a connection that tells when it has ended.
type ending struct {
	net.Conn
	once  sync.Once
	ended chan struct{}
}

// Close ends the connection.
func (e *ending) Close() error {
	e.once.Do(func() { close(e.ended) })
	return e.Conn.Close()
}
