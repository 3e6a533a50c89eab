package scenario

import (
	"slices"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// haircutFigures are what a plan on the basis cluster would cut in a partition.
type haircutFigures struct {
	haircut.Sums
	Cuts map[string]int `json:"cuts"` // by quota
	Wave map[string]int `json:"wave"` // by class: the number of the wave that cuts it here, in a plan of the scope
}

func haircutOf(s *fleet.State, scope string, p *fleet.Partition, now fleet.Instant) func(figure string) any {
	part := haircut.Part(s, p, haircut.Ask{Basis: fleet.BasisCluster}, now)
	row := haircutFigures{Sums: haircut.SumsOf([]fleet.CutPart{part}), Cuts: map[string]int{}, Wave: map[string]int{}}
	for _, c := range part.Cuts {
		row.Cuts[c.Quota] = c.GPUs()
	}
	if scope == "fleet" {
		scope = ""
	}
	plan := haircut.Make(s, haircut.Ask{Scope: scope, Basis: fleet.BasisCluster}, now)
	for i, w := range plan.Waves {
		if slices.ContainsFunc(w.Parts, func(part fleet.CutPart) bool { return part.Partition == p.ID }) {
			row.Wave[string(w.Class)] = i + 1
		}
	}
	return func(figure string) any { return field(row, figure) }
}

// haircutStep plans a haircut and tells the people concerned, puts its next wave into force, or
// undoes the last one.
func haircutStep(v yamlfile.Value) Action {
	f := v.Fields("name", "scope", "basis", "state", "overcommit", "reason")
	name := f.Need("name").Name()
	if f.Has("state") {
		if f.At("state").Word("applied", "undone") == "undone" {
			return Told{Command: core.UndoHaircut{Name: name, Overcommit: f.At("overcommit").Bool()}, Reason: reasonOf(f)}
		}
		return Told{Command: core.ApplyHaircut{Name: name}, Reason: reasonOf(f)}
	}
	ask := haircut.Ask{Basis: fleet.Basis(f.Need("basis").Word(string(fleet.BasisCluster), string(fleet.BasisQuota)))}
	if f.Has("scope") {
		ask.Scope = f.At("scope").Path()
	}
	return Told{Command: core.Batch{Commands: []core.Command{
		core.PlanHaircut{Name: name, Ask: ask}, core.TellHaircut{Name: name},
	}}, Reason: reasonOf(f)}
}
