package haircut

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Effect is what one policy would lead to on one basis.
type Effect struct {
	Clusters    int `json:"clusters"`    // above the line: with a partition that has more assigned than sustainable
	Sustainable int `json:"sustainable"` // GPUs
	Excess      int `json:"excess"`      // GPUs assigned above sustainable
	Quotas      int `json:"quotas"`      // that are cut somewhere
	People      int `json:"people"`      // owners of those quotas
	BelowGang   int `json:"belowGang"`   // grants that fall below the gang they declare
	Cut         Sums
}

// EffectOf sums up a plan.
func EffectOf(h *fleet.Haircut) Effect {
	var e Effect
	above, quotas, people := map[string]bool{}, map[string]bool{}, map[string]bool{}
	parts := Parts(h)
	for _, part := range slices.Concat(parts, h.Fit) { // on the basis quota one of Fit may be above the line and lose nothing
		e.Sustainable += part.Sustainable
		e.Excess += part.Excess
		if cluster, _, _ := strings.Cut(part.Partition, "/"); part.Excess > 0 {
			above[cluster] = true
		}
		for _, c := range part.Cuts {
			quotas[c.Quota] = true
			if c.Owner != "" {
				people[c.Owner] = true
			}
			if c.BelowGang() {
				e.BelowGang++
			}
		}
	}
	e.Clusters, e.Quotas, e.People, e.Cut = len(above), len(quotas), len(people), SumsOf(parts)
	return e
}
