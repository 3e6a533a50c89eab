package api

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// signIns are the sign-ins of people that this server has seen since it started.
type signIns struct {
	mu   sync.Mutex
	seen map[string]signIn
}

// signIn is one of a person, and when and from where it was used last.
type signIn struct {
	id, user, by string
	began, used  time.Time
	from         string
}

// mostSignIns bounds what is remembered; beyond it, those that were not used for longest go.
const mostSignIns = 10_000

// note remembers that a person was here.
func (p *signIns) note(who Identity, source string, now time.Time) {
	if who.Principal.Kind != fleet.UserPrincipal || who.By == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[string]signIn{}
	}
	if _, known := p.seen[who.Token]; !known && len(p.seen) >= mostSignIns {
		p.forget()
	}
	p.seen[who.Token] = signIn{who.Token, who.User, who.By, who.Began, now, source}
}

// forget lets go of the half that was not used for longest. It is locked.
func (p *signIns) forget() {
	for _, one := range p.sorted()[mostSignIns/2:] {
		delete(p.seen, one.id)
	}
}

// sorted are the sign-ins, the one that was used last first. It is locked.
func (p *signIns) sorted() []signIn {
	list := make([]signIn, 0, len(p.seen))
	for _, one := range p.seen {
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b signIn) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.id, b.id)) })
	return list
}

// list are the sign-ins of a user, or of all.
func (p *signIns) list(user string) []signIn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(p.sorted(), func(one signIn) bool { return user != "" && one.user != user })
}

// errSignedOff says that a sign-in was ended by who may.
var errSignedOff = errors.New("the sign-in was ended; sign in again")

// signedOff refuses a sign-in of a person that was ended before its time.
func (s *Server) signedOff(who Identity) error {
	if who.Principal.Kind != fleet.UserPrincipal || who.Began.IsZero() {
		return nil
	}
	return s.endedSignIn(who.User, who.Token, fleet.InstantOf(who.Began))
}

// endedSignIn is signedOff of a person's sign-in.
func (s *Server) endedSignIn(user, token string, began fleet.Instant) (err error) {
	s.engine.Peek(func(state *fleet.State) { // a long look of another caller's keeps this one waiting for nothing
		if state.SignedOff(user, token, began) {
			err = errSignedOff
		}
	})
	return err
}
