package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past/keeper"
	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/faces/signin"
	"github.com/muster-fleet/muster/internal/faces/web"
	"github.com/muster-fleet/muster/internal/prove/demo"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/run/notify"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/muster-fleet/muster/internal/server/lategc"
	"github.com/muster-fleet/muster/internal/server/leadership"
	"github.com/muster-fleet/muster/internal/server/sharedfiles"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// How often a running server saves the notes of the past, and checks what must
// always hold: after so many records.
const (
	notesEvery = 10_000
	checkEvery = 64
)

// up runs a server until ctx ends. One that another has taken over from, or whose database
// has forgotten records, begins again with what the database has.
func up(ctx context.Context, o upOptions) error {
	defer gate.SpareThreads()()
	lategc.Collect(serverGarbage, 0)
	for ran := false; ; {
		err := upOnce(ctx, o, &ran)
		if !leadership.BeginsAgain(err, ran) || ctx.Err() != nil {
			return err
		}
		_, _ = fmt.Fprintf(o.Err, "%v: this server begins again\n", err)
		gate.Pause(ctx, leadership.AgainAfter)
	}
}

// upOnce runs a server once, and notes that it has come as far as that.
func upOnce(ctx context.Context, o upOptions, ran *bool) error {
	s := &server{upOptions: o, began: time.Now()}
	defer s.close()
	if err := s.listen(ctx); err != nil {
		return err
	}
	if err := s.line.during("finding the fleet", func() error { return s.open(ctx) }); err != nil {
		return err
	}
	s.greet()
	*ran = true
	return s.run(ctx)
}

// open brings everything about that a server needs to serve.
func (s *server) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{s.openData, s.openEngine, s.openAPI, s.startLeading} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// server is a running Muster.
type server struct {
	upOptions
	began time.Time
	log   *slog.Logger

	leadership *leadership.Leadership
	sharing    *sharedfiles.Sharing // of the files that move with leadership; nil: they stay here
	peers      peers                // how the server that leads is reached

	listener   net.Listener
	socket     net.Listener      // for this machine's own user; nil: there is none
	people     api.Authenticator // who signs in, and how; nil: no sign-in
	auth       api.Authenticator
	oidc       *api.OIDC          // nil: people do not sign in at a provider
	sessions   *signin.Sessions   // of readers who signed in there; nil: as above
	signin     *signin.Middleware // as above
	tokens     *api.ServiceTokens
	audit      record
	folder     *datafolder.Folder
	journal    journal.Journal
	salvaged   *sqlite.Salvaged                     // what a damaged journal was cut back to; nil: it was not
	aside      string                               // where what was left of a lost journal was put; "": nowhere
	records    uint64                               // in the journal when it was opened
	lived      bool                                 // it was empty, and was given a past
	snapshot   uint64                               // the one that the start began with; 0: none
	damage     atomic.Pointer[journal.CorruptError] // what was found in the log while the server ran; nil: nothing
	engine     *engine.Engine
	api        *api.Server
	metrics    *metrics.Metrics
	notifier   *notify.Notifier
	backend    *backend
	agents     net.Listener // where agents dial in; nil: nowhere
	line       *statusLine
	past       *keeper.Keeper
	web        *web.Server
	pages      http.Handler                     // web, behind signin where there is one
	reconciler atomic.Pointer[kube.Reconciler]  // of the joined cluster; nil: none was joined
	builder    atomic.Pointer[provision.Runner] // builds clusters; nil: this server does not lead
}

// listen opens the port first: while it is in use, nothing else is touched.
func (s *server) listen(ctx context.Context) (err error) {
	s.line = &statusLine{w: s.Err, terminal: s.ErrTerminal, width: width}
	s.log = newLog(s.line, s.LogLevel)
	if err := checkWires(s.upOptions); err != nil {
		return err
	}
	if s.Tokens != "" {
		tokens, err := api.OpenTokensFile(s.Tokens, s.log)
		if err != nil {
			return cli.Malformed(err)
		}
		s.people = tokens
	}
	s.listener, err = api.Listen(ctx, s.Listen, s.Tokens != "" || s.OIDC.Issuer != "")
	if err != nil || s.Agents == "" {
		return cli.Malformed(err)
	}
	if s.agents, err = (&net.ListenConfig{}).Listen(ctx, "tcp", s.Agents); err != nil {
		return cli.Malformed(fmt.Errorf("agents' address: %w; choose another (--agents)", err))
	}
	return nil
}

func newLog(w *statusLine, level string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // it was checked where it was read
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l}))
}

func (s *server) openData(ctx context.Context) (err error) {
	if s.folder, err = datafolder.Open(s.Data); err != nil {
		return err
	}
	if s.journal, err = s.openJournal(ctx); err != nil {
		return err
	}
	s.tighten()
	if s.records, _, err = s.journal.Last(ctx); err != nil {
		return err
	}
	if err := s.checkEmpty(); err != nil {
		return err
	}
	if err := s.firstShare(ctx); err != nil {
		return err
	}
	s.audit.journal = s.journal
	if s.audit.Log, err = audit.Open(s.folder.Path, nil); err != nil {
		return err
	}
	if err := s.checkLost(); err != nil {
		return err
	}
	s.noteCut()
	if snap, ok, err := s.journal.SnapshotBefore(ctx, s.records); err == nil && ok {
		s.snapshot = snap.Seq
	}
	if err := settle(s.folder, s.upOptions, s.records > 0); err != nil {
		return err
	}
	return s.firstPast(ctx)
}

