package explain

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// held says that its quota has the room, and others hold it.
func (q *question) held(a *fleet.Account, n counts) (Blocker, bool) {
	if !n.heldBack() {
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
			next = Next{h.Until, fmt.Sprintf("hold %d of %d GPUs for %s ends", h.ID, h.GPUs, h.Holder())}
		}
	}
	return block(reason.Held, q.p, map[string]int{"needs": q.gpus, "backed": a.BackedGPUs(), "usage": n.earlier, "held": n.heldUnused}, names,
		"%s has %d GPUs backed; %d are in use, and %d are held for %s and unused. It needs %d.",
		a.Quota, a.BackedGPUs(), n.earlier, n.heldUnused, strings.Join(holders, " and "), q.gpus).until(next), true
}
