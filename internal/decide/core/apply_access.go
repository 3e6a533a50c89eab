package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// applyAccess applies events about who may do what.
func applyAccess(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.RoleGranted:
		s.Bind(e.Binding)
	case event.RoleRevoked:
		s.Unbind(e.Subject, e.Role, e.Scope)
	case event.TokenMade:
		s.SetToken(e.Token)
	case event.TokenRevoked:
		s.RemoveToken(e.ID)
	case event.SessionsEnded:
		s.SignOff(e.SignOff)
	case event.ProposalMade:
		s.AddProposal(e.Proposal)
	case event.ProposalEnded:
		s.EndProposal(e.ID, e.State, fleet.ProposalAnswer{Answered: at, AnsweredBy: e.By, Answer: e.Answer})
	default:
		return false
	}
	return true
}