// firstPast gives a new demo the weeks that lie behind it, unless other servers may be
// writing to its journal.
func (s *server) firstPast(ctx context.Context) error {
	if s.folder.Demo == nil || s.records > 0 || s.upOptions.Journal != "" {
		return nil
	}
	s.lived = true
	return demo.Past(ctx, s.journal, s.folder.Demo.Seed, wallClock{}.Now())
}

// machineClock is the clock of this machine, for tests that set it wrong; nil: what it is.
var machineClock func() fleet.Instant

func (s *server) openEngine(ctx context.Context) (err error) {
	if s.backend, err = s.newBackend(); err != nil {
		return err
	}
	s.leadership = leadership.New(s.journal, s.advertised())
	began := time.Now()
	s.engine, err = engine.Open(ctx, s.backend.options(engine.Options{
		Now: machineClock, Steady: func() time.Duration { return time.Since(began) },
		Journal: s.journal, Check: checkInvariants, CheckEvery: checkEvery, SnapshotEvery: engine.UsualSnapshotEvery, Keys: s.folder.File(datafolder.Keys), Log: s.log,
		Follow: s.leadership.Shared(), May: s.leadership.May, First: s.firstCommand,
	}))
	if err != nil {
		return fmt.Errorf("data folder %s: %w", s.folder.Path, err)
	}
	return nil
}

func (s *server) openAPI(ctx context.Context) (err error) {
	secured, err := s.tls()
	if err != nil {
		return err
	}
	proxies, err := proxiesOf(s.upOptions)
	if err != nil {
		return err
	}
	hooks, err := s.hooks()
	if err != nil {
		return err
	}
	s.peers = newPeers(secured)
	s.past = keeper.New(s.engine, keeper.Options{Path: s.folder.File(datafolder.Past), SaveEvery: notesEvery, Log: s.log})
	s.metrics = metricsOf(s.engine)
	s.notifier, err = notify.New(notify.Options{Read: s.engine.Read, Watch: s.engine.Watch, Dir: s.folder.Path, Log: s.log, To: notify.Egress{Hosts: s.WebhooksTo, Local: s.WebhooksLocal || s.Tokens == "" && s.OIDC.Issuer == ""}})
	if err != nil {
		return err
	}
	if err := s.openAuth(); err != nil {
		return err
	}
	s.api, err = api.New(api.Options{
		Audit: s.audit, Tokens: s.tokens,
		Engine: guarded{decider{s.engine, s.metrics}, s.watchedOnly, s.backend.reconcilers != nil}, Auth: s.auth, Log: s.log, Version: version(), Metrics: s.metrics.Handler(), Notifier: notifier{s.notifier},
		MostWaiting: s.MostWaiting, History: s.folder.File(datafolder.History), Past: s.past, Said: s.said, Logs: s.buildLog, CheckedIn: s.checkedIn(), TLS: secured, BehindProxy: s.BehindProxy, Proxies: proxies, Ready: s.engine.Health, Notices: s.notices, Lag: s.engine.Follows, Leader: s.whoLeads, Front: s.forward, Hooks: hooks, Rest: http.HandlerFunc(s.rest),
	})
	if err == nil {
		err = s.openSocket(ctx)
	}
	if err == nil {
		s.openPages()
	}
	return err
}

// metricsOf are the figures of an engine. They are read off all workloads, and any caller may ask for them: what is
// durable is enough, and no decision waits for a reader of that.
func metricsOf(e *engine.Engine) *metrics.Metrics {
	m := metrics.New(e.Look)
	m.Lag = e.Follows
	return m
}

// startLeading begins to lead where no other server does. One that is to stand by leaves that
// to others for as long as a lease holds.
func (s *server) startLeading(ctx context.Context) error {
	l := s.leadership
	if !l.Shared() {
		return errors.Join(s.firstFleet(ctx), s.startCluster(ctx))
	}
	if s.Standby {
		return nil
	}
	brief, stop := context.WithTimeout(ctx, leadership.Lease)
	defer stop()
	ok, err := l.Claim(brief)
	if err != nil || !ok {
		return err
	}
	return s.takeOverKept(ctx)
}

// advertised is where other servers and clients reach this one.
func (s *server) advertised() string {
	if s.Advertise != "" {
		return s.Advertise
	}
	return s.listener.Addr().String()
}

// firstFleet gives a new journal the fleet that it begins with.
func (s *server) firstFleet(ctx context.Context) error {
	file, reason := s.Fleet, "the fleet file "+s.Fleet.Name
	switch {
	case s.records > 0 || s.lived:
		return nil
	case s.folder.Demo != nil:
		var err error
		if file, err = demoFleet(); err != nil {
			return err
		}
		reason = "the demo's fleet"
	case !s.HasFleet:
		return nil
	}
	return s.build(ctx, file, reason)
}

func (s *server) startCluster(ctx context.Context) error {
	return s.backend.start(ctx, s.engine)
}
