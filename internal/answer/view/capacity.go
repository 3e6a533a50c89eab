package view

import "github.com/muster-fleet/muster/internal/state/fleet"

// Capacity is the fleet's figures, from the whole down to partitions.
type Capacity struct {
	Fleet      Figures     `json:"fleet"`
	Clusters   []Cluster   `json:"clusters"`
	Partitions []Partition `json:"partitions"`
}

// Cluster is one cluster's figures: the sums over its partitions.
type Cluster struct {
	Cluster string     `json:"cluster"`
	Mode    fleet.Mode `json:"mode"`
	Figures
	Stale bool `json:"stale"`
}

// CapacityOf is a fleet's figures. Every sum is of GPUs of different models,
// which no gang can use together: its LargestGang is the largest of any partition.
func CapacityOf(s *fleet.State) Capacity { return CapacityAt(s, s.Time) }

// CapacityAt is a fleet's figures at a moment.
func CapacityAt(s *fleet.State, now fleet.Instant) Capacity {
	c := Capacity{Clusters: []Cluster{}, Partitions: PartitionsAt(s, now)}
	for _, cluster := range s.Clusters {
		row := Cluster{Cluster: cluster.Name, Mode: cluster.Mode, Stale: cluster.Stale}
		for i, p := range s.Partitions {
			if p.Cluster == cluster.Name {
				row.add(c.Partitions[i].Figures)
			}
		}
		c.Clusters = append(c.Clusters, row)
		c.Fleet.add(row.Figures)
	}
	return c
}

func (f *Figures) add(g Figures) {
	f.Installed += g.Installed
	f.Healthy += g.Healthy
	f.Usable += g.Usable
	f.Stranded += g.Stranded
	f.Promisable += g.Promisable
	f.Sustainable += g.Sustainable
	f.Assigned += g.Assigned
	f.Backed += g.Backed
	f.Unbacked += g.Unbacked
	f.Unallocated += g.Unallocated
	f.Scheduled += g.Scheduled
	f.Unscheduled += g.Unscheduled
	f.Borrowed += g.Borrowed
	f.Over += g.Over
	f.Flex += g.Flex
	f.FlexUsed += g.FlexUsed
	f.Idle += g.Idle
	f.Measured += g.Measured
	f.GangsUnbacked += g.GangsUnbacked
	f.LargestGang = max(f.LargestGang, g.LargestGang)
}
