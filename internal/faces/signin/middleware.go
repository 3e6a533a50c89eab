package signin

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/audit"
)

// Provider is where readers sign in; *api.OIDC is one.
type Provider interface {
	// Endpoint is where it asks people who they are, and gives tokens.
	Endpoint() (oauth2.Endpoint, error)
	// Verified is the user that an ID token names, and the token where it was signed well.
	Verified(ctx context.Context, text string) (api.Identity, *oidc.IDToken, error)
	// Client asks it.
	Client() *http.Client
	// Names are its URL, and this server as it knows it.
	Names() (issuer, clientID string)
	// Scopes are what it is asked for.
	Scopes() []string
}

// Options of New.
type Options struct {
	Provider Provider
	Sessions *Sessions
	Secret   string // that the provider gave this server; "": none
	URL      string // https://host[:port] as which readers reach this server; "": as their requests say
	Log      *slog.Logger
	Note     func(audit.Entry) // writes an entry of the audit log
	// Refuse shows a reader why a sign-in did not come about.
	Refuse func(w http.ResponseWriter, r *http.Request, status int, why string)
}

// Middleware stands before the pages: it leads readers to the provider and back, and says whose
// session a request belongs to.
type Middleware struct {
	o   Options
	way string // what the sealed way to the provider is for

	exchanges chan struct{} // that run at a time
	comers    comers
	mu        sync.Mutex
	used      map[string]time.Time // states that came back, until they could not any more
	words     map[string]*newest   // by session
	quiet     time.Time            // until when the provider is left alone, since it did not answer
}

// mostExchanges bounds how many codes are exchanged at a time.
const mostExchanges = 16

// New makes a middleware.
func New(o Options) *Middleware {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Note == nil {
		o.Note = func(audit.Entry) {}
	}
	issuer, client := o.Provider.Names()
	return &Middleware{
		o: o, way: "login\n" + issuer + "\n" + client, exchanges: make(chan struct{}, mostExchanges),
		used: map[string]time.Time{}, words: map[string]*newest{},
	}
}

// The addresses that the middleware answers itself.
const (
	LoginPath    = "/login"
	CallbackPath = "/login/callback"
	leavePath    = "/sign-out"
)

// Header carries a reader's session to the pages, in the place of a token.
const Header = "Muster-Session"

// Handler answers its own addresses, and lets everything else through to the pages
// with the session that it belongs to.
func (m *Middleware) Handler(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+LoginPath, m.start)
	mux.HandleFunc("GET "+CallbackPath, m.finish)
	mux.HandleFunc("POST "+leavePath, func(w http.ResponseWriter, r *http.Request) {
		m.leave(w, r)
		pages.ServeHTTP(w, r)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		m.admit(w, r)
		pages.ServeHTTP(w, r)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// admit notes on a request whose session it belongs to. A session that is over is taken away.
func (m *Middleware) admit(w http.ResponseWriter, r *http.Request) {
	r.Header.Del(Header)
	sealed := readCookie(r, cookieSession)
	if sealed == "" {
		return
	}
	is, err := m.o.Sessions.open(sealed)
	fresh := false
	if err == nil {
		is, fresh, err = m.confirm(r.Context(), is)
	}
	if err != nil {
		setCookie(w, r, cookieSession, "", 0)
		return
	}
	if now := m.o.Sessions.now(); acts(r) && m.o.Sessions.limits.touches(is, now) {
		is.Seen, fresh = now, true
	}
	if fresh {
		sealed = m.keep(w, r, is, sealed)
	}
	r.Header.Set(Header, sealedPrefix+sealed)
	*r = *r.WithContext(context.WithValue(r.Context(), admittedKey{}, true))
}

// admittedKey marks requests of pages whose sessions were looked at here, where the provider is asked about them.
type admittedKey struct{}

// keep leaves a session with its reader. What stood before stays where that cannot be.
func (m *Middleware) keep(w http.ResponseWriter, r *http.Request, is session, before string) string {
	s := m.o.Sessions
	sealed, err := s.close(is)
	if err != nil || !setCookie(w, r, cookieSession, sealed, is.Began.Add(s.limits.Whole).Sub(s.now())) {
		return before
	}
	return sealed
}

// acts says whether a request is something that a reader does, and not an open page by itself.
func acts(r *http.Request) bool {
	return r.Header.Get("HX-Request") == "" && r.URL.Path != "/live" && !strings.HasPrefix(r.URL.Path, "/assets/")
}

// leave ends the session of a request.
func (m *Middleware) leave(w http.ResponseWriter, r *http.Request) {
	r.Header.Del(Header)
	sealed := readCookie(r, cookieSession)
	setCookie(w, r, cookieSession, "", 0)
	is, err := m.o.Sessions.open(sealed)
	if err != nil {
		return
	}
	m.end(is, r.RemoteAddr, "signed out")
}

// end ends a session for all who have its cookie.
func (m *Middleware) end(is session, source, why string) {
	if err := m.o.Sessions.end(is); err != nil {
		m.o.Log.Error("an ended session is not remembered beyond the end of this process", "user", is.User, "error", err)
	}
	m.mu.Lock()
	delete(m.words, is.ID)
	m.mu.Unlock()
	m.o.Note(audit.Entry{Kind: audit.SignedOut, Actor: is.identity().Principal.String(), Source: source, Token: is.name(), Text: why})
}
