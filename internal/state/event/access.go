package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// Events about who may do what: roles, the tokens of programs, sign-ins, and changes that take a
// second person. The log names people and what they may; no secret stands in it.

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

// SessionsEnded says: sign-ins of a person that began before are good no more.
type SessionsEnded struct {
	SignOff fleet.SignOff `json:"signOff"`
}

// ProposalMade says: a change waits for a second person.
type ProposalMade struct {
	Proposal fleet.Proposal `json:"proposal"`
}

// ProposalEnded says: a proposal was approved, and is done by the events that follow; or it
// was declined or withdrawn.
type ProposalEnded struct {
	ID         uint64              `json:"proposal"`
	State      fleet.ProposalState `json:"state"`
	ProposedBy string              `json:"proposedBy"`
	By         string              `json:"by"` // the second person
	Answer     string              `json:"answer,omitempty"`
}

func (RoleGranted) Kind() string   { return "role.granted" }   // Kind is the event's stable name.
func (RoleRevoked) Kind() string   { return "role.revoked" }   // Kind is the event's stable name.
func (TokenMade) Kind() string     { return "token.made" }     // Kind is the event's stable name.
func (TokenRevoked) Kind() string  { return "token.revoked" }  // Kind is the event's stable name.
func (SessionsEnded) Kind() string { return "sessions.ended" } // Kind is the event's stable name.
func (ProposalMade) Kind() string  { return "proposal.made" }  // Kind is the event's stable name.
func (ProposalEnded) Kind() string { return "proposal.ended" } // Kind is the event's stable name.
