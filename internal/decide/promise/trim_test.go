package promise

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// While reports are stale a backing is trimmed to its grant: small pieces first, and the block of the declared gang last.
func TestABackingIsTrimmedToItsGrant(t *testing.T) {
	for what, c := range map[string]struct {
		perNode, grant, gang int // the last two in nodes
		backing              []int
		island               int // where the gang is backed
		want                 []int
		missing, at          int // nodes that the gang lacks, and where it is backed then
	}{
		"the small piece goes first":      {8, 4, 0, []int{4, 2}, 0, []int{4, 0}, 0, 0},
		"the smaller is the first":        {8, 4, 0, []int{2, 4}, 0, []int{0, 4}, 0, 0},
		"of equal pieces, the first":      {8, 4, 0, []int{4, 4}, 0, []int{0, 4}, 0, 0},
		"not the gang's block":            {8, 4, 4, []int{4, 4}, 0, []int{4, 0}, 0, 0},
		"a gang of one small node":        {1, 1, 1, []int{1, 1}, 0, []int{1, 0}, 0, 0},
		"beside the block":                {8, 4, 2, []int{4, 4}, 0, []int{2, 2}, 0, 0},
		"the block itself, as the last":   {8, 3, 4, []int{4, 0}, 0, []int{3, 0}, 1, 0},
		"the block where it stood second": {8, 3, 4, []int{0, 4}, 1, []int{0, 3}, 1, 1},
		"enough is granted":               {8, 6, 4, []int{2, 4}, 1, []int{2, 4}, 0, 1},
	} {
		s := fleet.NewState()
		s.AddCluster(fleet.Cluster{Name: "t"})
		s.AddPartition("t", "g", c.perNode)
		p := s.Partition("t/g")
		for i := range 2 {
			p.AddIsland(string(rune('a'+i)), 1)
			for k := range 6 {
				p.AddNode(string(rune('a'+i))+string(rune('0'+k)), i, 0, 1)
			}
			p.Islands[i].Share = 6
		}
		s.AddQuota(fleet.Quota{Path: "oak"})
		p.SetGrant("oak", c.grant*c.perNode, c.gang*c.perNode, true)
		for i, n := range c.backing {
			p.SetBacking("oak", i, n)
		}
		p.Account("oak").GangIsland = c.island
		got := Trim(p)
		if g := got.Gangs[0]; !slices.Equal(got.Backing[0], c.want) || g.Missing != c.missing*c.perNode || c.gang > 0 && g.Island != c.at {
			t.Errorf("%s: backed are %v, want %v; the gang lacks %d GPUs in island %d, want %d nodes in %d",
				what, got.Backing[0], c.want, g.Missing, g.Island, c.missing, c.at)
		}
	}
}
