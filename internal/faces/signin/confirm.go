package signin

import (
	"context"
	"errors"
	"maps"
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
}

// confirm has the provider say again now and then that a reader is one of its users, and of
// which groups. fresh: the session changed, and its cookie with it. An error: it is over.
func (m *Middleware) confirm(ctx context.Context, is session) (_ session, fresh bool, err error) {
	n := m.newest(&is, &fresh)
	if !m.due(is) || !n.asking.TryLock() {
		return is, fresh, nil
	}
	defer n.asking.Unlock()
	m.newest(&is, &fresh) // another request may have asked meanwhile, and what one asks with serves once
	if !m.due(is) {
		return is, fresh, nil
	}
	next, err := m.ask(ctx, is)
	switch {
	case errors.Is(err, errGone):
		m.end(is, "", "the provider does not confirm the session")
		return is, false, errEnded
	case err != nil:
		m.o.Log.Warn("the sign-in provider does not answer; sessions go on, and it is asked again", "error", err)
		m.mu.Lock()
		m.quiet = m.o.Sessions.now().Add(confirmRest)
		m.mu.Unlock()
		return is, fresh, nil
	}
	m.mu.Lock()
	n.is = next
	m.mu.Unlock()
	return next, true, nil
}

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
func (m *Middleware) due(is session) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.o.Sessions.now()
	return is.Refresh != "" && now.Sub(is.Asked) >= m.o.Sessions.limits.confirm() && !now.Before(m.quiet)
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
		if errors.As(err, &answered) && answered.ErrorCode == "invalid_grant" {
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
