package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// RoleGranted says: a principal has a role in a scope now, or has it with other bounds.
type RoleGranted struct {
	Binding fleet.Binding `json:"binding"`
}

// RoleRevoked says: a principal no longer has a role in a scope.
type RoleRevoked struct {
	Subject fleet.Principal `json:"subject"`
	Role    fleet.Role      `json:"role"`
	Scope   fleet.Scope     `json:"in"`
}

// TokenMade says: a token of a service account is good from now on. The secret is not in the log.
type TokenMade struct {
	Token fleet.ServiceToken `json:"token"`
}

// TokenRevoked says: a token of a service account is good no more.
type TokenRevoked struct {
	ID string `json:"token"`
}

func (RoleGranted) Kind() string  { return "role.granted" }  // Kind is the event's stable name.
func (RoleRevoked) Kind() string  { return "role.revoked" }  // Kind is the event's stable name.
func (TokenMade) Kind() string    { return "token.made" }    // Kind is the event's stable name.
func (TokenRevoked) Kind() string { return "token.revoked" } // Kind is the event's stable name.
