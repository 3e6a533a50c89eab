package core

import (
	"encoding/hex"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Commands about who may do what.
type (
	// GrantRole gives a principal a role in a scope. It needs a reason.
	GrantRole struct {
		Subject fleet.Principal
		Role    fleet.Role
		Scope   fleet.Scope
		Highest *fleet.Priority // nil: as the role has it
		Until   fleet.Instant   // 0: until it is revoked
	}
	// RevokeRole takes a role from a principal again.
	RevokeRole struct {
		Subject fleet.Principal
		Role    fleet.Role
		Scope   fleet.Scope
	}
	// BreakGlass makes who has the role break-glass an admin for SealOpen. It needs a reason.
	BreakGlass struct{}
	// MakeToken makes a token of a service account. The secret never comes here.
	MakeToken struct {
		ID, Account, SHA256 string
		Until               fleet.Instant
	}
	// ShortenToken has a token end earlier than it would.
	ShortenToken struct {
		ID    string
		Until fleet.Instant
	}
	// RevokeToken ends a token.
	RevokeToken struct{ ID string }
)

func (GrantRole) command()    {}
func (RevokeRole) command()   {}
func (BreakGlass) command()   {}
func (MakeToken) command()    {}
func (ShortenToken) command() {}
func (RevokeToken) command()  {}

// SealOpen is how long a person who broke the glass is an admin.
const SealOpen = time.Hour

// MaxTokenLife is how long a token may be good.
const MaxTokenLife = 366 * 24 * time.Hour

// MaxBindings and MaxTokens bound what the state keeps of them.
const (
	MaxBindings = 50_000
	MaxTokens   = 10_000
)

func grantRole(s *fleet.State, r Request, c GrantRole, now fleet.Instant) ([]event.Event, *Refusal) {
	if refusal := checkSubject(c.Subject); refusal != nil {
		return nil, refusal
	}
	if wrong := access.CheckScope(c.Role, c.Scope); wrong != "" {
		return nil, refuse(Invalid, "%s", wrong)
	}
	if refusal := checkTexts("a scope", c.Scope.Namespace, c.Scope.Quota, c.Scope.Cluster); refusal != nil {
		return nil, refusal
	}
	switch {
	case c.Until != 0 && c.Until <= now:
		return nil, refuse(Invalid, "the role would end before it begins; give a moment to come, or none")
	case c.Highest != nil && (*c.Highest < fleet.Critical || *c.Highest > fleet.Low):
		return nil, refuse(Invalid, "unknown priority %v", *c.Highest)
	case len(s.Bindings) >= MaxBindings:
		return nil, refuse(WrongState, "there are %d bindings, as many as are kept; bind groups instead of people", len(s.Bindings))
	}
	if refusal := r.reasoned("a role is granted with a reason: say why %s shall be %s (--reason)", c.Subject, c.Role); refusal != nil {
		return nil, refusal
	}
	if grantedAlready(s, c, now) {
		return nil, nil
	}
	return one(event.RoleGranted{Binding: fleet.Binding{
		Subject: c.Subject, Role: c.Role, Scope: c.Scope, Highest: c.Highest, By: r.Actor.Name, Reason: r.Reason, Since: now, Until: c.Until,
	}})
}

// grantedAlready says whether the role is held just as it is to be granted. Who bound it, when and why does not count.
func grantedAlready(s *fleet.State, c GrantRole, now fleet.Instant) bool {
	has := s.Binding(c.Subject, c.Role, c.Scope)
	return has != nil && has.Holds(now) && !has.Sealed && has.Until == c.Until && sameHighest(has.Highest, c.Highest)
}

func sameHighest(a, b *fleet.Priority) bool { return a == b || a != nil && b != nil && *a == *b }

func checkSubject(p fleet.Principal) *Refusal {
	if _, ok := fleet.ParsePrincipal(p.String()); !ok {
		return refuse(Invalid, "a role cannot be given to %q; write user:NAME, group:NAME, serviceaccount:NAME or kubernetes:NAMESPACE/NAME@CLUSTER", clip(p.String()))
	}
	return nil
}

func revokeRole(s *fleet.State, c RevokeRole) ([]event.Event, *Refusal) {
	if s.Binding(c.Subject, c.Role, c.Scope) == nil {
		return nil, refuse(NoSuchBinding, "%s does not have role %s in %s", clip(c.Subject.String()), clip(string(c.Role)), clip(c.Scope.String()))
	}
	return one(event.RoleRevoked(c))
}

func breakGlass(s *fleet.State, r Request, _ BreakGlass, now fleet.Instant) ([]event.Event, *Refusal) {
	if refusal := r.reasoned("the glass is broken with a reason, which everybody sees; say why (--reason)"); refusal != nil {
		return nil, refusal
	}
	if refusal := checkSubject(r.Actor.Principal); refusal != nil {
		return nil, refuse(WrongState, "%s did not sign in: an operator of this machine is an admin already", r.Actor.Name)
	}
	if has := s.Binding(r.Actor.Principal, fleet.Admin, fleet.Scope{}); has != nil && has.Holds(now) && !has.Sealed {
		return nil, refuse(NothingToDo, "%s is an admin already", r.Actor.Name)
	}
	return one(event.RoleGranted{Binding: fleet.Binding{
		Subject: r.Actor.Principal, Role: fleet.Admin, By: r.Actor.Name, Reason: r.Reason, Since: now, Until: now.Add(SealOpen), Sealed: true,
	}})
}

func makeToken(s *fleet.State, r Request, c MakeToken, now fleet.Instant) ([]event.Event, *Refusal) {
	sum, err := hex.DecodeString(c.SHA256)
	switch {
	case !fleet.ValidPrincipalName(c.ID):
		return nil, refuse(Invalid, "%q cannot name a token: no spaces, commas and colons", clip(c.ID))
	case !fleet.ValidPrincipalName(c.Account):
		return nil, refuse(Invalid, "%q cannot name a service account: no spaces, commas and colons", clip(c.Account))
	case err != nil || len(sum) != 32:
		return nil, refuse(Invalid, "a token is kept as its SHA-256, in hex")
	case c.Until <= now || c.Until > now.Add(MaxTokenLife):
		return nil, refuse(Invalid, "a token is good until a moment within a year")
	case s.Token(c.ID) != nil:
		return nil, refuse(NameTaken, "there is a token %s already", c.ID)
	case len(s.Tokens) >= MaxTokens:
		return nil, refuse(WrongState, "there are %s, as many as are kept; revoke those that are not used", text.Count(len(s.Tokens), "token"))
	}
	return one(event.TokenMade{Token: fleet.ServiceToken{ID: c.ID, Account: c.Account, SHA256: c.SHA256, Made: now, Until: c.Until, By: r.Actor.Name, Reason: r.Reason}})
}

func shortenToken(s *fleet.State, c ShortenToken) ([]event.Event, *Refusal) {
	t := s.Token(c.ID)
	if t == nil {
		return nil, UnknownToken(s, c.ID)
	}
	if t.Until <= c.Until {
		return nil, nil
	}
	shorter := *t
	shorter.Until = c.Until
	return one(event.TokenMade{Token: shorter})
}

// mostTokensNamed is how many tokens of an account a refusal names.
const mostTokensNamed = 5

// UnknownToken says that no token has a name; where an account has it, which tokens are the account's.
func UnknownToken(s *fleet.State, id string) *Refusal {
	var list []string
	for _, t := range s.Tokens {
		if t.Account == id {
			list = append(list, t.ID)
		}
	}
	switch n := len(list); {
	case n == 0:
		return refuse(NoSuchToken, "there is no token %q; muster token list shows them", clip(id))
	case n > mostTokensNamed:
		return refuse(NoSuchToken, "%s is a service account, and no token; muster token list --account %s shows its %s", id, id, text.Count(n, "token"))
	}
	return refuse(NoSuchToken, "%s is a service account, and no token; its tokens: %s", id, strings.Join(list, ", "))
}

func revokeToken(s *fleet.State, c RevokeToken) ([]event.Event, *Refusal) {
	if s.Token(c.ID) == nil {
		return nil, UnknownToken(s, c.ID)
	}
	return one(event.TokenRevoked(c))
}

// ChangesCallers says whether an event changes what fleet.State.Callers copies: who may call, and the policy.
func ChangesCallers(is event.Event) bool {
	switch is.(type) {
	case event.RoleGranted, event.RoleRevoked, event.TokenMade, event.TokenRevoked, event.SessionsEnded, event.PolicySet:
		return true
	}
	return false
}
