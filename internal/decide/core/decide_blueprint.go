package core

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds of what a blueprint and a record may hold.
const (
	MaxMeters    = 16
	MaxListed    = 64 // projects, services, islands
	MaxVariables = 64
	MaxClusters  = 10_000 // records in a fleet
	MaxMeterCore = 100_000
)

func addBlueprint(s *fleet.State, c AddBlueprint) ([]event.Event, *Refusal) {
	b := c.Blueprint
	if b.Mode == "" {
		b.Mode = fleet.Shadow
	}
	if b.Ready == 0 {
		b.Ready = 950
	}
	if refusal := checkBlueprint(b); refusal != nil {
		return nil, refusal
	}
	newest := s.Blueprint(b.Name, 0)
	switch same := s.Blueprint(b.Name, b.Version); {
	case same != nil && reflect.DeepEqual(*same, b):
		return nil, nil
	case same != nil:
		return nil, refuse(NameTaken, "blueprint %s version %d is there already, and says something else; add it as version %d", b.Name, b.Version, newest.Version+1)
	case newest != nil && b.Version < newest.Version:
		return nil, refuse(Invalid, "blueprint %s has version %d already; a new one has a higher number than that", b.Name, newest.Version)
	}
	return one(event.BlueprintAdded{Blueprint: b})
}

func checkBlueprint(b fleet.Blueprint) *Refusal {
	if refusal := checkName("blueprint", b.Name); refusal != nil {
		return refusal
	}
	switch {
	case b.Version < 1 || b.Version > 1_000_000:
		return refuse(Invalid, "blueprint %s: version %d; versions count from 1", b.Name, b.Version)
	case len(b.Meters) == 0 || len(b.Meters) > MaxMeters:
		return refuse(Invalid, "blueprint %s has %d meters; 1 to %d say which cloud quota a node uses up", b.Name, len(b.Meters), MaxMeters)
	case !slices.Contains([]fleet.CheckinWay{fleet.CheckinPerson, fleet.CheckinGit, fleet.CheckinInventory}, b.Checkin):
		return refuse(Invalid, "blueprint %s: check-in by %q; it is person, git or inventory", b.Name, clip(string(b.Checkin)))
	case !slices.Contains(modes, b.Mode):
		return refuse(Invalid, "blueprint %s: mode %q; it is observe, shadow or enforce", b.Name, clip(string(b.Mode)))
	case b.Ready < 1 || b.Ready > 1000:
		return refuse(Invalid, "blueprint %s: ready is a share of the nodes above 0 and at most 100%%", b.Name)
	}
	if refusal := checkMeters(b); refusal != nil {
		return refusal
	}
	return checkStepsOf(b)
}

func checkMeters(b fleet.Blueprint) *Refusal {
	for _, m := range b.Meters {
		if refusal := checkName("meter", m.Meter); refusal != nil {
			return refusal
		}
		if m.PerNode < 1 || m.PerNode > MaxMeterCore {
			return refuse(Invalid, "blueprint %s: a node takes %d cores of meter %s; 1 to %d are possible", b.Name, m.PerNode, m.Meter, MaxMeterCore)
		}
	}
	if name, found := twice(b.Meters, func(m fleet.Meter) string { return m.Meter }); found {
		return refuse(Invalid, "blueprint %s names meter %s twice", b.Name, name)
	}
	return nil
}

func checkStepsOf(b fleet.Blueprint) *Refusal {
	for step, d := range b.Takes {
		if !slices.Contains(fleet.Steps(), step) || d < 0 {
			return refuse(Invalid, "blueprint %s: takes names step %q with %s; a step is one of %s, and takes no less than 0s", b.Name, clip(string(step)), d, listed(fleet.Steps()))
		}
	}
	if len(b.Projects) > MaxListed || len(b.Services) > MaxListed {
		return refuse(Invalid, "blueprint %s has %d projects and %d services; at most %d of each are possible", b.Name, len(b.Projects), len(b.Services), MaxListed)
	}
	if name, found := twice(b.Projects, func(p string) string { return p }); found {
		return refuse(Invalid, "blueprint %s names project %q twice; each is applied once, in the order of the list", b.Name, clip(name))
	}
	if at := slices.IndexFunc(b.Projects, leaves); at >= 0 {
		return refuse(Invalid, "blueprint %s: project %q is no folder within the place of projects; write it as network or base/network", b.Name, clip(b.Projects[at]))
	}
	if refusal := checkRunner(b); refusal != nil {
		return refusal
	}
	return checkTexts("blueprint "+b.Name, slices.Concat(b.Projects, b.Services, []string{b.Runner})...)
}

// leaves says whether a project's folder would be outside the place where projects are.
func leaves(project string) bool {
	is := path.Clean(project)
	return project == "" || is == ".." || strings.HasPrefix(is, "../") || strings.HasPrefix(is, "/")
}

// checkRunner refuses a pipeline that could never begin. Runners that are not known here are
// those of the server's provider.
func checkRunner(b fleet.Blueprint) *Refusal {
	word, pipeline, _ := strings.Cut(b.Runner, ":")
	switch word {
	case "tofu":
		if len(b.Projects) == 0 {
			return refuse(Invalid, "blueprint %s has the runner tofu and no projects; name their folders, in the order in which they are applied", b.Name)
		}
	case "buildkite":
		owner, name, both := strings.Cut(pipeline, "/")
		if !both || owner == "" || name == "" || strings.Contains(name, "/") {
			return refuse(Invalid, "blueprint %s has the runner %q; write buildkite:ORG/PIPELINE", b.Name, clip(b.Runner))
		}
	}
	return nil
}
