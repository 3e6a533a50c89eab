package signin

import (
	"crypto/rand"
	"errors"
	"time"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// session is who a reader is, as the sealed cookie has it.
type session struct {
	ID      string    `json:"id"`
	User    string    `json:"user"`
	Groups  []string  `json:"groups,omitempty"`
	Subject string    `json:"sub"`   // the user's lasting name at the provider
	Began   time.Time `json:"began"` // when its reader signed in
	Seen    time.Time `json:"seen"`  // when its reader did something last, roughly
	word
}

// word is what the provider said of a session last.
type word struct {
	Asked   time.Time `json:"asked"`
	Turn    int       `json:"turn"`              // how often it was asked
	Refresh string    `json:"refresh,omitempty"` // with which it is asked the next time; "": it gave none
}

// Why a session is over.
var (
	errIdle    = errors.New("the session ended, since it was not used; sign in again")
	errOld     = errors.New("the session ended, since it began long ago; sign in again")
	errEnded   = errors.New("the session was ended; sign in again")
	errPages   = errors.New("a session is for the pages alone; muster login signs in from the command line")
	errForeign = errors.New("the session is none of this server; sign in again")
)

func newSession(who api.Identity, subject string, now time.Time) session {
	return session{ID: rand.Text(), User: who.User, Groups: who.Groups, Subject: subject, Began: now, Seen: now, word: word{Asked: now}}
}

// identity is the reader as the API knows callers.
func (s session) identity() api.Identity {
	return api.Identity{
		User: s.User, Groups: s.Groups, Token: s.name(), Began: s.Began, By: "pages",
		Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: s.User},
	}
}

// name is what a session is called in the audit log. It does not give the session away.
func (s session) name() string { return "session:" + s.ID[:8] }

// Limits are how long sessions last.
type Limits struct {
	Idle  time.Duration // without anything that its reader does
	Whole time.Duration // at all
	// Confirm is how often the provider is asked whether a reader who does something is still
	// one of its users; 0: every 8 s, so that who is removed there is out within 10.
	Confirm time.Duration
}

func (l Limits) confirm() time.Duration {
	if l.Confirm > 0 {
		return l.Confirm
	}
	return confirmEvery
}

// over says why a session is over at a moment; nil: it is not.
func (l Limits) over(s session, now time.Time) error {
	switch {
	case now.Sub(s.Seen) >= l.Idle:
		return errIdle
	case now.Sub(s.Began) >= l.Whole:
		return errOld
	}
	return nil
}

// touchEvery is how often at most a cookie is made anew because its reader does something.
const touchEvery = 5 * time.Minute

// touches says whether what a reader does is worth a new cookie.
func (l Limits) touches(s session, now time.Time) bool {
	return now.Sub(s.Seen) >= min(touchEvery, l.Idle/10)
}
