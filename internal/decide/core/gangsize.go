package core

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// gangTooLarge refuses a declared gang that is larger than it was and than what
// every island can sustain: it could never be used in one piece (semantics §4).
// nil: some island sustains it, or it did not grow.
func gangTooLarge(s *fleet.State, p *fleet.Partition, was, gang int, now fleet.Instant) *Refusal {
	if gang <= was {
		return nil
	}
	best, most := -1, 0
	for i, nodes := range promise.SustainableShares(s, p, now) {
		if best < 0 || nodes > most {
			best, most = i, nodes
		}
	}
	largest := most * p.GPUsPerNode
	if gang <= largest {
		return nil
	}
	where := fmt.Sprintf("%s has no islands yet", p.ID)
	if best >= 0 {
		where = fmt.Sprintf("the largest that would do is %d GPUs, in island %s under its policy %s", largest, p.Islands[best].Name, s.BufferFor(p, best))
	}
	return refuse(GangTooLarge, "no island of %s can sustain a gang of %d GPUs: %s; declare a smaller gang, or overcommit with a reason", p.ID, gang, where).
		with(map[string]int{"gang": gang, "largest": largest})
}
