package health

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Needs lists the checks that a validation must hold before a node returns: those of
// the rules by which automation took it, and of those that ask for it now, no matter who
// keeps the node. In order of name.
func Needs(s *fleet.State, p *fleet.Partition, node int, now fleet.Instant) []string {
	h := p.Nodes[node].Health
	if h == nil {
		return nil
	}
	needs := slices.Clone(h.Needs)
	for _, v := range Diagnose(s, p, now).Verdicts {
		if v.Node == node {
			needs = append(needs, v.Needs...)
		}
	}
	slices.Sort(needs)
	return slices.Compact(needs)
}
