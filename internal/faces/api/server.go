package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Options of New.
type Options struct {
	Engine   Engine
	Auth     Authenticator    // nil: NewLocal
	Log      *slog.Logger     // nil: nothing is logged
	Version  string           // what the server calls itself
	Now      func() time.Time // the engine's clock; nil: time.Now
	Ready    func() error     // why the server is not ready to serve; nil: it always is
	Notifier Notifier         // what delivers webhooks; nil: none are delivered
	Metrics  http.Handler     // answers /metrics; nil: there are none
	Audit    AuditLog         // what was refused and who came; nil: nothing is noted
	Tokens   *ServiceTokens   // says when tokens of service accounts were used; nil: one of its own
	History  string           // file that the history of quotas is kept in; "": it is not kept
	Past     Past             // what the fleet remembers; nil: gathered from the log when it is asked for
	// Front stands before all that Serve answers; nil: nothing does.
	Front func(http.Handler) http.Handler
	Rest  http.Handler // answers every path that is not the API's; nil: nothing is there
	// Hooks take what services outside post, by path. They check signatures themselves: no caller is known.
	Hooks map[string]http.Handler
	TLS   *tls.Config // how the server proves who it is; nil: it speaks plain HTTP
	// BehindProxy says that all callers come through one that does TLS.
	BehindProxy bool
	// Proxies are the addresses of proxies whose word on who asked them counts; none: that of all
	// that reach the port, which then no other may reach.
	Proxies []netip.Prefix
	// Notices are what everybody must know of the server itself: it follows, or its journal is
	// away. nil: there are none.
	Notices func() []Notice
	// Recheck is how often the caller of a stream is identified again; 0: every 2 s.
	Recheck time.Duration
	// Times are how long a caller may take to send a request, and to take each part of an answer; zero: the usual.
	Times gate.Times
	// MostWaiting is how many workloads a caller that does not run the fleet may have waiting; 0: MostWaiting.
	MostWaiting int
	// Forecasting is how long one forecast may take before it is given with what is known; 0: half a second.
	Forecasting time.Duration
	// Lag is how far this server may be behind the one that leads, and whether it follows one;
	// Leader is where that is. nil: this server leads.
	Lag    func() (lag time.Duration, follows bool)
	Leader func() string
	// Said is what a cluster's own machinery says of a workload; nil: nothing is asked.
	Said func(namespace, name, target string) []string
	// Logs is the end of what an operation's program wrote, in whole lines, and whether there is more before
	// it; "": nothing is kept here. nil: no operation of any cluster has a log.
	Logs func(operation string) (text string, cut bool, err error)
	// CheckedIn is the commit at which a cluster's record stands on the branch that counts; "": it does not. nil: no branch can be looked at.
	CheckedIn func(context.Context, fleet.ClusterRecord) (commit string, err error)
}

// Notice is something about the server itself. Key names it for as long as it stands.
type Notice struct {
	Key, Text string
	Operators bool // told to those alone who may set the policy
}

// Server answers the API.
type Server struct {
	*service
	auth      Authenticator
	handler   http.Handler
	front     http.Handler // what Serve answers with
	tls       *tls.Config
	proxied   bool
	proxies   []netip.Prefix
	stop      sync.Once
	newcomers newcomers
	attempts  attempts
	bodies    bodies
	recheck   time.Duration
	times     gate.Times
}

