package promise

import (
	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Spares compares the spare nodes that a declared gang needs, so that failed nodes of it can
// be replaced within its island, with those that the island has. All counts are nodes.
type Spares struct {
	Quota  string
	Island int // that backs the gang whole; where none does, the best one for it
	Gang   int // the gang's own nodes
	Needed int // spares with which the gang stays whole for a day, with sparesConfidence
	There  int // whole healthy nodes of the island beside the gang's own
	// Missing is how many nodes the gang itself lacks in Island; 0: it is backed whole.
	Missing int
}

// sparesConfidence is the wanted probability that the spares suffice for a day.
const sparesConfidence = 0.99

// SparesOf lists the declared gangs of a partition that an island backs, or could back best,
// in the order of their quotas. Nodes that back other quotas count as spares: mending evicts
// flex, unprotected and borrowing work from them (semantics §6).
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
				Needed: buffer.Spares(gang, sparesConfidence, buffer.Prior{Racks: failureDomains(island.Racks)}),
			})
		}
	}
	return list
}

// home is the island that backs an account's gang whole; where none does, the best one for
// it; -1 where neither is known.
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

// failureDomains is the number of racks of an island, which fail as one each. A single rack
// usually means that racks were not recorded, so it counts as not known: 0.
func failureDomains(racks int) int {
	if racks < 2 {
		return 0
	}
	return racks
}
