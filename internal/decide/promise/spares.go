package promise

import (
	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Spares are the nodes beside its own that a declared gang needs to be mended from
// the island that backs it.
type Spares struct {
	Quota  string
	Island int
	Gang   int // nodes
	Needed int
	There  int // whole healthy nodes of the island besides
	// Missing is how many nodes the gang itself lacks: it is backed whole in no
	// island, and Island is the best one for it. 0: it is whole.
	Missing int
}

// sparesConfidence is how sure it shall be that the spares suffice for a day.
const sparesConfidence = 0.99

// SparesOf lists the declared gangs of a partition, in the order of their quotas,
// with what each needs and has. Other quotas' backed nodes count as there: it is by
// buffers, flex and who gives way that they can be had.
func SparesOf(p *fleet.Partition) []Spares {
	var list []Spares
	for _, a := range p.Accounts {
		gang := a.Gang / p.GPUsPerNode
		if gang == 0 {
			continue
		}
		if i := home(p, a, gang); i >= 0 {
			island := p.Islands[i]
			list = append(list, Spares{
				Quota: a.Quota, Island: i, Gang: gang, Missing: a.GangMissing / p.GPUsPerNode, There: max(0, island.Whole()-gang),
				Needed: buffer.Spares(gang, sparesConfidence, buffer.Prior{Racks: known(island.Racks)}),
			})
		}
	}
	return list
}

// home is the island that backs an account's gang whole, or the best one for it
// where none does; -1: there is none.
func home(p *fleet.Partition, a *fleet.Account, gang int) int {
	if a.GangMissing > 0 && a.GangIsland < len(p.Islands) {
		return a.GangIsland
	}
	for i := range p.Islands {
		if a.Backing[i] >= gang {
			return i
		}
	}
	return -1
}

// known is how many domains fail as one, where that is known: an island of one rack
// says nothing of it.
func known(racks int) int {
	if racks < 2 {
		return 0
	}
	return racks
}
