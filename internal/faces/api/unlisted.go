package api

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// admitsLocal says whether a server lets its own user in by that alone. Then people do not sign in.
func admitsLocal(a Authenticator) bool {
	if list, is := a.(SignIns); is {
		for _, one := range list {
			if admitsLocal(one) {
				return true
			}
		}
	}
	_, is := a.(*Local)
	return is
}

// signsIn says whether quotas without an access list are closed, to a caller at least: people sign
// in here, or the caller itself did.
func (s *service) signsIn(c *caller) bool { return s.signIn || c.actor.Principal.SignedIn() }

// targets says whether the caller may target a quota, as a submission by it is judged.
func (c *caller) targets(state *fleet.State, q *fleet.Quota, namespace string, at fleet.Instant) bool {
	return core.MayTarget(state, c.actor, q, fleet.Spec{User: c.actor.User, Groups: c.actor.Groups, Namespace: namespace}, at)
}

// noteUnlisted says of a quota that was left without an access list who may target it.
func (s *service) noteUnlisted(ctx context.Context, w *musterv1.Written, list *musterv1.Access) {
	is := wire.ReadAccess(list)
	if in := s.signsIn(callerOf(ctx)); w != nil && is.Unlisted() {
		w.Notes = append(w.Notes, words.UnlistedOf(&musterv1.Quota{Open: is.Open(in), Closed: is.Closed(in)}).Says)
	}
}
