package forecast

import (
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// looksOfStep is how many nodes are looked at in the time of one decision (Options.Steps). Each visit is decided by a look at
// all nodes of its rollout, and one decision may begin many visits: the steps alone do not bound what they cost.
const looksOfStep = 20

// WithinReach says whether the rest of a rollout can be played through in so many steps, before anything is tried. What is out
// of reach would use up its time on the first path.
func WithinReach(s *fleet.State, name string, now fleet.Instant, steps int) bool {
	r := s.Kept().Rollout(name)
	if r == nil {
		return true
	}
	o := maintenance.Of(s, r, now)
	left := o.Of - o.Done - o.Failed
	return left*o.Of*fewestPaths <= steps*looksOfStep
}

// outOfReach is the end of a rollout that has too many visits left.
func outOfReach() End {
	return End{Unknown: "too many visits remain to play them all through in the time of a question", TooFar: true}
}
