package view

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// LettersNow are the messages for the people whom a saved haircut concerns, to those who answer for
// its quotas now: an owner who was named since the plan was saved is told too.
func LettersNow(s *fleet.State, h *fleet.Haircut, name func(workload string) string) []Letter {
	now := *h
	now.Waves = slices.Clone(h.Waves)
	for i := range now.Waves {
		parts := slices.Clone(now.Waves[i].Parts)
		for k := range parts {
			address(s, &parts[k])
		}
		now.Waves[i].Parts = parts
	}
	return letters(&now, name)
}

// address names who answers now for each cut and for all work that a part of a plan touches.
func address(s *fleet.State, p *fleet.CutPart) {
	p.Cuts = slices.Clone(p.Cuts)
	for i := range p.Cuts {
		p.Cuts[i].Owner = cmp.Or(s.OwnerOf(p.Cuts[i].Quota), p.Cuts[i].Owner)
	}
	for _, list := range []*[]fleet.Touched{&p.Unprotected, &p.Evicted, &p.Requeued, &p.Known} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Owner = cmp.Or(s.OwnerOf((*list)[i].Quota), (*list)[i].Owner)
		}
	}
}
