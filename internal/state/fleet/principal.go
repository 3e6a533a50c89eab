package fleet

import (
	"strings"
)

// PrincipalKind says what a principal is. Names of different kinds never match each
// other: the user oak, the group oak and the service account oak are three principals.
type PrincipalKind string

// The kinds of principals.
const (
	UserPrincipal       PrincipalKind = "user"           // a person who signed in
	GroupPrincipal      PrincipalKind = "group"          // people whom the sign-in says belong together
	ServicePrincipal    PrincipalKind = "serviceaccount" // a program with a token of its own
	KubernetesPrincipal PrincipalKind = "kubernetes"     // a service account of a Kubernetes cluster, whose token a workload shows: NAMESPACE/NAME@CLUSTER
	ClusterPrincipal    PrincipalKind = "cluster"        // the agent of a cluster
	LocalPrincipal      PrincipalKind = "local"          // the user that the server runs as, on its own machine
)

// PrincipalKinds lists the kinds that rights can be bound to.
func PrincipalKinds() []PrincipalKind {
	return []PrincipalKind{UserPrincipal, GroupPrincipal, ServicePrincipal, KubernetesPrincipal}
}

// Principal is a person or a program that asks. The zero value is Muster's own parts.
type Principal struct {
	Kind PrincipalKind `json:"kind"`
	Name string        `json:"name"`
}

// String is the principal as it is written: user:ada.
func (p Principal) String() string {
	if p.Kind == "" {
		return p.Name
	}
	return string(p.Kind) + ":" + p.Name
}

// SignedIn says whether the principal proved who it is to a server that others can reach.
func (p Principal) SignedIn() bool {
	return p.Kind == UserPrincipal || p.Kind == ServicePrincipal || p.Kind == KubernetesPrincipal
}

// ParsePrincipal reads a principal that rights can be bound to; ok is false for anything else.
func ParsePrincipal(text string) (p Principal, ok bool) {
	kind, name, found := strings.Cut(text, ":")
	for _, k := range PrincipalKinds() {
		if found && kind == string(k) {
			return Principal{k, name}, ValidPrincipalName(name)
		}
	}
	return Principal{}, false
}

// MaxPrincipalName is how long the name of a principal may be, in bytes.
const MaxPrincipalName = 253

// ValidPrincipalName says whether a text can name a principal: no spaces, commas, colons or
// control characters. A colon would let one kind of name look like another.
func ValidPrincipalName(name string) bool {
	strange := func(r rune) bool { return r <= ' ' || r == ',' || r == ':' || r == 0x7f || r == '\u2028' }
	return name != "" && len(name) <= MaxPrincipalName && strings.IndexFunc(name, strange) < 0
}
