package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// applyWave puts one wave of a plan into force, in one record, if everything
// that was decided still stands, and what people were told, or a reason is given.
func applyWave(s *fleet.State, r Request, c ApplyHaircut, now fleet.Instant) ([]event.Event, *Refusal) {
	h, refusal := findHaircut(s, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	at, refusal := waveToApply(h, c.Cluster, c.Class)
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
		func() *Refusal { return tooEarly(r, c, h, now) },
		func() *Refusal { return touchesUntold(s, r, h, w, now) },
	} {
		if refusal := check(); refusal != nil {
			return nil, refusal
		}
	}
	events := []event.Event{event.HaircutApplied{Haircut: h.Name, Cluster: w.Cluster, Class: w.Class, Backing: backingOf(s, w, now)}}
	for _, part := range w.Parts {
		for _, cut := range part.Cuts {
			events = append(events, grantOf(part.Partition, cut))
		}
	}
	return events, nil
}

// tooEarly refuses a wave before the day that people were told, unless who applies it says that it shall be early, and why. A
// reason alone does not say that: many give one with every command.
func tooEarly(r Request, c ApplyHaircut, h *fleet.Haircut, now fleet.Instant) *Refusal {
	switch {
	case h.Effective <= now:
		return nil
	case !c.Early:
		return r.refused(refuse(TooEarly, "people were told that no wave of haircut %s takes effect before %s; apply it then, or now with --early and a reason", h.Name, text.Weekday(h.Effective.Time())))
	}
	return r.reasoned("people were told that no wave of haircut %s takes effect before %s; say why it does (--reason)", h.Name, text.Weekday(h.Effective.Time()))
}

// waveToApply finds the wave that is asked for. Without a cluster it is the first
// that was never applied, whose cluster has no earlier wave that was undone.
func waveToApply(h *fleet.Haircut, cluster string, class fleet.CutClass) (int, *Refusal) {
	if cluster == "" {
		at := slices.IndexFunc(h.Waves, func(w fleet.Wave) bool {
			return w.Applied == 0 && (class == "" || class == w.Class) && nextIn(h, w.Cluster) == h.Wave(w.Cluster, w.Class)
		})
		if at < 0 {
			return 0, noneLeft(h, class)
		}
		return at, nil
	}
	if len(h.WavesOf(cluster)) == 0 || class != "" && h.Wave(cluster, class) < 0 {
		return 0, noWave(h, cluster, class)
	}
	next := nextIn(h, cluster)
	at := next
	if class != "" {
		at = h.Wave(cluster, class)
	}
	switch {
	case at < 0:
		all := h.WavesOf(cluster)
		return 0, appliedAlready(h, all[len(all)-1])
	case h.Waves[at].Done():
		return 0, appliedAlready(h, at)
	case at != next:
		return 0, comesFirst(h, next)
	}
	return at, nil
}

func appliedAlready(h *fleet.Haircut, wave int) *Refusal {
	return refuse(NothingToDo, "%s was applied already, at %s; a wave is applied once", waveName(h, wave), momentText(h.Waves[wave].Applied))
}

// nextIn is the first wave over a cluster that is not in force, or −1.
func nextIn(h *fleet.Haircut, cluster string) int {
	for _, i := range h.WavesOf(cluster) {
		if !h.Waves[i].Done() {
			return i
		}
	}
	return -1
}

// waveName is a wave as messages call it: by its number in the plan, and by the words that pages and tables have for
// what it cuts.
func waveName(h *fleet.Haircut, wave int) string {
	w := &h.Waves[wave]
	name := fmt.Sprintf("wave %d of haircut %s (%s", wave+1, h.Name, w.Cluster)
	if w.Class != fleet.CutAll {
		name += ": " + w.Class.Says()
	}
	return name + ")"
}

