package signin

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// How often the provider is asked whether a reader is still one of its users, where Limits do
// not say it, how long its answer is waited for, and how long it is left alone after it gave none.
const (
	confirmEvery    = 8 * time.Second
	confirmPatience = 3 * time.Second
	confirmRest     = 15 * time.Second
)

// newest is the newest that is known of a session. Requests that were under way while the
// provider was asked bring an older cookie.
type newest struct {
	asking sync.Mutex
	is     session
	quiet  time.Time // until when the provider is not asked about it again, since it said neither yes nor no
}

// confirm has the provider say again now and then that a reader is one of its users, and of
// which groups. fresh: the session changed, and its cookie with it. An error: it is over.
func (m *Middleware) confirm(ctx context.Context, is session) (_ session, fresh bool, err error) {
	n := m.newest(&is, &fresh)
	if !m.due(n, is) || !n.asking.TryLock() {
		return is, fresh, nil
	}
	defer n.asking.Unlock()
	m.newest(&is, &fresh) // another request may have asked meanwhile, and what one asks with serves once
	if !m.due(n, is) {
		return is, fresh, nil
	}
	next, err := m.ask(ctx, is)
	switch {
	case errors.Is(err, errGone):
		m.end(is, "", "the provider does not confirm the session")
		return is, false, errEnded
	case err != nil:
		m.o.Log.Warn("the sign-in provider does not answer; sessions go on, and it is asked again", "error", err)
		m.rest(n, err)
		return is, fresh, nil
	}
	m.mu.Lock()
	n.is = next
	m.mu.Unlock()
	return next, true, nil
}

// rest leaves the provider alone for a while: about one session where it answered so of that one alone, else about all.
func (m *Middleware) rest(n *newest, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	until := m.o.Sessions.now().Add(confirmRest)
	if ofOne(err) {
		n.quiet = until
		return
	}
	m.quiet = until
}

// ofOne says whether an answer of the provider is about one session: it was reached, and complains neither of this
// server nor of its own state.
func ofOne(err error) bool {
	var answered *oauth2.RetrieveError
	if !errors.As(err, &answered) || answered.Response == nil || answered.Response.StatusCode >= http.StatusInternalServerError {
		return false
	}
	return answered.Response.StatusCode != http.StatusTooManyRequests && !slices.Contains(ofAll, answered.ErrorCode)
}

// ofAll are the answers by which a provider complains of this server, or of its own state.
var ofAll = []string{"invalid_client", "unauthorized_client", "temporarily_unavailable", "server_error"} //nolint:misspell // so the standard writes it

// gone are the answers by which a provider says that a reader must sign in again, or may not
// (RFC 6749, section 5.2; OpenID Connect Core, section 3.1.2.6).
var gone = []string{"invalid_grant", "interaction_required", "login_required", "consent_required", "account_selection_required", "access_denied"}

// newest is what is known of a session; a cookie that is older takes over the provider's
// newest word.
func (m *Middleware) newest(is *session, fresh *bool) *newest {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.words[is.ID]
	if n == nil {
		m.forget()
		n = &newest{is: *is}
		m.words[is.ID] = n
	}
	if n.is.Turn > is.Turn {
		seen := is.Seen
		*is, *fresh = n.is, true
		is.Seen = seen
	}
	return n
}

// mostWords is from how many on what is known of sessions that are over is forgotten.
const mostWords = 10_000

// forget takes away what is known of sessions that are over. The middleware is locked.
func (m *Middleware) forget() {
	if len(m.words) < mostWords {
		return
	}
	now := m.o.Sessions.now()
	maps.DeleteFunc(m.words, func(_ string, n *newest) bool { return m.o.Sessions.limits.Whole <= now.Sub(n.is.Began) })
}

// due says whether it is time to ask the provider about a session.
func (m *Middleware) due(n *newest, is session) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.o.Sessions.now()
	return is.Refresh != "" && now.Sub(is.Asked) >= m.o.Sessions.limits.confirm() && !now.Before(m.quiet) && !now.Before(n.quiet)
}

// errGone says that the provider does not know a reader any more.
var errGone = errors.New("the provider does not confirm it")

// ask asks the provider for another token in the place of the last. What it answers is the
// next that it can be asked with, so that this goes on although the reader's browser does not.
func (m *Middleware) ask(ctx context.Context, is session) (session, error) {
	c, err := m.config("")
	if err != nil {
		return is, err
	}
	ctx, end := context.WithTimeout(oidc.ClientContext(context.WithoutCancel(ctx), m.o.Provider.Client()), confirmPatience)
	defer end()
	token, err := c.TokenSource(ctx, &oauth2.Token{RefreshToken: is.Refresh}).Token()
	if err != nil {
		var answered *oauth2.RetrieveError
		if errors.As(err, &answered) && slices.Contains(gone, answered.ErrorCode) {
			return is, errGone
		}
		return is, err
	}
	is.Turn, is.Asked = is.Turn+1, m.o.Sessions.now()
	if token.RefreshToken != "" {
		is.Refresh = token.RefreshToken
	}
	if token.Extra("id_token") == nil {
		return is, nil // it says no more than that the session goes on
	}
	who, id, err := m.verified(ctx, token)
	switch {
	case id != nil && (err != nil || id.Subject != is.Subject || who.User != is.User):
		return is, errGone // the provider names another user, or none that the server knows
	case err != nil:
		m.o.Log.Warn("what the sign-in provider says of a session cannot be verified; it is asked again", "error", err)
		return is, nil
	}
	is.Groups = slices.Clone(who.Groups)
	return is, nil
}
