package view

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Chances is what there is in a partition for a quota that wants more, in GPUs.
type Chances struct {
	Unallocated int     `json:"unallocated"` // sustainable and neither assigned nor held: can be granted at once
	Flex        int     `json:"flex"`        // can be used meanwhile, by who can be interrupted
	FlexFree    int     `json:"flexFree"`    // of it, what is free now
	Givers      []Giver `json:"givers"`      // who could transfer some, the most first
}

// Giver is a quota that has not used some of its grant for long.
type Giver struct {
	Quota   string `json:"quota"`
	Owner   string `json:"owner"` // who must agree; "" where no owner is named
	Spare   int    `json:"spare"` // GPUs in whole nodes above its highest use
	Highest int    `json:"highest"`
	Grant   int    `json:"grant"`
}

// ChancesOf is what there is for a quota that wants more of a partition.
func ChancesOf(s *fleet.State, p *fleet.Partition, quota string, now fleet.Instant) Chances {
	own, all := s.Held(p.ID, quota, now)
	f := PartitionOf(p).Figures
	c := Chances{Unallocated: max(0, f.Sustainable-f.Assigned-all+own), Flex: f.Flex, FlexFree: max(0, f.Flex-f.FlexUsed), Givers: []Giver{}}
	for _, a := range p.Accounts {
		if spare := a.Spare(now); spare > 0 && a.Quota != quota {
			c.Givers = append(c.Givers, Giver{Quota: a.Quota, Owner: s.OwnerOf(a.Quota), Spare: spare, Highest: a.HighestUse(now), Grant: a.Grant})
		}
	}
	slices.SortStableFunc(c.Givers, func(a, b Giver) int { return cmp.Compare(b.Spare, a.Spare) })
	return c
}
