package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/run/audit"
)

// way is what the server must know when a reader comes back from the provider. The reader's
// browser keeps it, sealed: another browser cannot end what this one began.
type way struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`    // ties the ID token to this sign-in
	Verifier string    `json:"verifier"` // ties the code to this sign-in (PKCE)
	Callback string    `json:"callback"`
	Back     string    `json:"back"` // the page where the reader was
	At       time.Time `json:"at"`
}

// wayLasts is how long a reader has to sign in at the provider.
const wayLasts = 10 * time.Minute

// config is how the provider is asked.
func (m *Middleware) config(callback string) (*oauth2.Config, error) {
	at, err := m.o.Provider.Endpoint()
	if err != nil {
		return nil, err
	}
	if m.o.Secret == "" {
		at.AuthStyle = oauth2.AuthStyleInParams // a public client has nothing to show first, and a code serves once
	}
	_, client := m.o.Provider.Names()
	return &oauth2.Config{ClientID: client, ClientSecret: m.o.Secret, Endpoint: at, RedirectURL: callback, Scopes: m.o.Provider.Scopes()}, nil
}

// start sends a reader to the provider.
func (m *Middleware) start(w http.ResponseWriter, r *http.Request) {
	harden(w)
	to := way{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Callback: m.callback(r), Back: frame.OwnPath(r.URL.Query().Get("back")), At: m.o.Sessions.now(),
	}
	c, err := m.config(to.Callback)
	if err != nil {
		m.refuse(w, r, http.StatusServiceUnavailable, err)
		return
	}
	sealed, err := m.o.Sessions.seal.close(m.way, to)
	if err != nil || !setCookie(w, r, cookieWay, sealed, wayLasts) {
		to.Back = "/"
		sealed, _ = m.o.Sessions.seal.close(m.way, to) // what is in it now is short
		setCookie(w, r, cookieWay, sealed, wayLasts)
	}
	http.Redirect(w, r, c.AuthCodeURL(to.State, oidc.Nonce(to.Nonce), oauth2.S256ChallengeOption(to.Verifier)), http.StatusFound)
}

// callback is where the provider sends a reader back. It takes only addresses that this
// server gave it.
func (m *Middleware) callback(r *http.Request) string {
	if m.o.URL != "" {
		return strings.TrimRight(m.o.URL, "/") + CallbackPath
	}
	at := url.URL{Scheme: "http", Host: r.Host, Path: CallbackPath}
	if secure(r) {
		at.Scheme = "https"
	}
	return at.String()
}

// harden keeps what is in an address of a sign-in to browser and server.
func harden(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// finish lets a reader in after the provider sent them back.
func (m *Middleware) finish(w http.ResponseWriter, r *http.Request) {
	harden(w)
	begun, err := m.begun(r)
	setCookie(w, r, cookieWay, "", 0)
	if err != nil {
		m.refuse(w, r, http.StatusBadRequest, err)
		return
	}
	if said := r.URL.Query().Get("error"); said != "" {
		m.refuse(w, r, http.StatusForbidden, fmt.Errorf("the provider refused: %s", printable(said+" "+r.URL.Query().Get("error_description"))))
		return
	}
	leave, ok := m.comers.enter(api.AddressOf(r), m.o.Sessions.now())
	if !ok {
		m.refuse(w, r, http.StatusServiceUnavailable, errCrowd)
		return
	}
	is, status, err := m.exchange(r.Context(), begun, r.URL.Query().Get("code"))
	leave(status == http.StatusForbidden)
	if err != nil {
		m.refuse(w, r, status, err)
		return
	}
	if m.keep(w, r, is, "") == "" {
		m.refuse(w, r, http.StatusForbidden, errors.New("the provider says more of you than a session can hold; have it send fewer groups"))
		return
	}
	m.o.Note(audit.Entry{Kind: audit.SignedIn, Actor: is.identity().Principal.String(), Source: r.RemoteAddr, Token: is.name(), Call: LoginPath})
	http.Redirect(w, r, begun.Back, http.StatusSeeOther)
}

// begun is the sign-in that a request claims to end.
func (m *Middleware) begun(r *http.Request) (begun way, err error) {
	state := r.URL.Query().Get("state")
	switch err := m.o.Sessions.seal.open(m.way, readCookie(r, cookieWay), &begun); {
	case err != nil:
		return way{}, errors.New("this browser did not begin a sign-in here, or its cookie is gone; begin again")
	case subtle.ConstantTimeCompare([]byte(state), []byte(begun.State)) != 1:
		return way{}, errors.New("the answer belongs to another sign-in; begin again")
	case m.o.Sessions.now().Sub(begun.At) >= wayLasts:
		return way{}, fmt.Errorf("the sign-in took longer than %v; begin again", wayLasts)
	}
	return begun, nil
}

var (
	errCrowd = errors.New("there are too many sign-ins from your address at this moment, or too many failed a moment ago; try again")
	errBusy  = errors.New("too many people sign in at this moment; try again")
)

// exchange has the provider say who came back with a code. It is done once with each state.
func (m *Middleware) exchange(ctx context.Context, begun way, code string) (is session, status int, err error) {
	select {
	case m.exchanges <- struct{}{}:
		defer func() { <-m.exchanges }()
	default:
		return session{}, http.StatusServiceUnavailable, errBusy
	}
	c, err := m.config(begun.Callback)
	if err != nil {
		return session{}, http.StatusServiceUnavailable, err
	}
	if !m.first(begun.State) {
		return session{}, http.StatusBadRequest, errors.New("this sign-in was ended already; begin again")
	}
	token, err := c.Exchange(oidc.ClientContext(ctx, m.o.Provider.Client()), code, oauth2.VerifierOption(begun.Verifier))
	if err != nil {
		m.o.Log.Info("a code was not exchanged", "error", err)
		return session{}, failed(err), errors.New("the provider did not confirm the sign-in; begin again")
	}
	who, id, err := m.verified(ctx, token)
	switch {
	case err != nil:
		return session{}, http.StatusForbidden, err
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(begun.Nonce)) != 1:
		return session{}, http.StatusForbidden, errors.New("the ID token was made for another sign-in; begin again")
	}
	is = newSession(who, id.Subject, m.o.Sessions.now())
	is.Refresh = token.RefreshToken
	return is, 0, nil
}

// failed is what an exchange that failed is answered with: the code was wrong, or the
// provider is not there.
func failed(err error) int {
	var answered *oauth2.RetrieveError
	if errors.As(err, &answered) && answered.Response.StatusCode < http.StatusInternalServerError {
		return http.StatusForbidden
	}
	return http.StatusServiceUnavailable
}

// verified is the user of the ID token that comes with a token.
func (m *Middleware) verified(ctx context.Context, token *oauth2.Token) (api.Identity, *oidc.IDToken, error) {
	text, ok := token.Extra("id_token").(string)
	if !ok {
		return api.Identity{}, nil, errors.New("the provider gave no ID token")
	}
	return m.o.Provider.Verified(ctx, text)
}

// mostUsed bounds how many states are remembered. Beyond it no reader signs in for a while.
const mostUsed = 100_000

// first says whether a state comes back for the first time.
func (m *Middleware) first(state string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.o.Sessions.now()
	if len(m.used) >= mostUsed {
		maps.DeleteFunc(m.used, func(_ string, until time.Time) bool { return now.After(until) })
	}
	if _, again := m.used[state]; again || len(m.used) >= mostUsed {
		return false
	}
	m.used[state] = now.Add(wayLasts)
	return true
}

// refuse says why a reader did not come in, to the reader and the audit log.
func (m *Middleware) refuse(w http.ResponseWriter, r *http.Request, status int, why error) {
	m.o.Note(audit.Entry{Kind: audit.Unknown, Source: r.RemoteAddr, Call: r.URL.Path, Text: why.Error()})
	m.o.Refuse(w, r, status, "You are not signed in: "+why.Error()+".")
}

// printable is what a browser claims that the provider said, short and in one line.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
	return strings.TrimSpace(text[:min(len(text), 200)])
}
