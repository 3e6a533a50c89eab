package access_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func bound(list ...fleet.Binding) *fleet.State {
	s := fleet.NewState()
	for _, b := range list {
		s.Bind(b)
	}
	return s
}

func user(name string, groups ...string) access.Who {
	return access.Who{Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: name}, Groups: groups}
}

func binding(subject string, role fleet.Role, scope fleet.Scope) fleet.Binding {
	p, ok := fleet.ParsePrincipal(subject)
	if !ok {
		panic(subject)
	}
	return fleet.Binding{Subject: p, Role: role, Scope: scope}
}

// The user oak, the group oak and the service account oak are three principals.
func TestNamesOfDifferentKindsNeverMatch(t *testing.T) {
	callers := map[string]access.Who{
		"user:oak":           user("oak"),
		"group:oak":          user("ada", "oak"),
		"serviceaccount:oak": {Principal: fleet.Principal{Kind: fleet.ServicePrincipal, Name: "oak"}},
		"cluster:oak":        {Principal: fleet.Principal{Kind: fleet.ClusterPrincipal, Name: "oak"}},
		"local:oak":          {Principal: fleet.Principal{Kind: fleet.LocalPrincipal, Name: "oak"}, Groups: []string{"oak"}},
		"nobody named oak":   {Groups: []string{"oak"}},
	}
	for _, subject := range []string{"user:oak", "group:oak", "serviceaccount:oak"} {
		s := bound(binding(subject, fleet.Manager, fleet.Scope{}))
		for name, who := range callers {
			if got := access.May(access.Rights(s, who, 1), access.ManageQuota, access.Place{}); got != (name == subject) {
				t.Errorf("%s is bound: %s may is %v", subject, name, got)
			}
		}
	}
}

func TestAScopeReachesItsOwnPlacesAlone(t *testing.T) {
	oak, research, tiger := fleet.Scope{Namespace: "oak"}, fleet.Scope{Quota: "research"}, fleet.Scope{Cluster: "tiger"}
	cases := []struct {
		scope fleet.Scope
		at    access.Place
		want  bool
	}{
		{fleet.Scope{}, access.Place{}, true},
		{fleet.Scope{}, access.Place{Cluster: "lion"}, true},
		{oak, access.Place{Namespace: "oak"}, true},
		{oak, access.Place{Namespace: "oak@tiger"}, false},
		{oak, access.Place{Quota: "oak"}, false},
		{oak, access.Place{}, false},
		{research, access.Place{Quota: "research"}, true},
		{research, access.Place{Quota: "research/oak"}, true},
		{research, access.Place{Quota: "researchers"}, false},
		{research, access.Place{}, false},
		{tiger, access.Place{Cluster: "tiger"}, true},
		{tiger, access.Place{Cluster: "lion"}, false},
		{tiger, access.Place{}, false},
	}
	for _, c := range cases {
		if got := access.Covers(c.scope, c.at); got != c.want {
			t.Errorf("%s covers %+v: %v", c.scope, c.at, got)
		}
	}
}

func TestABindingEndsAtItsMoment(t *testing.T) {
	b := binding("user:ada", fleet.Admin, fleet.Scope{})
	b.Until = 100
	s := bound(b)
	for now, want := range map[fleet.Instant]bool{99: true, 100: false, 101: false} {
		if got := access.May(access.Rights(s, user("ada"), now), access.SetPolicy, access.Place{}); got != want {
			t.Errorf("at %d: %v", now, got)
		}
	}
}

func TestThePriorityOfANamespaceIsThatOfItsBestRole(t *testing.T) {
	lead := binding("user:ada", fleet.TeamLead, fleet.Scope{Namespace: "birch"})
	low := fleet.Low
	capped := binding("user:ada", fleet.Researcher, fleet.Scope{Namespace: "elm"})
	capped.Highest = &low
	s := bound(binding("user:ada", fleet.Researcher, fleet.Scope{Namespace: "oak"}), lead, capped)
	grants := access.Rights(s, user("ada"), 1)
	for namespace, want := range map[string]fleet.Priority{"oak": fleet.High, "birch": fleet.Critical, "elm": fleet.Low, "fir": fleet.Low} {
		if got := access.Ceiling(grants, namespace); got != want {
			t.Errorf("%s: %v, want %v", namespace, got, want)
		}
	}
}

// Every row of the table has words, and every role that it names is one; an action has one row.
func TestTheTableIsWhole(t *testing.T) {
	seen := map[access.Action]bool{}
	for _, r := range access.Table() {
		if r.Means == "" || seen[r.Action] {
			t.Errorf("row %q: words %q, seen before: %v", r.Action, r.Means, seen[r.Action])
		}
		seen[r.Action] = true
		for _, role := range r.Roles {
			if _, known := access.RoleOf(role); !known {
				t.Errorf("row %q names role %q, which there is not", r.Action, role)
			}
		}
	}
	for _, r := range access.Roles() {
		if wrong := access.CheckScope(r.Role, fleet.Scope{Namespace: "oak"}); (wrong == "") != (r.Role == fleet.Viewer || r.Role == fleet.Researcher || r.Role == fleet.TeamLead) {
			t.Errorf("role %s in a namespace: %q", r.Role, wrong)
		}
	}
}

// Fleet engineers, managers and admins run the fleet, wherever they hold the role; other
// roles do not.
func TestWhoRunsTheFleet(t *testing.T) {
	for _, row := range access.Roles() {
		want := row.Role == fleet.FleetEngineer || row.Role == fleet.Manager || row.Role == fleet.Admin
		grants := []access.Grant{access.GrantOf(fleet.Viewer, fleet.Scope{}), access.GrantOf(row.Role, fleet.Scope{Quota: "research"})}
		if access.RunsFleet(grants) != want {
			t.Errorf("%s runs the fleet: %v", row.Role, !want)
		}
	}
	if access.RunsFleet(nil) {
		t.Error("a caller without a role runs the fleet")
	}
}

// A role is held only where it makes sense, and a refusal says where that is.
func TestARoleIsHeldOnlyInItsKindsOfScope(t *testing.T) {
	scopes := map[string]fleet.Scope{"fleet": {}, "namespace": {Namespace: "oak"}, "quota": {Quota: "research"}, "cluster": {Cluster: "tiger"}}
	for role, in := range map[fleet.Role]string{
		fleet.Viewer: "namespace quota cluster fleet", fleet.Researcher: "namespace fleet", fleet.QuotaLead: "quota fleet",
		fleet.FleetEngineer: "cluster fleet", fleet.Admin: "fleet",
	} {
		for kind, scope := range scopes {
			if wrong := access.CheckScope(role, scope); (wrong == "") != strings.Contains(in, kind) {
				t.Errorf("%s in a scope of kind %s: %q", role, kind, wrong)
			}
		}
	}
	if wrong := access.CheckScope("king", fleet.Scope{}); !strings.Contains(wrong, "no role king") {
		t.Errorf("a role that does not exist: %q", wrong)
	}
}

func TestARefusalNamesTheRolesThatMay(t *testing.T) {
	for action, want := range map[access.Action]string{
		access.BindRoles:    "admin",
		access.AnswerQuota:  "manager or admin",
		access.AnswerAccess: "quota-owner, manager or admin",
	} {
		if got := access.Wanted(action); got != want {
			t.Errorf("%s takes %q, want %q", action, got, want)
		}
	}
}
