package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// Kind is what a plan does.
type Kind int

// The kinds of plans.
const (
	Place   Kind = iota // gives a workload room, perhaps after victims have left it
	Start               // reserved room is free: the replicas in it run
	Mend                // swaps nodes under a gang
	Return              // a gang that cannot be mended goes back to its queue
	Release             // reserved room is given up
)

// Class is why a victim may be evicted, cheapest first (semantics §5).
type Class int

// The classes of victims.
const (
	ClassFlex Class = iota
	ClassUnprotected
	ClassBorrowing
	ClassImportance
)

var classNames = [...]string{"flex", "unprotected", "borrowing", "importance"}

func (c Class) String() string { return classNames[c] }

// Victim is a unit that must leave.
type Victim struct {
	Workload *fleet.Workload
	Spots    []fleet.Spot
	Whole    bool // the workload is evicted, not only made smaller
	Class    Class
}

// Plan is one decision: which unit gets which nodes, and what leaves for it. Room that
// others still hold is reserved until they have gone.
type Plan struct {
	Kind     Kind
	Workload *fleet.Workload
	Spots    []fleet.Spot
	Holds    fleet.HeldAs
	Victims  []Victim
	Reserved bool
	Why      string
	Passed   uint64 // head that the unit passes because that may take its room back; 0: none
}

// Part is a part of a workload that gets room: its lowest-rank pools (Pool is fleet.Base), or
// a pool that joins, grows or is mended.
type Part struct {
	Workload uint64
	Pool     int
}

// Part is what the plan gives room to.
func (p Plan) Part() Part {
	if p.Workload.At() == nil {
		return Part{p.Workload.ID, fleet.Base}
	}
	return Part{p.Workload.ID, p.Spots[0].Pool}
}

// key is the place in its queue of what the plan gives room to.
func (p Plan) key() fleet.Key {
	rank := p.Workload.BaseRank()
	if part := p.Part(); part.Pool != fleet.Base {
		rank = p.Workload.Pools[part.Pool].Rank
	}
	return fleet.KeyOf(p.Workload, rank, false)
}
