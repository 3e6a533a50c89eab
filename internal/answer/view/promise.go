package view

import (
	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Promises are what became of the promises made on a partition, or on one of its
// islands, under one policy.
type Promises struct {
	Partition string `json:"partition"`
	Island    string `json:"island"` // "": of the whole partition
	Horizon   int    `json:"horizonHours"`
	InForce   bool   `json:"inForce"` // the policy is in force now
	Open      int    `json:"open"`    // promises whose horizon is not over
	fleet.Outcome
}

// Issued is how many were made.
func (p Promises) Issued() int { return p.Kept + p.Broken + p.Open }

// PromisesOf lists what became of a partition's promises until a moment: first what
// was promisable, then what was sustainable, then the own shares of its islands.
func PromisesOf(p *fleet.Partition, now fleet.Instant) []Promises {
	short, long, islands := p.Realised(now)
	rows := promises(p.ID, "", fleet.PromisableHours, short)
	rows = append(rows, promises(p.ID, "", fleet.SustainableHours, long)...)
	for i, island := range p.Islands {
		rows = append(rows, promises(p.ID, island.Name, fleet.PromisableHours, islands[i])...)
	}
	return rows
}

func promises(partition, island string, horizon int, l fleet.Pledges) []Promises {
	open := make([]int, len(l.Done))
	for _, o := range l.Open {
		open[o.Done] += o.Hours
	}
	rows := make([]Promises, len(l.Done))
	for i, o := range l.Done {
		rows[i] = Promises{Partition: partition, Island: island, Horizon: horizon, InForce: l.Last == i, Open: open[i], Outcome: o}
	}
	return rows
}

// SparesOf lists the declared gangs of a partition, and the nodes each needs and has to
// be mended from its own island.
func SparesOf(p *fleet.Partition) []promise.Spares { return promise.SparesOf(p) }
