package view

import "github.com/muster-fleet/muster/internal/state/fleet"

// Figures are the capacity figures of a partition, a cluster or a fleet, in GPUs.
type Figures struct {
	Installed   int `json:"installed"`
	Healthy     int `json:"healthy"`
	Usable      int `json:"usable"`
	Stranded    int `json:"stranded"`
	Promisable  int `json:"promisable"`
	Sustainable int `json:"sustainable"`
	Assigned    int `json:"assigned"`
	Backed      int `json:"backed"`
	Unbacked    int `json:"unbacked"`
	Unallocated int `json:"unallocated"`
	Scheduled   int `json:"scheduled"`
	Unscheduled int `json:"unscheduled"`
	Borrowed    int `json:"borrowed"`
	Over        int `json:"over"`
	Flex        int `json:"flex"`
	FlexUsed    int `json:"flexUsed"`
	Idle        int `json:"idle"` // held by in-quota work that has long done nothing
	// Measured is the GPUs that in-quota work holds and whose utilisation was measured:
	// whether the others are busy or idle is not known.
	Measured int `json:"measured,omitempty"`
	// LargestGang is the largest gang that in-quota work could start now in one
	// island: guaranteed inside its quota's backing, or borrowing inside its tree's on
	// nodes that the tree does not touch.
	LargestGang int `json:"largestGang"`
	// GangsUnbacked is how many grants declare a gang that no island backs in one piece.
	GangsUnbacked int `json:"gangsUnbacked,omitempty"`
	// Maintenance and Leaving are nodes: under maintenance now, and taken within the horizon.
	Maintenance int `json:"maintenance"`
	Leaving     int `json:"leaving"`
}

// Partition is one partition's figures.
type Partition struct {
	Partition string `json:"partition"`
	Figures
	Stale bool `json:"stale"` // its cluster's reports have stopped: the figures are the last known
}

// Partitions lists every partition's figures at the moment of the last record,
// in order of name.
func Partitions(s *fleet.State) []Partition { return PartitionsAt(s, s.Time) }

// PartitionsAt lists every partition's figures at a moment, in order of name.
func PartitionsAt(s *fleet.State, now fleet.Instant) []Partition {
	rows := make([]Partition, len(s.Partitions))
	for i, p := range s.Partitions {
		rows[i] = PartitionAt(p, now)
	}
	return rows
}

// PartitionOf is a partition's figures at the moment of the last record.
func PartitionOf(p *fleet.Partition) Partition { return PartitionAt(p, p.State().Time) }

// PartitionAt is a partition's figures at a moment: idle grows by time alone.
func PartitionAt(p *fleet.Partition, now fleet.Instant) Partition {
	t := p.Tally()
	f := Figures{
		Installed: installed(p), Healthy: t.Healthy, Usable: t.Usable, Stranded: t.Stranded,
		Promisable: p.Promisable * p.GPUsPerNode, Assigned: p.Assigned(),
		Flex: p.Flex(), FlexUsed: t.FlexUsed,
	}
	f.Maintenance, f.Leaving = InMaintenance(p), p.LeavingNodes()
	f.Sustainable = p.Sustainable() * p.GPUsPerNode
	f.Unallocated = max(0, f.Promisable-f.Assigned)
	for _, q := range QuotasAt(p, now) {
		f.Backed += q.Backed
		f.Unbacked += q.Unbacked
		f.Scheduled += q.Scheduled
		f.Unscheduled += q.Unscheduled
		f.Borrowed += q.Borrowed
		f.Over += q.Over
		f.Idle += q.Idle
		f.Measured += q.Measured
		if q.GangMissing > 0 {
			f.GangsUnbacked++
		}
	}
	row := Partition{Partition: p.ID, Figures: f, Stale: stale(p)}
	if starts(p) {
		row.LargestGang = largestGang(p)
	}
	return row
}

// installed is the GPUs of all nodes of a partition, whatever their state. Those of a cluster that is
// retired are no longer there: GPUs count as installed in production only (cluster-life §2.4).
func installed(p *fleet.Partition) int {
	if l := p.State().Life(p.Cluster); l != nil && l.Course.Retired != 0 {
		return 0
	}
	return p.Tally().Installed
}

// largestGang is the largest of what each quota could start guaranteed in one island,
// as UsableOf says it, and of the backing of each tree that the tree does not touch.
func largestGang(p *fleet.Partition) int {
	most := 0
	for _, a := range p.Accounts {
		most = max(most, guaranteedGang(p, a, a.BackedGPUs()-a.Stays()))
	}
	for _, t := range p.Trees() {
		for i := range p.Islands {
			most = max(most, (t.Backing(i)-t.Touched(i))*p.GPUsPerNode)
		}
	}
	return most
}

// guaranteedGang is the largest gang that fits into so many free GPUs of a quota and
// one of its islands, on nodes that its own work leaves.
func guaranteedGang(p *fleet.Partition, a *fleet.Account, free int) int {
	most := 0
	for i := range p.Islands {
		most = max(most, min(free, (a.Backing[i]-a.Touched(i))*p.GPUsPerNode))
	}
	return most
}
