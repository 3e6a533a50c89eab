package core

import (
	"time"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// EndSessions ends one sign-in of a person, or all of them, before their time.
type EndSessions struct {
	User    string
	Session string // names one; "": all
}

func (EndSessions) command() {}

// mostSignOffs is how many of their own sign-ins a person ends one by one in signOffWindow: the
// state remembers SignOffMemory of all people's, and one person pushes out none of another's.
const (
	mostSignOffs  = 50
	signOffWindow = 24 * time.Hour
)

func endSessions(s *fleet.State, r Request, c EndSessions, now fleet.Instant) ([]event.Event, *Refusal) {
	own := r.Actor.Principal == fleet.Principal{Kind: fleet.UserPrincipal, Name: c.User}
	switch {
	case !fleet.ValidPrincipalName(c.User):
		return nil, refuse(Invalid, "%q is not the name of a user; muster session list shows them", clip(c.User))
	case len(c.Session) > fleet.MaxPrincipalName:
		return nil, refuse(Invalid, "%q names no sign-in; muster session list shows them", clip(c.Session))
	case !own && !r.Actor.may(access.EndSession, access.Place{}):
		return nil, refuse(AccessDenied, "%s may end their own sign-ins; to end those of %s takes %s", r.Actor.Name, clip(c.User), access.Wanted(access.EndSession))
	}
	if refusal := checkTexts("a sign-in", c.Session); refusal != nil {
		return nil, refusal
	}
	if c.Session != "" && own && s.SignOffsOf(c.User, now.Add(-signOffWindow)) >= mostSignOffs {
		return nil, refuse(WrongState, "%s has ended %d sign-ins one by one within a day; end all of them at once", c.User, mostSignOffs)
	}
	return one(event.SessionsEnded{SignOff: fleet.SignOff{User: c.User, Session: c.Session, At: now}})
}