// New makes a server that does not listen yet.
func New(o Options) (*Server, error) {
	if o.Auth == nil {
		local, err := NewLocal()
		if err != nil {
			return nil, err
		}
		o.Auth = local
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Notices == nil {
		o.Notices = func() []Notice { return nil }
	}
	if o.Recheck == 0 {
		o.Recheck = usualRecheck
	}
	if o.Times == (gate.Times{}) {
		o.Times = usualTimes
	}
	if o.Lag == nil {
		o.Lag, o.Leader = func() (time.Duration, bool) { return 0, false }, func() string { return "" }
	}
	if o.Forecasting == 0 {
		o.Forecasting = forecasting
	}
	if o.MostWaiting == 0 {
		o.MostWaiting = MostWaiting
	}
	o.Engine = usualEngine{o.Engine}
	s := &Server{auth: o.Auth, tls: o.TLS, proxied: o.BehindProxy, proxies: o.Proxies, recheck: o.Recheck, times: o.Times, service: &service{
		engine: o.Engine, log: o.Log, version: o.Version, now: o.Now, notices: o.Notices, lag: o.Lag, leader: o.Leader,
		notifier: o.Notifier, said: o.Said, logs: o.Logs, checkedIn: o.CheckedIn, audit: o.Audit, tokens: o.Tokens, started: o.Now(), stopping: make(chan struct{}), history: newHistory(o.History), turns: newTurns(),
		forecasting: o.Forecasting, mostWaiting: o.MostWaiting, signIn: !admitsLocal(o.Auth),
	}}
	if s.tokens == nil {
		s.tokens = NewServiceTokens(o.Engine.Peek, o.Now)
	}
	if s.book = o.Past; s.book == nil {
		s.book = newOwnPast(o.Engine, s.stopping)
	}
	s.book = usualPast{s.book}
	options, err := s.handlerOptions(o.Log)
	if err != nil {
		return nil, err
	}
	s.handler = connected(s.through(s.routes(o, options)))
	if s.front = s.handler; o.Front != nil {
		s.front = o.Front(s.handler)
	}
	return s, nil
}

// Handler answers all of the server's paths.
func (s *Server) Handler() http.Handler { return s.handler }

// handlerOptions are what all services have in common. The interceptors stand in
// the order in which a request meets them.
func (s *Server) handlerOptions(log *slog.Logger) ([]connect.HandlerOption, error) {
	rules, err := newValidation()
	if err != nil {
		return nil, err
	}
	rules.within, rules.turns = s.service.partitionsOf, s.turns
	return []connect.HandlerOption{
		withCodecs(),
		withBoundedGzip(),
		connect.WithRecover(panicked(log)), // around all the others
		connect.WithInterceptors(together{logging{log}, failures{log}, denials{s.service}, answers{}, between{s.turns}, rules, s.turns, recheck{s.recheck}}),
		connect.WithCompressMinBytes(16 << 10), // smaller answers cost more to press than to send
		connect.WithConditionalHandlerOptions(limits),
	}, nil
}

// routes says who answers which path.
func (s *Server) routes(o Options, with []connect.HandlerOption) http.Handler {
	mux := http.NewServeMux()
	rpcs := services{of: map[string]http.Handler{}, rest: mux}
	rpc := func(path string, h http.Handler) { rpcs.of[path] = s.guard(s.turns.edges(h)) }
	rpc(musterv1connect.NewFleetServiceHandler(fleetService{s.service}, with...))
	rpc(musterv1connect.NewQuotaServiceHandler(quotaService{s.service}, with...))
	rpc(musterv1connect.NewWorkloadServiceHandler(workloadService{s.service}, with...))
	rpc(musterv1connect.NewCapacityServiceHandler(capacityService{s.service}, with...))
	rpc(musterv1connect.NewEventServiceHandler(eventService{s.service}, with...))
	rpc(musterv1connect.NewHaircutServiceHandler(haircutService{s.service}, with...))
	rpc(musterv1connect.NewSystemServiceHandler(systemService{s.service}, with...))
	rpc(musterv1connect.NewPromiseServiceHandler(promiseService{s.service}, with...))
	rpc(musterv1connect.NewPastServiceHandler(pastService{s.service}, with...))
	rpc(musterv1connect.NewRequestServiceHandler(requestService{s.service}, with...))
	rpc(musterv1connect.NewMaintenanceServiceHandler(maintenanceService{s.service}, with...))
	rpc(musterv1connect.NewSubscriptionServiceHandler(subscriptionService{s.service}, with...))
	rpc(musterv1connect.NewHealthServiceHandler(healthService{s.service}, with...))
	rpc(musterv1connect.NewSeriesServiceHandler(seriesService{s.service}, with...))
	rpc(musterv1connect.NewComingServiceHandler(comingService{s.service}, with...))
	rpc(musterv1connect.NewBuildoutServiceHandler(buildoutService{s.service}, with...))
	rpc(musterv1connect.NewAccessServiceHandler(accessService{s.service}, with...))
	mux.Handle("GET "+inventoryPath, s.guard(s.turns.share(http.HandlerFunc(s.inventory))))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", readyz(o.Ready))
	if o.Metrics != nil {
		mux.Handle("GET /metrics", s.guard(s.turns.share(o.Metrics)))
	}
	for path, hook := range o.Hooks {
		mux.Handle("POST "+path, s.bodies.bound(hook))
	}
	if o.Rest != nil {
		mux.Handle("/", s.bodies.bound(s.pages(o.Rest)))
	}
	return rpcs
}

// services answer RPCs, of which a path is a service's and a name. Patterns find them no better, and take longer.
type services struct {
	of   map[string]http.Handler // by their paths, with the slash at the end
	rest http.Handler
}

// ServeHTTP is part of http.Handler.
func (s services) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := s.of[r.URL.Path[:strings.LastIndexByte(r.URL.Path, '/')+1]]
	if h == nil {
		h = s.rest
	}
	h.ServeHTTP(w, r)
}

