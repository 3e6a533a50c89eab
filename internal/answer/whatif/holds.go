package whatif

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// So many holds are tried together.
const holdsTogether = 16

// holds tries that holds inside its quota end: one of them, else the fewest, in
// the order in which they do. Until then their holders can be asked.
func (x *search) holds() {
	a := x.account()
	if a == nil || !x.has(reason.Held) {
		return
	}
	list := slices.DeleteFunc(slices.Clone(a.InsideHolds()), func(h *fleet.Hold) bool { return h.For(x.w) })
	slices.SortStableFunc(list, func(g, h *fleet.Hold) int { return cmp.Compare(g.Until, h.Until) })
	for _, h := range list[:min(len(list), endsTried)] {
		if x.tryKeep(x.over(a, []*fleet.Hold{h})) {
			return
		}
	}
	c, ok := x.least(min(len(list), holdsTogether), func(n int) Change { return x.over(a, list[:n]) }, 0)
	x.keep(c, ok, 0)
}

// over is the change that holds are over.
func (x *search) over(a *fleet.Account, list []*fleet.Hold) Change {
	c := Change{Kind: Holds, Class: reason.Ask, Quota: a.Quota, Partition: x.at().ID}
	for _, h := range list {
		c.Names = append(c.Names, fmt.Sprintf("hold %d of %s for %s", h.ID, text.Count(h.GPUs, "GPU"), h.Holder()))
		c.Commands = append(c.Commands, core.ReleaseHold{ID: h.ID})
		c.GPUs += h.GPUs
		c.By = max(c.By, h.Until)
	}
	return c
}
