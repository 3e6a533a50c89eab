package core

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// applyWave puts one wave of a plan into force, in one record, if everything
// that was agreed on still stands.
func applyWave(s *fleet.State, c ApplyHaircut, now fleet.Instant) ([]event.Event, *Refusal) {
	h, refusal := findHaircut(s, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	at, refusal := waveToApply(h, c.Cluster)
	if refusal != nil {
		return nil, refusal
	}
	if h.Reviewed == 0 && s.Policy.SecondPerson {
		return nil, refuse(WrongState, "haircut %s has not been reviewed, and the policy asks for a second person to do it: muster haircut review %s", h.Name, h.Name)
	}
	w := h.Waves[at]
	for _, check := range []func() *Refusal{
		func() *Refusal { return movedOn(s, h, w, now) },
		func() *Refusal { return notReady(s, h, w) },
		func() *Refusal { return gateClosed(s, h, at, now) },
		func() *Refusal { return touchesMore(s, h, w, now) },
	} {
		if refusal := check(); refusal != nil {
			return nil, refusal
		}
	}
	events := []event.Event{event.HaircutApplied{Haircut: h.Name, Cluster: w.Cluster, Backing: backingOf(s, w)}}
	for _, part := range w.Parts {
		for _, cut := range part.Cuts {
			events = append(events, grantOf(part.Partition, cut))
		}
	}
	return events, nil
}

// waveToApply finds a cluster's wave, or the first that was never applied.
func waveToApply(h *fleet.Haircut, cluster string) (int, *Refusal) {
	if cluster == "" {
		at := slices.IndexFunc(h.Waves, func(w fleet.Wave) bool { return w.Applied == 0 })
		if at < 0 {
			return 0, noneLeft(h)
		}
		return at, nil
	}
	at := h.Wave(cluster)
	switch {
	case at < 0:
		return 0, noWave(h, cluster)
	case h.Waves[at].Done():
		return 0, refuse(NothingToDo, "the wave of haircut %s over %s was applied already, at %s; a wave is applied once",
			h.Name, cluster, h.Waves[at].Applied.Time().Format("2006-01-02 15:04:05Z"))
	}
	return at, nil
}

// noneLeft says that no wave comes next by itself: all are in force, or some were
// undone, and those somebody has to name, because somebody took them back.
func noneLeft(h *fleet.Haircut) *Refusal {
	var undone []string
	for _, w := range h.Waves {
		if !w.Done() {
			undone = append(undone, w.Cluster)
		}
	}
	if len(undone) == 0 {
		return refuse(NothingToDo, "all %d waves of haircut %s are in force", len(h.Waves), h.Name)
	}
	return refuse(WrongState, "%d of %d waves of haircut %s are in force; undone: %s. Name one to apply it again: muster haircut apply %s %s",
		len(h.Waves)-len(undone), len(h.Waves), h.Name, strings.Join(undone, ", "), h.Name, undone[0])
}

// movedOn refuses a wave whose grants, or what they may add up to, are not what
// they were when the plan was made.
func movedOn(s *fleet.State, h *fleet.Haircut, w fleet.Wave, now fleet.Instant) *Refusal {
	for _, part := range w.Parts {
		p := s.Partition(part.Partition)
		for _, c := range part.Cuts {
			if a := p.Account(c.Quota); a == nil || a.Grant != c.Was || a.Gang != c.Gang {
				return stalePlan(h, s, "the grant of %s in %s has changed since", c.Quota, p.ID)
			}
		}
		if n := p.Assigned(); n != part.Assigned {
			return stalePlan(h, s, "%s had %d GPUs assigned and has %d now", p.ID, part.Assigned, n)
		}
		if n := haircut.Sustainable(haircut.Under(s, h.Buffer), p, now); n != part.Sustainable {
			return stalePlan(h, s, "%s could sustain %d GPUs and can sustain %d now", p.ID, part.Sustainable, n)
		}
	}
	return nil
}

func stalePlan(h *fleet.Haircut, s *fleet.State, format string, args ...any) *Refusal {
	r := refuse(Stale, format, args...)
	r.Message = "haircut " + h.Name + " was made from a state that has moved on: " + r.Message + "; make a new plan"
	return r.with(map[string]int{"planned": int(h.Version), "now": int(s.Seq)})
}

func notReady(s *fleet.State, h *fleet.Haircut, w fleet.Wave) *Refusal {
	lacks := haircut.Lacks(haircut.Ready(s, w.Cluster, h))
	if len(lacks) == 0 {
		return nil
	}
	return refuse(ClusterNotReady, "cluster %s is not ready for a wave: %s", w.Cluster, strings.Join(lacks, "; "))
}

// gateClosed refuses a wave while one before it has to be looked at.
func gateClosed(s *fleet.State, h *fleet.Haircut, wave int, now fleet.Instant) *Refusal {
	for i := range h.Waves {
		if i == wave {
			continue
		}
		if stops := GateOf(s, h, i, now); len(stops) > 0 {
			return refuse(WrongState, "the wave over %s stops the next one: %s; undo it, or mend what is wrong", h.Waves[i].Cluster, strings.Join(stops, "; "))
		}
	}
	return nil
}

// brokenIn says where a wave's promise is broken: more is assigned than is
// sustainable, though the wave had brought it there.
func brokenIn(s *fleet.State, h *fleet.Haircut, w *fleet.Wave, now fleet.Instant) []string {
	var broken []string
	for _, part := range w.Parts {
		p := s.Partition(part.Partition)
		if n := haircut.Sustainable(haircut.Under(s, h.Buffer), p, now); p.Assigned() > n+part.Left {
			broken = append(broken, refuse(WrongState, "the promise in %s is broken: %d GPUs assigned, %d sustainable", p.ID, p.Assigned(), n).Message)
		}
	}
	return broken
}

// touchesMore refuses a wave that would by now touch running work which the plan
// did not name.
func touchesMore(s *fleet.State, h *fleet.Haircut, w fleet.Wave, now fleet.Instant) *Refusal {
	parts := make([]*fleet.CutPart, len(w.Parts))
	for i := range w.Parts {
		part := w.Parts[i]
		parts[i] = &part
	}
	tryHaircut(s, parts, now)
	for i, part := range parts {
		for _, t := range newly(w.Parts[i].Unprotected, part.Unprotected) {
			return stalePlan(h, s, "%d GPUs of %s would become unprotected in %s, which the plan does not say", t.GPUs, t.Workload, part.Partition)
		}
		for _, t := range newly(w.Parts[i].Evicted, part.Evicted) {
			return stalePlan(h, s, "%d GPUs of %s would be evicted in %s, which the plan does not say", t.GPUs, t.Workload, part.Partition)
		}
	}
	return nil
}

// backingOf is the present backing of a wave's partitions.
func backingOf(s *fleet.State, w fleet.Wave) []fleet.PartitionBack {
	var list []fleet.PartitionBack
	for _, part := range w.Parts {
		p := s.Partition(part.Partition)
		back := fleet.PartitionBack{
			Partition: p.ID, Promisable: p.Promisable, Regranted: p.Regranted,
			Nodes: map[string][]int{}, Touched: map[string][]int{}, Gangs: map[string]fleet.Gang{},
		}
		for _, a := range p.Accounts {
			back.Nodes[a.Quota], back.Touched[a.Quota] = slices.Clone(a.Backing), touchedBy(p, a)
			if a.GangMissing > 0 || a.GangIsland > 0 {
				back.Gangs[a.Quota] = fleet.Gang{Missing: a.GangMissing, Island: p.Islands[a.GangIsland].Name}
			}
		}
		list = append(list, back)
	}
	return list
}

func touchedBy(p *fleet.Partition, a *fleet.Account) []int {
	nodes := make([]int, len(p.Islands))
	for i := range nodes {
		nodes[i] = a.Touched(i)
	}
	return nodes
}
