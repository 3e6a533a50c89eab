package api

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// The headers that say more about a request than its message does.
const (
	headerAs    = "Muster-As"       // the user that an operator acts for
	headerKey   = "Idempotency-Key" // for messages that carry none themselves
	headerToken = "Muster-Token"    // who asks, where Authorization does not come through
)

// Identity is who a caller is.
type Identity struct {
	User     string
	Groups   []string
	Operator bool
}

// Authenticator says who sends a request. Full sign-in will be one more of these.
type Authenticator interface {
	// Identify says who sends the request, or in an error why that is not known and what to do.
	Identify(r *http.Request) (Identity, error)
	// Find is what is known of a user that somebody acts for; ok is false for nothing.
	Find(user string) (who Identity, ok bool)
}

// caller is what a request says about itself beside its message.
type caller struct {
	actor core.Actor
	key   string // idempotency key from the header
}

type callerKey struct{}

func withCaller(ctx context.Context, c *caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerOf is the caller that the server found for a request; without one the
// request came past the server, which is a mistake of ours.
func callerOf(ctx context.Context) *caller {
	return ctx.Value(callerKey{}).(*caller)
}

// identify finds the caller of a request. The error is one of sign-in, or the
// refusal to act for somebody else.
func identify(a Authenticator, r *http.Request) (*caller, error) {
	who, err := a.Identify(r)
	if err != nil {
		return nil, &unknownCaller{err}
	}
	actor, err := actorFor(a, who, r.Header.Get(headerAs))
	if err != nil {
		return nil, err
	}
	key := r.Header.Get(headerKey)
	if len(key) > maxKey {
		return nil, wire.Wrong("Idempotency-Key", "has %d bytes; at most %d are kept", len(key), maxKey)
	}
	return &caller{actor, key}, nil
}

// unknownCaller says why a caller is not known.
type unknownCaller struct{ why error }

func (u *unknownCaller) Error() string { return u.why.Error() }
func (u *unknownCaller) Unwrap() error { return u.why }

var userName = regexp.MustCompile(`^[^\s,]{1,253}$`)

// actorFor is the actor of a caller's commands: the caller, or the user that an
// operator acts for, with that user's groups and rights and no more.
func actorFor(a Authenticator, who Identity, as string) (core.Actor, error) {
	own := core.Actor{Name: "user:" + who.User, User: who.User, Groups: who.Groups, Operator: who.Operator}
	if who.Operator {
		own.Name = "operator:" + who.User
	}
	switch {
	case as == "" || as == who.User:
		return own, nil
	case !who.Operator:
		return core.Actor{}, &core.Refusal{Code: core.NotOperator, Message: who.User + " is not an operator; only operators can act for others: leave out " + headerAs + " (--as), or ask an operator"}
	case !userName.MatchString(as):
		return core.Actor{}, wire.Wrong(headerAs, "is not the name of a user: 1 to 253 characters without spaces and commas")
	}
	other, _ := a.Find(as)
	return core.Actor{Name: own.Name + " for user:" + as, User: as, Groups: other.Groups}, nil
}

var errNoToken = errors.New("no token: send the header Authorization: Bearer TOKEN (--token, or MUSTER_TOKEN)")
