package promise

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The spares of a gang are counted where it is backed whole, or where it is backed best and what is
// missing there; nodes of one GPU are no exception.
func TestSparesAreCountedInTheIslandOfTheGang(t *testing.T) {
	for _, gpus := range []int{8, 1} {
		s := fleet.NewState()
		s.AddCluster(fleet.Cluster{Name: "t"})
		s.AddPartition("t", "g", gpus)
		p := s.Partition("t/g")
		for i, n := range []int{3, 6} {
			p.AddIsland(string(rune('a'+i)), 1)
			for k := range n {
				p.AddNode(string(rune('a'+i))+string(rune('0'+k)), i, 0, 1)
			}
		}
		s.AddQuota(fleet.Quota{Path: "oak"})
		p.SetGrant("oak", 4*gpus, 4*gpus, false)
		a := p.Account("oak")
		for what, c := range map[string]struct {
			backing                []int
			missing, island, there int
		}{
			"whole in the second":                {[]int{0, 4}, 0, 1, 2},
			"one short, the second is best":      {[]int{1, 3}, 1, 1, 2},
			"one short, the first is best":       {[]int{3, 1}, 1, 0, 0},
			"nowhere whole, and nothing is said": {[]int{2, 2}, 0, -1, 0},
		} {
			a.Backing, a.GangMissing, a.GangIsland = c.backing, c.missing*gpus, max(0, c.island)
			list := SparesOf(p)
			if c.island < 0 {
				if len(list) != 0 {
					t.Errorf("%d GPUs per node, %s: %+v", gpus, what, list)
				}
				continue
			}
			if len(list) != 1 || list[0].Island != c.island || list[0].Missing != c.missing || list[0].There != c.there || list[0].Gang != 4 {
				t.Errorf("%d GPUs per node, %s: %+v", gpus, what, list)
			}
		}
	}
}
