package scenario

import (
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// haircutFigures are what a plan on the basis cluster would cut in a partition.
type haircutFigures struct {
	haircut.Sums
	Cuts map[string]int `json:"cuts"` // by quota
}

func haircutOf(s *fleet.State, p *fleet.Partition, now fleet.Instant) func(figure string) any {
	part := haircut.Part(s, p, haircut.Ask{Basis: fleet.BasisCluster}, now)
	row := haircutFigures{Sums: haircut.SumsOf([]fleet.CutPart{part}), Cuts: map[string]int{}}
	for _, c := range part.Cuts {
		row.Cuts[c.Quota] = c.GPUs()
	}
	return func(figure string) any { return field(row, figure) }
}
