package promise

import (
	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/promise/buffer"
)

// Spares are the nodes beside its own that a declared gang needs to be mended from
// the island that backs it.
type Spares struct {
	Quota  string
	Island int
	Gang   int // nodes
	Needed int
	There  int // whole healthy nodes of the island besides
}

// sparesConfidence is how sure it shall be that the spares suffice for a day.
const sparesConfidence = 0.99

// SparesOf lists the declared gangs of a partition that are backed, in the order of
// their quotas, with what each needs and has. Other quotas' backed nodes count as
// there: it is by buffers, flex and who gives way that they can be had.
func SparesOf(p *fleet.Partition) []Spares {
	var list []Spares
	for _, a := range p.Accounts {
		gang := a.Gang / p.GPUsPerNode
		if gang == 0 || a.GangMissing > 0 {
			continue
		}
		for i, island := range p.Islands {
			if a.Backing[i] < gang {
				continue
			}
			list = append(list, Spares{
				Quota: a.Quota, Island: i, Gang: gang, There: max(0, island.Whole()-gang),
				Needed: buffer.Spares(gang, sparesConfidence, buffer.Prior{Racks: known(island.Racks)}),
			})
			break
		}
	}
	return list
}

// known is how many domains fail as one, where that is known: an island of one rack
// says nothing of it.
func known(racks int) int {
	if racks < 2 {
		return 0
	}
	return racks
}