// noneLeft says why no wave comes next by itself, of a class or of any. There is none; or all are in force; or waves of
// other classes come first; or some were undone, and those a person has to name, because a person took them back.
func noneLeft(h *fleet.Haircut, class fleet.CutClass) *Refusal {
	of := slices.DeleteFunc(indexes(h), func(i int) bool { return class != "" && h.Waves[i].Class != class })
	left := slices.DeleteFunc(slices.Clone(of), func(i int) bool { return h.Waves[i].Done() })
	name := "haircut " + h.Name
	if class != "" {
		name += " (" + class.Says() + ")"
	}
	switch undone := undoneAhead(h, left); {
	case len(of) == 0:
		return noWave(h, "", class)
	case len(left) == 0 && len(of) == 1:
		return refuse(NothingToDo, "the wave of %s is in force", name)
	case len(left) == 0:
		return refuse(NothingToDo, "all %d waves of %s are in force", len(of), name)
	case len(undone) > 0:
		return refuse(WrongState, "%s of %s of %s %s in force; undone: %s. Name one to apply it again: muster haircut apply %s %s",
			text.Group(len(of)-len(left)), text.Count(len(of), "wave"), name, text.Verb(len(of), "is", "are"), strings.Join(undone, ", "), h.Name, undone[0])
	}
	return comesFirst(h, nextIn(h, h.Waves[left[0]].Cluster))
}

// indexes are those of all waves of a plan.
func indexes(h *fleet.Haircut) (all []int) {
	for i := range h.Waves {
		all = append(all, i)
	}
	return all
}

// undoneAhead are the clusters of waves whose next wave was undone.
func undoneAhead(h *fleet.Haircut, waves []int) (clusters []string) {
	for _, i := range waves {
		cluster := h.Waves[i].Cluster
		if h.Waves[nextIn(h, cluster)].Undone != 0 && !slices.Contains(clusters, cluster) {
			clusters = append(clusters, cluster)
		}
	}
	return clusters
}

func comesFirst(h *fleet.Haircut, wave int) *Refusal {
	return refuse(WrongState, "%s comes first: each class is cut from what the one before left", waveName(h, wave))
}

func notReady(s *fleet.State, h *fleet.Haircut, w fleet.Wave) *Refusal {
	if lacks := haircut.Lacks(haircut.Ready(s, w.Cluster, h)); len(lacks) > 0 {
		return refuse(NotReadyForWave, "%s", lacking(w.Cluster, lacks))
	}
	return nil
}

// StopsAhead is why a wave will be refused even once its people are told, as far as the fleet
// shows it now; empty: nothing does. The plan need not be saved.
func StopsAhead(s *fleet.State, h *fleet.Haircut, wave int) string {
	w := &h.Waves[wave]
	if lacks := haircut.Ahead(haircut.Ready(s, w.Cluster, h)); len(lacks) > 0 && !w.Done() {
		return lacking(w.Cluster, lacks)
	}
	return ""
}

func lacking(cluster string, lacks []string) string {
	return fmt.Sprintf("cluster %s is not ready for a wave: %s", cluster, strings.Join(lacks, "; "))
}

// gateClosed refuses a wave while one before it has to be looked at.
func gateClosed(s *fleet.State, h *fleet.Haircut, wave int, now fleet.Instant) *Refusal {
	for i := range h.Waves {
		if i == wave {
			continue
		}
		if stops := GateOf(s, h, i, now); len(stops) > 0 {
			return refuse(WrongState, "%s stops the next one: %s; undo it, or mend what is wrong", waveName(h, i), strings.Join(stops, "; "))
		}
	}
	return nil
}

// backingOf is the present backing of a wave's partitions.
func backingOf(s *fleet.State, w fleet.Wave, now fleet.Instant) []fleet.PartitionBack {
	var list []fleet.PartitionBack
	for _, part := range w.Parts {
		p := s.Partition(part.Partition)
		back := fleet.PartitionBack{
			Partition: p.ID, Promisable: p.Promisable, Assigned: assignedAndHeld(s, p, now), Regranted: p.Regranted,
			Nodes: map[string][]int{}, Touched: map[string][]int{}, Gangs: map[string]fleet.Gang{},
		}
		for _, a := range p.Accounts {
			back.Nodes[a.Quota], back.Touched[a.Quota] = slices.Clone(a.Backing), touchedBy(p, a)
			if a.GangMissing > 0 || a.GangIsland > 0 {
				back.Gangs[a.Quota] = fleet.Gang{Missing: a.GangMissing, Island: p.IslandName(a.GangIsland)}
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
