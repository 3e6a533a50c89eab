package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The headers that say more about a request than its message does.
const (
	headerAs    = "Muster-As"       // the user that an operator acts for
	headerKey   = "Idempotency-Key" // for messages that carry none themselves
	headerToken = "Muster-Token"    // who asks, where Authorization does not come through
)

// headerOf is the first value of a header whose name is written as HTTP's libraries keep it. Get first makes that
// form of a name, which takes longer than to look it up, and a call asks for ten.
func headerOf(h http.Header, name string) string {
	if list := h[name]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// Identity is who a caller is.
type Identity struct {
	User     string // as the log and access lists know it
	Groups   []string
	Operator bool // everything is allowed
	// Principal is the identity that was proved; the zero value: this server asks for no proof.
	Principal fleet.Principal
	Holds     []access.Grant // roles that the sign-in brings, beside those that are bound
	Token     string         // names what was shown, for the audit log; never the secret
	Began     time.Time      // when a person signed in; zero: it is not known
	By        string         // how a person signed in: pages, command-line or tokens-file
}

// Authenticator says who sends a request.
type Authenticator interface {
	// Identify says who sends the request, or in an error why that is not known and what to do.
	Identify(r *http.Request) (Identity, error)
	// Find is what is known of a user that another acts for; ok is false for nothing.
	Find(user string) (who Identity, ok bool)
}

// caller is what a request says about itself beside its message, and what it may.
type caller struct {
	actor  core.Actor
	key    string // idempotency key from the header
	source string // where it comes from
	token  string
	rights []access.Grant
	runs   bool // who answers for the call runs the fleet
	// openReading: the policy lets everybody who signs in read all work.
	openReading bool
	// recheck judges the caller again, while a stream goes on; nil: there is no request behind it.
	recheck func() error
	edges   *edges // of the call; nil: nothing of it is counted
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
// refusal to act for another person.
func (s *Server) identify(r *http.Request) (*caller, error) {
	c := &caller{source: sourceOf(r)}
	who, err := s.proof(r)
	if err != nil {
		return c, &unknownCaller{err}
	}
	if err := s.signedOff(who); err != nil {
		return c, &unknownCaller{err}
	}
	s.signIns.note(who, c.source, s.now())
	c.token, c.actor = who.Token, actorOf(who)
	c.actor.Unnamed = s.signIn && who.Principal.Kind == fleet.LocalPrincipal
	c.rights, c.openReading = s.rightsOf(c.actor)
	c.runs = c.runsFleet()
	if as := actsFor(r); as != "" && as != who.User {
		if c.actor, err = s.actFor(c, as); err != nil {
			return c, err
		}
		c.rights, c.openReading = s.rightsOf(c.actor)
	}
	c.key = headerOf(r.Header, headerKey)
	if len(c.key) > maxKey {
		return c, wire.Wrong("Idempotency-Key", "has %d bytes; at most %d are kept", len(c.key), maxKey)
	}
	return c, nil
}

// runsFleet says whether the caller's roles are those of people and programs that run the
// fleet, so that the bounds on what they ask are an operator's.
func (c *caller) runsFleet() bool { return c.actor.Operator || access.RunsFleet(c.rights) }

// rightsOf are the roles of an actor that are in force now, and whether the policy lets everybody read all work.
func (s *Server) rightsOf(a core.Actor) (rights []access.Grant, openReading bool) {
	if a.Operator || a.Principal.Kind == "" {
		return a.Brings, false
	}
	return s.rightsNow(access.Who{Principal: a.Principal, Groups: a.Groups, Brings: a.Brings})
}

// rightsNow asks the state for the roles of one who brings a proof.
func (s *Server) rightsNow(who access.Who) (rights []access.Grant, openReading bool) {
	now := fleet.InstantOf(s.now())
	s.engine.Peek(func(state *fleet.State) {
		rights = access.Rights(state, who, now)
		openReading = state.Policy.OpenReading
	})
	return rights, openReading
}

// unknownCaller says why a caller is not known.
type unknownCaller struct{ why error }

func (u *unknownCaller) Error() string { return u.why.Error() }
func (u *unknownCaller) Unwrap() error { return u.why }

func actorOf(who Identity) core.Actor {
	a := core.Actor{User: who.User, Groups: who.Groups, Operator: who.Operator, Principal: who.Principal, Brings: who.Holds}
	switch {
	case who.Operator:
		a.Name = "operator:" + who.User
	case who.Principal.Kind == fleet.ServicePrincipal || who.Principal.Kind == fleet.KubernetesPrincipal:
		a.Name = who.Principal.String()
	default:
		a.Name = "user:" + who.User
	}
	return a
}

// actsFor is the user that a caller asks to act for, also where it is written as records have it; "": none.
func actsFor(r *http.Request) string {
	return strings.TrimPrefix(headerOf(r.Header, headerAs), "user:")
}

// actFor is the actor of a caller who acts for a user, with that user's groups and rights
// and no more.
func (s *Server) actFor(c *caller, as string) (core.Actor, error) {
	own := c.actor
	switch {
	case !own.Operator && !access.MaySomewhere(c.rights, access.ActFor):
		return core.Actor{}, &core.Refusal{Code: core.NotOperator, Message: own.User + " is not an operator; only operators can act for others: leave out " + headerAs + " (--as), or ask an operator"}
	case !fleet.ValidPrincipalName(as):
		return core.Actor{}, wire.Wrong(headerAs, "is not the name of a user: 1 to %d characters without spaces, commas and colons", fleet.MaxPrincipalName)
	}
	other, _ := s.auth.Find(as)
	a := core.Actor{Name: own.Name + " for user:" + as, User: as, Groups: other.Groups, Brings: other.Holds, Unnamed: own.Unnamed}
	if own.Principal.SignedIn() || s.signIn {
		a.Principal = fleet.Principal{Kind: fleet.UserPrincipal, Name: as}
	}
	return a, nil
}

var errNoToken = errors.New("no token: send the header Authorization: Bearer TOKEN (--token, or MUSTER_TOKEN)")

// errNotSignedIn is what who shows nothing is told where people sign in at a provider.
var errNotSignedIn = errors.New("you are not signed in here: muster login signs you in; a program shows a token (--token, or MUSTER_TOKEN)")

// unknown is what who shows nothing is told.
func (list SignIns) unknown() error {
	if slices.ContainsFunc(list, func(a Authenticator) bool { _, is := a.(*OIDC); return is }) {
		return errNotSignedIn
	}
	return errNoToken
}

// bearerOf is the token that a request bears; "": none.
func bearerOf(r *http.Request) string {
	bearer, ok := strings.CutPrefix(headerOf(r.Header, "Authorization"), "Bearer ")
	if !ok { // a proxy on the way may take that for its own: a Kubernetes API server
		bearer = headerOf(r.Header, headerToken)
	}
	return bearer
}

// SignIns is an Authenticator of several: the first that knows what a request shows says who
// sends it. One that knows nothing of it answers with ErrNotMine.
type SignIns []Authenticator

// ErrNotMine says that what a request shows is of another kind of sign-in.
var ErrNotMine = errors.New("of another kind")

// Identify asks one after the other.
func (list SignIns) Identify(r *http.Request) (Identity, error) {
	alone := r.Context().Value(elsewhereKey{}) != nil
	for _, one := range list {
		if _, asks := one.(asksOthers); asks && alone {
			continue
		}
		who, err := one.Identify(r)
		if !errors.Is(err, ErrNotMine) {
			return who, err
		}
	}
	return Identity{}, list.unknown()
}

// proves says whether a request proves by its connection alone who sends it.
func (list SignIns) proves(r *http.Request) bool {
	for _, one := range list {
		if p, ok := one.(prover); ok && p.proves(r) {
			return true
		}
	}
	return false
}

// prover is an Authenticator that knows connections.
type prover interface{ proves(r *http.Request) bool }

// Forwardable says whether a request may be sent on to the server that leads. Where callers
// are known by their connection they must be known here: the leader sees the connection of
// this server, and would take every caller for its user.
func (s *Server) Forwardable(r *http.Request) bool {
	if !knowsConnections(s.auth) {
		return true // the request carries its own proof
	}
	_, err := s.auth.Identify(r)
	return err == nil
}

func knowsConnections(a Authenticator) bool {
	if list, is := a.(SignIns); is {
		return slices.ContainsFunc(list, knowsConnections)
	}
	_, is := a.(prover)
	return is
}

// Find asks one after the other.
func (list SignIns) Find(user string) (Identity, bool) {
	for _, one := range list {
		if who, ok := one.Find(user); ok {
			return who, true
		}
	}
	return Identity{}, false
}