func readyz(ready func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if ready != nil {
			if err := ready(); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		_, _ = fmt.Fprintln(w, "ready")
	}
}

// guard lets a request through to its service once it is known who asks, that a role of
// theirs allows it, and that it is not too large.
func (s *Server) guard(next http.Handler) http.Handler {
	writer := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := s.identify(r)
		if err == nil {
			err = who.admit(r.URL.Path)
		}
		if err == nil {
			err = sized(w, r, who.trusted(r.URL.Path))
		}
		if err == nil {
			err = s.turns.call(who)
		}
		leave := func() {}
		if err == nil {
			leave, err = s.admitted(r, who)
		}
		s.noteInAudit(r, who, err)
		if err != nil {
			_ = writer.Write(w, r, fail(err))
			return
		}
		defer leave()
		who.recheck = s.recheckOf(r, who)
		answer := func() { next.ServeHTTP(w, r.WithContext(withCaller(r.Context(), who))) }
		if streams[r.URL.Path] || !s.turns.spent(who) {
			answer()
			return
		}
		gate.Aside(answer)
	})
}

// admitted waits until a call may begin: a stream has no slot, for it lasts as long as it likes.
func (s *Server) admitted(r *http.Request, who *caller) (leave func(), err error) {
	if streams[r.URL.Path] {
		return func() {}, s.turns.afford(r.Context(), who)
	}
	return s.turns.enter(r.Context(), who, r)
}

// streams are the procedures whose calls last as long as the caller likes; they are counted
// apart.
var streams = map[string]bool{musterv1connect.EventServiceWatchProcedure: true}

// How long calls that run may go on once the server ends.
const grace = 10 * time.Second

// Serve answers on a listener until ctx ends; then it takes no new calls, ends
// streams, and lets calls that run come to their end. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           gate.Roomy(s.times.Handler(s.secured(s.front))),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ConnContext:       withPeer,
		MaxHeaderBytes:    64 << 10,
		Protocols:         protocols(s.tls == nil),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: streamsAtOnce},
		TLSConfig:         s.tls,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	h.RegisterOnShutdown(s.Stop)
	ended := make(chan error, 1)
	go func() { ended <- s.answer(h, l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	late, end := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer end()
	if err := h.Shutdown(late); err != nil {
		_ = h.Close()
		return fmt.Errorf("some calls did not end within %v and were cut: %w", grace, err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Stop ends all streams. Serve does it by itself.
func (s *Server) Stop() { s.stop.Do(func() { close(s.stopping) }) }

// protocols are HTTP/1.1 and HTTP/2 side by side on one port, with TLS or without.
func protocols(plain bool) *http.Protocols {
	var p http.Protocols
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(plain)
	return &p
}
