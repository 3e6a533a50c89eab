package wire

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadBinding reads whom a role is given to.
func ReadBinding(place string, m *musterv1.RoleBinding) (core.GrantRole, error) {
	c := core.GrantRole{
		Role:  fleet.Role(m.GetRole()),
		Scope: fleet.Scope{Namespace: m.GetScope().GetNamespace(), Quota: m.GetScope().GetQuota(), Cluster: m.GetScope().GetCluster()},
	}
	var ok bool
	if c.Subject, ok = fleet.ParsePrincipal(m.GetSubject()); !ok {
		return c, Wrong(place+".subject", "is %.80q; write user:NAME, group:NAME, serviceaccount:NAME or kubernetes:NAMESPACE/NAME@CLUSTER", m.GetSubject())
	}
	if named := c.Scope; strings.Count(scopeKinds(named), " ") > 1 {
		return c, Wrong(place+".scope", "names several things; a role is held in a namespace, a quota or a cluster, or in the fleet")
	}
	if m.GetHighest() != "" {
		p, known := fleet.ParsePriority(m.GetHighest())
		if !known {
			return c, Wrong(place+".highest", "is %.40q; write critical, high, mid or low", m.GetHighest())
		}
		c.Highest = &p
	}
	if m.GetUntil() == nil {
		return c, nil
	}
	var err error
	c.Until, err = ReadInstant(place+".until", m.GetUntil())
	return c, err
}

// scopeKinds are the kinds of scope that are named, each with a space behind it.
func scopeKinds(s fleet.Scope) (kinds string) {
	if s.Namespace != "" {
		kinds += "namespace "
	}
	if s.Quota != "" {
		kinds += "quota "
	}
	if s.Cluster != "" {
		kinds += "cluster "
	}
	return kinds
}

// Binding says who has which role.
func Binding(b *fleet.Binding) *musterv1.RoleBinding {
	m := &musterv1.RoleBinding{
		Subject: b.Subject.String(), Role: string(b.Role), By: b.By, Since: Instant(b.Since), Reason: b.Reason, Sealed: b.Sealed,
		Scope: &musterv1.Scope{Namespace: b.Scope.Namespace, Quota: b.Scope.Quota, Cluster: b.Scope.Cluster},
	}
	if b.Highest != nil {
		m.Highest = b.Highest.String()
	}
	if b.Until != 0 {
		m.Until = Instant(b.Until)
	}
	return m
}

// Proposal is a change that waits for a second person, with what came of it.
func Proposal(p *fleet.Proposal) *musterv1.Proposal {
	m := &musterv1.Proposal{
		Id: p.ID, About: p.About, Command: p.Command, Change: p.Change, Says: p.Says, By: p.By, Reason: p.Reason, At: Instant(p.At),
		State: string(p.State), AnsweredBy: p.AnsweredBy, Answer: p.Answer,
	}
	if p.Answered != 0 {
		m.Answered = Instant(p.Answered)
	}
	return m
}
