package fleet

import (
	"cmp"
	"slices"
	"strings"
)

// Role is the name of a set of actions that belong together. What each allows is in the
// table of the room access.
type Role string

// The roles.
const (
	Viewer        Role = "viewer"
	Researcher    Role = "researcher"
	TeamLead      Role = "team-lead"
	QuotaLead     Role = "quota-owner"
	Monitor       Role = "monitor"
	FleetEngineer Role = "fleet-engineer"
	Manager       Role = "manager"
	Builder       Role = "builder"
	Auditor       Role = "auditor"
	Admin         Role = "admin"
	// BreakGlass is an admin under seal: it allows nothing but to become admin for an hour.
	BreakGlass Role = "break-glass"
)

// Scope is where a role holds: one of a namespace, a quota with those below it, or a
// cluster; none: the whole fleet.
type Scope struct {
	Namespace string `json:"namespace,omitempty"`
	Quota     string `json:"quota,omitempty"`
	Cluster   string `json:"cluster,omitempty"`
}

// String is the scope as people write it: namespace oak, quota research, cluster tiger, fleet.
func (s Scope) String() string {
	switch {
	case s.Namespace != "":
		return "namespace " + s.Namespace
	case s.Quota != "":
		return "quota " + s.Quota
	case s.Cluster != "":
		return "cluster " + s.Cluster
	}
	return "the fleet"
}

// Binding says that a principal has a role in a scope.
type Binding struct {
	Subject Principal `json:"subject"`
	Role    Role      `json:"role"`
	Scope   Scope     `json:"scope"`
	// Highest is the most important priority that work may have by this binding; nil: the role's own.
	Highest *Priority `json:"highest,omitempty"`
	By      string    `json:"by"` // who bound it
	Reason  string    `json:"reason"`
	Since   Instant   `json:"since"`
	Until   Instant   `json:"until,omitempty"` // 0: until it is revoked
	// Sealed says that it is an admin's for an hour, by breaking the glass.
	Sealed bool `json:"sealed,omitempty"`
}

// Holds says whether the binding is in force at a moment.
func (b *Binding) Holds(now Instant) bool { return b.Until == 0 || now < b.Until }

// Bind adds a binding, or replaces the one of the same subject, role and scope.
func (s *State) Bind(b Binding) {
	at, found := s.bindingAt(b.Subject, b.Role, b.Scope)
	if found {
		s.Bindings[at] = &b
		return
	}
	s.Bindings = slices.Insert(s.Bindings, at, &b)
}

// Binding finds a binding, or nil.
func (s *State) Binding(subject Principal, role Role, scope Scope) *Binding {
	if at, found := s.bindingAt(subject, role, scope); found {
		return s.Bindings[at]
	}
	return nil
}

// Unbind takes a binding away.
func (s *State) Unbind(subject Principal, role Role, scope Scope) {
	if at, found := s.bindingAt(subject, role, scope); found {
		s.Bindings = slices.Delete(slices.Clone(s.Bindings), at, at+1)
	}
}

// BindingsOf are the bindings of a principal, in order.
func (s *State) BindingsOf(p Principal) []*Binding {
	from, _ := slices.BinarySearchFunc(s.Bindings, p, func(b *Binding, p Principal) int { return comparePrincipals(b.Subject, p) })
	to := from
	for to < len(s.Bindings) && s.Bindings[to].Subject == p {
		to++
	}
	return s.Bindings[from:to]
}

func (s *State) bindingAt(subject Principal, role Role, scope Scope) (int, bool) {
	want := &Binding{Subject: subject, Role: role, Scope: scope}
	return slices.BinarySearchFunc(s.Bindings, want, compareBindings)
}

func compareBindings(a, b *Binding) int {
	return cmp.Or(comparePrincipals(a.Subject, b.Subject), cmp.Compare(a.Role, b.Role), strings.Compare(a.Scope.Namespace, b.Scope.Namespace),
		strings.Compare(a.Scope.Quota, b.Scope.Quota), strings.Compare(a.Scope.Cluster, b.Scope.Cluster))
}

func comparePrincipals(a, b Principal) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
}
