package core

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// CheckAsk refuses what no plan can be made for.
func CheckAsk(s *fleet.State, ask haircut.Ask) *Refusal {
	if ask.Basis != fleet.BasisCluster && ask.Basis != fleet.BasisQuota {
		return refuse(Invalid, "%q is no basis of a haircut; it is cluster (cut only the excess) or quota (every grant × (1 − buffer))", clip(string(ask.Basis)))
	}
	if ask.Scope != "" && s.Partition(ask.Scope) == nil && s.Cluster(ask.Scope) == nil {
		if strings.Contains(ask.Scope, "/") {
			return NoPartition(s, ask.Scope)
		}
		return NoCluster(s, ask.Scope)
	}
	if ask.Buffer == nil {
		return nil
	}
	check := fleet.DefaultPolicy()
	check.Buffer = *ask.Buffer
	if err := check.Check(); err != nil {
		return refuse(Invalid, "%v", err)
	}
	return nil
}

func planHaircut(s *fleet.State, r Request, c PlanHaircut, now fleet.Instant) ([]event.Event, *Refusal) {
	name := c.Name
	for n := len(s.Haircuts) + 1; name == ""; n++ {
		if made := fmt.Sprintf("haircut-%d", n); s.Haircut(made) == nil {
			name = made
		}
	}
	if refusal := checkName("haircut", name); refusal != nil {
		return nil, refusal
	}
	if s.Haircut(name) != nil {
		return nil, refuse(NameTaken, "haircut %q exists already; choose another name", name)
	}
	if c.Effective != 0 && c.Effective <= now {
		return nil, refuse(Invalid, "waves cannot take effect from %s on: that is past; name a moment to come, or none", text.Weekday(c.Effective.Time()))
	}
	h, refusal := DraftHaircut(s, c.Ask, now)
	if refusal != nil {
		return nil, refusal
	}
	if len(h.Waves) == 0 {
		return nil, nothingToCut(c.Ask)
	}
	h.Name, h.By, h.ByUser = name, r.Actor.Name, r.Actor.User
	h.Reason, h.Effective = r.Reason, c.Effective
	return one(event.HaircutPlanned{Haircut: h})
}

// nothingToCut refuses to keep a plan without cuts.
func nothingToCut(ask haircut.Ask) *Refusal {
	if ask.Basis == fleet.BasisQuota {
		return refuse(NothingToDo, "there is nothing to cut: the policy keeps nothing back of what is assigned in %s, or nothing is assigned there; another policy may", scopeName(ask.Scope))
	}
	return refuse(NothingToDo, "there is nothing to cut: everywhere in %s assigned is within sustainable; the basis quota cuts what is assigned even so", scopeName(ask.Scope))
}

func scopeName(scope string) string {
	if scope == "" {
		return "the fleet"
	}
	return scope
}

func findHaircut(s *fleet.State, name string) (*fleet.Haircut, *Refusal) {
	if h := s.Haircut(name); h != nil {
		return h, nil
	}
	return nil, NoHaircut(s, name)
}

// reviewHaircut takes a review; where the policy asks for a second person, not
// that of who made the plan.
func reviewHaircut(s *fleet.State, r Request, c ReviewHaircut) ([]event.Event, *Refusal) {
	h, refusal := findHaircut(s, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	if same := r.Actor.Name == h.By || r.Actor.Principal.SignedIn() && sameSelf(r.Actor.Name, h.By) || r.Actor.User != "" && r.Actor.User == h.ByUser; same && s.Policy.SecondPerson {
		return nil, refuse(AccessDenied, "haircut %s was made by %s, and the policy asks for a second person to review it", h.Name, h.By)
	}
	if r.Actor.Unnamed && s.Policy.SecondPerson {
		return nil, unnamed(r.Actor, "review haircut "+h.Name)
	}
	if h.Reviewed != 0 {
		return nil, refuse(NothingToDo, "haircut %s was reviewed already, by %s", h.Name, h.ReviewedBy)
	}
	return one(event.HaircutReviewed{Haircut: h.Name, By: r.Actor.Name})
}

func tellHaircut(s *fleet.State, r Request, c TellHaircut) ([]event.Event, *Refusal) {
	h, refusal := findHaircut(s, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	var clusters []string
	for _, w := range h.Waves {
		if (c.Cluster == "" || c.Cluster == w.Cluster) && w.Told == 0 && !slices.Contains(clusters, w.Cluster) {
			clusters = append(clusters, w.Cluster)
		}
	}
	if c.Cluster != "" && len(h.WavesOf(c.Cluster)) == 0 {
		return nil, noWave(h, c.Cluster, "")
	}
	if len(clusters) == 0 {
		return nil, nil
	}
	return one(event.HaircutTold{Haircut: h.Name, Clusters: clusters, People: concerned(s, h, clusters), By: r.Actor.Name})
}

// concerned lists the owners whom the waves over some clusters concern, in order of name: those of the
// quotas that are cut, and of those whose work is touched.
func concerned(s *fleet.State, h *fleet.Haircut, clusters []string) (people []string) {
	add := func(quota, owner string) {
		if owner = cmp.Or(s.OwnerOf(quota), owner); owner != "" {
			people = append(people, owner)
		}
	}
	for _, w := range h.Waves {
		if !slices.Contains(clusters, w.Cluster) {
			continue
		}
		for _, part := range w.Parts {
			for _, c := range part.Cuts {
				add(c.Quota, c.Owner)
			}
			for _, t := range part.Touches() {
				add(t.Quota, t.Owner)
			}
		}
	}
	slices.Sort(people)
	return slices.Compact(people)
}

// deleteHaircut forgets a plan; one with a wave in force is kept, for it can be undone.
func deleteHaircut(s *fleet.State, c DeleteHaircut) ([]event.Event, *Refusal) {
	h, refusal := findHaircut(s, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	for i := range h.Waves {
		if h.Waves[i].Done() {
			return nil, refuse(WrongState, "%s is in force, and only the plan can undo it: muster haircut undo %s, or keep the plan", waveName(h, i), h.Name)
		}
	}
	return one(event.HaircutDeleted{Haircut: h.Name})
}

func noWave(h *fleet.Haircut, cluster string, class fleet.CutClass) *Refusal {
	var there []string
	for _, w := range h.Waves {
		there = append(there, waveOver(w.Cluster, w.Class))
	}
	asked := "over " + waveOver(clip(cluster), class)
	if cluster == "" {
		asked = "of the class " + class.Says()
	}
	return refuse(NoSuchWave, "haircut %s has no wave %s; it has waves over %s", h.Name, asked, strings.Join(there, ", "))
}

// waveOver names a wave by its cluster and what it cuts there, in the words that tables have.
func waveOver(cluster string, class fleet.CutClass) string {
	if class == fleet.CutAll {
		return cluster
	}
	return cluster + " (" + class.Says() + ")"
}
