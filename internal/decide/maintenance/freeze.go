package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// borne says whether a visit leaves a node in service although it freezes it: all work there bears so long a freeze
// (maintenance §1). The node has no room, so nothing starts there that might not.
func borne(n *fleet.Node, b *Bundle) bool {
	if b.Impact != fleet.ImpactFreeze || b.Freeze <= 0 || n.Room() > 0 || len(n.Residents()) == 0 || !n.State.Usable() {
		return false
	}
	return !slices.ContainsFunc(n.Residents(), func(r fleet.Resident) bool { return r.Phase != fleet.Running || r.Workload.BearsFreeze < b.Freeze })
}

// disturbs says whether what a bundle brings to a node disturbs the work there.
func disturbs(n *fleet.Node, b *Bundle) bool { return b.Impact.Disturbs() && !borne(n, b) }
