package api

import (
	"context"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// usualTokenDays is how long a token is good where its maker does not say.
const usualTokenDays = 90

// rotation is how long the old token stays good beside the new one.
const rotation = time.Hour

// GrantRole gives a principal a role in a scope.
func (s accessService) GrantRole(ctx context.Context, m *musterv1.GrantRoleRequest) (*musterv1.GrantRoleResponse, error) {
	c, err := wire.ReadBinding("binding", m.GetBinding())
	w, err := s.written(ctx, m, c, err)
	if err == nil {
		s.engine.Look(func(state *fleet.State) {
			if yet := notYet(state, c.Scope); yet != "" {
				w.Notes = append(w.Notes, yet)
			}
		})
	}
	if err == nil && !w.GetDryRun() {
		s.note(ctx, audit.Roles, "granted "+string(c.Role)+" in "+c.Scope.String()+" to "+c.Subject.String())
	}
	return &musterv1.GrantRoleResponse{Written: w}, err
}

// notYet says that what a scope names is not there, which may be a slip of the pen; "": it is.
func notYet(s *fleet.State, scope fleet.Scope) string {
	const holds = "; the role holds once there is."
	switch {
	case scope.Quota != "" && s.Quota(scope.Quota) == nil:
		return "There is no quota " + scope.Quota + " yet" + holds
	case scope.Cluster != "" && s.Cluster(scope.Cluster) == nil:
		return "There is no cluster " + scope.Cluster + " yet" + holds
	case scope.Namespace != "" && !namespaceNamed(s, scope.Namespace):
		return "No work and no quota names namespace " + scope.Namespace + " yet" + holds
	}
	return ""
}

// namespaceNamed says whether there is work of a namespace, or a quota that lists it.
func namespaceNamed(s *fleet.State, namespace string) bool {
	for _, w := range s.Workloads {
		if w.Namespace == namespace {
			return true
		}
	}
	return slices.ContainsFunc(s.Quotas, func(q *fleet.Quota) bool {
		return slices.ContainsFunc(q.Access.Namespaces, func(entry string) bool { return entry[strings.LastIndex(entry, "/")+1:] == namespace }) // CLUSTER/NAMESPACE, or NAMESPACE
	})
}

// RevokeRole takes a role again.
func (s accessService) RevokeRole(ctx context.Context, m *musterv1.RevokeRoleRequest) (*musterv1.RevokeRoleResponse, error) {
	c, err := wire.ReadBinding("binding", m.GetBinding())
	w, err := s.written(ctx, m, core.RevokeRole{Subject: c.Subject, Role: c.Role, Scope: c.Scope}, err)
	if err == nil && !w.GetDryRun() {
		s.note(ctx, audit.Roles, "revoked "+string(c.Role)+" in "+c.Scope.String()+" from "+c.Subject.String())
	}
	return &musterv1.RevokeRoleResponse{Written: w}, err
}

// ListRoles lists bindings, and the table of actions.
func (s accessService) ListRoles(ctx context.Context, m *musterv1.ListRolesRequest) (*musterv1.ListRolesResponse, error) {
	out, c := &musterv1.ListRolesResponse{}, callerOf(ctx)
	all := c.may(access.ReadBindings)
	seen, err := s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		for _, b := range state.Bindings {
			wanted := (m.GetSubject() == "" || m.GetSubject() == b.Subject.String()) && (m.GetRole() == "" || m.GetRole() == string(b.Role))
			if wanted && (all || c.bears(b.Subject)) {
				out.Bindings = append(out.Bindings, wire.Binding(b))
			}
		}
		return nil
	})
	for _, r := range access.Table() {
		row := &musterv1.RoleAction{Action: string(r.Action), Means: r.Means, Everybody: r.Everybody, Own: r.Own}
		for _, role := range r.Roles {
			row.Roles = append(row.Roles, string(role))
		}
		out.Table = append(out.Table, row)
	}
	out.Seen = seen
	return out, err
}

// bears says whether a binding to a principal is one of the caller's.
func (c *caller) bears(p fleet.Principal) bool {
	if p.Kind == fleet.GroupPrincipal && c.actor.Principal.Kind == fleet.UserPrincipal {
		for _, g := range c.actor.Groups {
			if g == p.Name {
				return true
			}
		}
	}
	return p == c.actor.Principal
}

// BreakGlass makes its caller an admin for an hour.
func (s accessService) BreakGlass(ctx context.Context, m *musterv1.BreakGlassRequest) (*musterv1.BreakGlassResponse, error) {
	result, w, err := s.write(ctx, m, core.BreakGlass{})
	if err != nil {
		return nil, err
	}
	if !w.GetDryRun() {
		s.log.Warn("the glass is broken: a person is an admin for an hour", "actor", callerOf(ctx).actor.Name, "reason", m.GetWrite().GetReason())
		s.note(ctx, audit.Roles, "broke the glass: "+m.GetWrite().GetReason())
	}
	return &musterv1.BreakGlassResponse{Written: w, Until: wire.Instant(result.At.Add(core.SealOpen))}, nil
}

// CreateToken makes a token for a service account.
func (s accessService) CreateToken(ctx context.Context, m *musterv1.CreateTokenRequest) (*musterv1.CreateTokenResponse, error) {
	t, secret, w, err := s.makeToken(ctx, m, m.GetAccount(), m.GetDays())
	return &musterv1.CreateTokenResponse{Written: w, Token: t, Secret: secret}, err
}

