package core

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// noSuch refuses a name that none of a kind has: it says which of those there are may be meant, or what lists them.
func noSuch[T any](code Code, kind, name, lists string, known []T, nameOf func(T) string) *Refusal {
	names := make([]string, len(known))
	for i, one := range known {
		names[i] = nameOf(one)
	}
	if meant := text.Meant(name, names); meant != "" {
		return refuse(code, "there is no %s %q%s", kind, clip(name), meant)
	}
	return refuse(code, "there is no %s %q; %s", kind, clip(name), lists)
}

// NoRollout refuses the name of a rollout that there is not.
func NoRollout(s *fleet.State, name string) *Refusal {
	return noSuch(NoSuchRollout, "rollout", name, "muster rollout list shows those there are", s.Kept().Rollouts, func(r *fleet.Rollout) string { return r.Name })
}

// NoZone refuses the name of a zone that is not among those of which the caller may hear.
func NoZone(heard []*fleet.Zone, name string) *Refusal {
	return noSuch(NoSuchZone, "zone", name, "muster nfz list shows those there are", heard, func(z *fleet.Zone) string { return z.Name })
}

// NoHaircut refuses the name of a haircut that is not saved.
func NoHaircut(s *fleet.State, name string) *Refusal {
	return noSuch(NoSuchHaircut, "saved haircut", name, "muster haircut list shows those there are", s.Haircuts, func(h *fleet.Haircut) string { return h.Name })
}

func noUpdate(s *fleet.State, name string) *Refusal {
	return noSuch(NoSuchUpdate, "update", name, "muster update list shows those there are", s.Kept().Updates, func(u *fleet.NodeUpdate) string { return u.Name })
}

func noNotice(s *fleet.State, name string) *Refusal {
	return noSuch(NoSuchNotice, "maintenance", name, "muster notice list shows those there are", s.Kept().Notices, func(n *fleet.Notice) string { return n.Name })
}

func noIncident(s *fleet.State, name string) *Refusal {
	var open []*fleet.Incident
	for _, i := range s.Incidents {
		if i.Closed == 0 {
			open = append(open, i)
		}
	}
	return noSuch(NoSuchIncident, "open incident", name, "muster incident list shows those there are", open, func(i *fleet.Incident) string { return i.Name })
}
