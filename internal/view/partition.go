package view

import "github.com/muster-fleet/muster/internal/fleet"

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
	// LargestGang is the largest gang that in-quota work could start now in one
	// island, not counting what it would have to evict of its own tree.
	LargestGang int `json:"largestGang"`
}

// Partition is one partition's figures.
type Partition struct {
	Partition string `json:"partition"`
	Figures
	Stale bool `json:"stale"` // its cluster's reports have stopped: the figures are the last known
}

// Partitions lists every partition's figures, in order of name.
func Partitions(s *fleet.State) []Partition {
	rows := make([]Partition, len(s.Partitions))
	for i, p := range s.Partitions {
		rows[i] = PartitionOf(p)
	}
	return rows
}

// PartitionOf is a partition's figures.
func PartitionOf(p *fleet.Partition) Partition {
	t := p.Tally()
	f := Figures{
		Installed: t.Installed, Healthy: t.Healthy, Usable: t.Usable, Stranded: t.Stranded,
		Promisable: p.Promisable * p.GPUsPerNode, Assigned: p.Assigned(),
		Flex: p.Flex(), FlexUsed: t.FlexUsed,
	}
	f.Sustainable = p.Sustainable() * p.GPUsPerNode
	f.Unallocated = max(0, f.Promisable-f.Assigned)
	for _, q := range QuotasIn(p) {
		f.Backed += q.Backed
		f.Unbacked += q.Unbacked
		f.Scheduled += q.Scheduled
		f.Unscheduled += q.Unscheduled
		f.Borrowed += q.Borrowed
		f.Over += q.Over
	}
	row := Partition{Partition: p.ID, Figures: f, Stale: stale(p)}
	if !row.Stale {
		row.LargestGang = largestGang(p)
	}
	return row
}

// largestGang is the most backing of one tree in one island that the tree does not touch.
func largestGang(p *fleet.Partition) int {
	most := 0
	for _, t := range p.Trees() {
		for i := range p.Islands {
			most = max(most, t.Backing(i)-t.Touched(i))
		}
	}
	return most * p.GPUsPerNode
}
