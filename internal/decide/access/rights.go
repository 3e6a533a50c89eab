package access

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Who is a caller, with what the sign-in says of it.
type Who struct {
	Principal fleet.Principal
	Groups    []string // of a user; they match bindings to groups only
	Brings    []Grant  // what the sign-in itself brings, beside bindings
}

// Grant is a role in a scope.
type Grant struct {
	Role    fleet.Role
	Scope   fleet.Scope
	Highest fleet.Priority // the most important that its work may be
}

// GrantOf is a role in a scope, with the priority that the role has by itself.
func GrantOf(role fleet.Role, scope fleet.Scope) Grant {
	row, _ := RoleOf(role)
	return Grant{role, scope, row.Limit}
}

// Rights are all grants of a caller: what the sign-in brings, and what is bound to the
// principal and to its groups and still holds.
func Rights(s *fleet.State, who Who, now fleet.Instant) []Grant {
	list := append([]Grant(nil), who.Brings...)
	list = appendBound(list, s, who.Principal, now)
	if who.Principal.Kind == fleet.UserPrincipal {
		for _, g := range who.Groups {
			list = appendBound(list, s, fleet.Principal{Kind: fleet.GroupPrincipal, Name: g}, now)
		}
	}
	return list
}

func appendBound(list []Grant, s *fleet.State, p fleet.Principal, now fleet.Instant) []Grant {
	if p.Kind == "" {
		return list
	}
	for _, b := range s.BindingsOf(p) {
		if !b.Holds(now) {
			continue
		}
		g := GrantOf(b.Role, b.Scope)
		if b.Highest != nil {
			g.Highest = *b.Highest
		}
		list = append(list, g)
	}
	return list
}

// Place is what an action touches: all that is known of where it is.
type Place struct{ Namespace, Quota, Cluster string }

// Covers says whether a scope reaches a place: that of the fleet reaches all, another one
// what names the same. What is nowhere in particular is reached by the fleet's alone.
func Covers(s fleet.Scope, at Place) bool {
	switch {
	case s.Namespace != "":
		return s.Namespace == at.Namespace
	case s.Quota != "":
		return at.Quota == s.Quota || strings.HasPrefix(at.Quota, s.Quota+"/")
	case s.Cluster != "":
		return s.Cluster == at.Cluster
	}
	return true
}

// May says whether grants allow an action at a place.
func May(grants []Grant, a Action, at Place) bool {
	for _, g := range grants {
		if allows(g.Role, a) && Covers(g.Scope, at) {
			return true
		}
	}
	return false
}

// Reads says whether grants let their holder read a workload in full: in its namespace, in the quota that it
// targets, or in the cluster where it runs or whose pods it is.
func Reads(s *fleet.State, grants []Grant, w *fleet.Workload) bool {
	at := Place{Namespace: w.Namespace, Quota: w.Target}
	if slices.ContainsFunc(grants, func(g Grant) bool { return g.Scope.Cluster != "" }) { // lists ask this of each workload, and few roles are held in a cluster
		at.Cluster = clusterOf(s, w)
	}
	return May(grants, ReadWork, at)
}

// clusterOf is where a workload runs, else where its pods are; "": nowhere yet.
func clusterOf(s *fleet.State, w *fleet.Workload) string {
	if p := s.Partition(w.Where); p != nil {
		return p.Cluster
	}
	return w.Home()
}

// MaySomewhere says whether grants allow an action at any place at all.
func MaySomewhere(grants []Grant, a Action) bool {
	for _, g := range grants {
		if allows(g.Role, a) {
			return true
		}
	}
	return false
}

// Ceiling is the most important priority that grants allow work of a namespace.
func Ceiling(grants []Grant, namespace string) fleet.Priority {
	best := fleet.Low
	for _, g := range grants {
		if allows(g.Role, SubmitWork) && Covers(g.Scope, Place{Namespace: namespace}) {
			best = min(best, g.Highest)
		}
	}
	return best
}

// RunsFleet says whether one of the grants, in whatever scope, is a role of those who run
// the fleet: what they do comes in bulk, and is not bounded like one user's.
func RunsFleet(grants []Grant) bool {
	for _, g := range grants {
		if row, _ := RoleOf(g.Role); row.Runs {
			return true
		}
	}
	return false
}

func allows(role fleet.Role, a Action) bool {
	if role == fleet.Admin {
		return true
	}
	for _, r := range rules[a].Roles {
		if r == role {
			return true
		}
	}
	return false
}

// Wanted names the roles that allow an action, in words: "manager or admin".
func Wanted(a Action) string {
	words := make([]string, 0, len(rules[a].Roles)+1)
	for _, r := range rules[a].Roles {
		words = append(words, string(r))
	}
	words = append(words, string(fleet.Admin))
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// CheckScope says what is wrong with a role held in a scope; "" for nothing.
func CheckScope(role fleet.Role, s fleet.Scope) string {
	row, known := RoleOf(role)
	if !known {
		return "there is no role " + string(role) + "; the roles are " + names()
	}
	kind := "fleet"
	switch {
	case s.Namespace != "":
		kind = "namespace"
	case s.Quota != "":
		kind = "quota"
	case s.Cluster != "":
		kind = "cluster"
	}
	if !strings.Contains(row.In, kind) {
		return string(role) + " cannot be held in " + s.String() + "; its scope is one of: " + strings.Join(strings.Fields(row.In), ", ")
	}
	return ""
}

func names() string {
	var list []string
	for _, r := range Roles() {
		list = append(list, string(r.Role))
	}
	return strings.Join(list, ", ")
}
