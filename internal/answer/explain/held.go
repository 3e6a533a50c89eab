package explain

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// held says that its quota has the room, and others hold it; or that it would have, were all of its grant backed.
func (q *question) held(a *fleet.Account, n counts) (Blocker, bool) {
	if !n.heldBack() && !n.heldOfGrant(a.Grant) {
		return Blocker{}, false
	}
	var holders, names []string
	var next Next
	unused := a.Standing()
	for _, h := range a.InsideHolds() {
		if h.For(q.w) || unused.LeftOf(h) == 0 {
			continue
		}
		names = append(names, fmt.Sprintf("hold %d for %s", h.ID, h.Holder()))
		holders = append(holders, h.Holder())
		if next.At == 0 || h.Until < next.At {
			next = Next{h.Until, fmt.Sprintf("hold %d of %s for %s ends", h.ID, text.Count(h.GPUs, "GPU"), h.Holder())}
		}
	}
	return block(reason.Held, q.p, map[string]int{"needs": q.gpus, "backed": a.BackedGPUs(), "usage": a.Usage(), "held": n.heldUnused}, names,
		"%s has %s backed; %s %s in use%s, and %s are held for %s and unused. It needs %s.",
		a.Quota, text.Count(a.BackedGPUs(), "GPU"), text.Group(a.Usage()), text.Verb(a.Usage(), "is", "are"), givesWay(a, n.unevictable), text.Group(n.heldUnused), strings.Join(holders, " and "), text.Group(q.gpus)).until(next), true
}
