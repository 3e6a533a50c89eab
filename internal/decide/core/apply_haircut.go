package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func applyHaircut(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.HaircutPlanned:
		s.AddHaircut(e.Haircut)
	case event.HaircutDeleted:
		s.RemoveHaircut(e.Haircut)
	case event.HaircutReviewed:
		h := s.Haircut(e.Haircut)
		h.Reviewed, h.ReviewedBy = at, e.By
	case event.HaircutTold:
		h := s.Haircut(e.Haircut)
		for _, cluster := range e.Clusters {
			for _, i := range h.WavesOf(cluster) {
				h.Waves[i].Told, h.Waves[i].ToldBy = at, e.By
			}
		}
	case event.HaircutApplied:
		h := s.Haircut(e.Haircut)
		w := &h.Waves[h.Wave(e.Cluster, e.Class)]
		w.Applied, w.Undone, w.Backing = at, 0, e.Backing
	case event.HaircutUndone:
		h := s.Haircut(e.Haircut)
		h.Waves[h.Wave(e.Cluster, e.Class)].Undone = at
	default:
		return false
	}
	return true
}