func (s accessService) makeToken(ctx context.Context, m writeMessage, account string, days int32, before ...core.Command) (t *musterv1.Token, secret string, w *musterv1.Written, err error) {
	now := fleet.InstantOf(s.now())
	id, secret, sum := newServiceToken()
	c := core.MakeToken{ID: id, Account: account, SHA256: sum, Until: now.Add(time.Duration(orElse(days, usualTokenDays)) * 24 * time.Hour)}
	result, w, err := s.write(ctx, m, core.Batch{Commands: append(before, c)})
	switch {
	case err != nil:
		return nil, "", nil, err
	case result.Repeat:
		w.Notes = append(w.Notes, "The token was made by the same command before. Its secret was told then, and is kept nowhere: revoke it and make another if it is lost.")
		return nil, "", w, nil
	case w.GetDryRun():
		return nil, "", w, nil
	}
	s.note(ctx, audit.TokenMade, "token "+id+" for service account "+account)
	return &musterv1.Token{Id: id, Account: account, Until: wire.Instant(c.Until), Made: wire.Instant(result.At), By: callerOf(ctx).actor.Name}, secret, w, nil
}

// RotateToken makes a new token for the account of another, which stays good for an hour.
func (s accessService) RotateToken(ctx context.Context, m *musterv1.RotateTokenRequest) (*musterv1.RotateTokenResponse, error) {
	var old *fleet.ServiceToken
	var unknown *core.Refusal
	s.engine.Read(func(state *fleet.State) {
		if is := state.Token(m.GetId()); is != nil {
			c := *is
			old = &c
			return
		}
		unknown = core.UnknownToken(state, m.GetId())
	})
	if old == nil {
		return nil, unknown
	}
	t, secret, w, err := s.makeToken(ctx, m, old.Account, m.GetDays(), core.ShortenToken{ID: old.ID, Until: fleet.InstantOf(s.now()).Add(rotation)})
	return &musterv1.RotateTokenResponse{Written: w, Token: t, Secret: secret}, err
}

// RevokeToken ends a token at once.
func (s accessService) RevokeToken(ctx context.Context, m *musterv1.RevokeTokenRequest) (*musterv1.RevokeTokenResponse, error) {
	w, err := s.written(ctx, m, core.RevokeToken{ID: m.GetId()}, nil)
	if err == nil && !w.GetDryRun() {
		s.note(ctx, audit.TokenMade, "token "+m.GetId()+" is revoked")
	}
	return &musterv1.RevokeTokenResponse{Written: w}, err
}

// ListTokens lists tokens, those of the caller alone where the caller may not see all.
func (s accessService) ListTokens(ctx context.Context, m *musterv1.ListTokensRequest) (*musterv1.ListTokensResponse, error) {
	out, c := &musterv1.ListTokensResponse{}, callerOf(ctx)
	all := c.may(access.ReadBindings)
	seen, err := s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		for _, t := range state.Tokens {
			mine := c.actor.Principal == fleet.Principal{Kind: fleet.ServicePrincipal, Name: t.Account}
			if (all || mine) && (m.GetAccount() == "" || m.GetAccount() == t.Account) {
				out.Tokens = append(out.Tokens, s.token(t))
			}
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

func (s accessService) token(t *fleet.ServiceToken) *musterv1.Token {
	m := &musterv1.Token{Id: t.ID, Account: t.Account, Made: wire.Instant(t.Made), Until: wire.Instant(t.Until), By: t.By, Reason: t.Reason}
	if at, from := s.tokens.Used(t.ID); !at.IsZero() {
		m.Used, m.UsedFrom = timestamppb.New(at), from
	}
	return m
}

// AuditLog is what the API needs of the record of who did what.
type AuditLog interface {
	// Note writes an entry down.
	Note(e audit.Entry)
	// Entries are entries in order, from a number on; next is 0 at the end.
	Entries(from uint64, limit int) (list []audit.Entry, next uint64, err error)
	// Verify proves the record, and the journal by it.
	Verify(ctx context.Context) (audit.Proof, error)
}

var errNoAudit = &core.Refusal{Code: core.WrongState, Message: "this server keeps no audit log"}

// ListAudit lists entries of the audit log.
func (s accessService) ListAudit(_ context.Context, m *musterv1.ListAuditRequest) (*musterv1.ListAuditResponse, error) {
	if s.audit == nil {
		return nil, errNoAudit
	}
	list, next, err := s.audit.Entries(m.GetFrom(), orElse(m.GetLimit(), 100))
	if err != nil {
		return nil, err
	}
	out := &musterv1.ListAuditResponse{Next: next}
	for _, e := range list {
		out.Entries = append(out.Entries, &musterv1.AuditEntry{
			Seq: e.Seq, At: timestamppb.New(e.At), Kind: string(e.Kind), Actor: e.Actor, Source: e.Source, Token: e.Token, Call: e.Call, Text: e.Text,
			Times: e.Times, Version: e.Version, Chain: e.Chain,
		})
	}
	return out, nil
}

// VerifyAudit proves the audit log, and the journal by it.
func (s accessService) VerifyAudit(ctx context.Context, _ *musterv1.VerifyAuditRequest) (*musterv1.VerifyAuditResponse, error) {
	if s.audit == nil {
		return nil, errNoAudit
	}
	p, err := s.audit.Verify(ctx)
	if err != nil {
		return nil, err
	}
	return &musterv1.VerifyAuditResponse{Entries: p.Entries, Version: p.Version, Head: p.Head.String(), Broken: p.Broken}, nil
}

// note writes into the audit log what a caller did.
func (s *service) note(ctx context.Context, kind audit.Kind, text string) {
	if s.audit == nil {
		return
	}
	c := callerOf(ctx)
	s.audit.Note(audit.Entry{Kind: kind, Actor: c.actor.Name, Source: c.source, Token: c.token, Text: text})
}
