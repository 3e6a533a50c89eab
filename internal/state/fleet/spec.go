package fleet

import "time"

// Spec is what a researcher submits.
type Spec struct {
	Name            string        `json:"name"`
	Namespace       string        `json:"namespace"`
	User            string        `json:"user,omitempty"`
	Groups          []string      `json:"groups,omitempty"`
	Target          string        `json:"target"`              // quota path or Flex
	Partition       string        `json:"partition,omitempty"` // "" leaves the choice
	Priority        Priority      `json:"priority"`
	Pools           []Pool        `json:"pools"`
	MaxRuntime      time.Duration `json:"maxRuntime,omitempty"`      // 0: unknown
	CheckpointEvery time.Duration `json:"checkpointEvery,omitempty"` // 0: an eviction loses everything since the start
	Grace           time.Duration `json:"grace"`
	BearsFreeze     time.Duration `json:"bearsFreeze,omitempty"` // the longest freeze of a node that does it no harm; 0: none
	// Author is the user of the cluster's API server that made the object behind the workload, as the API server itself
	// wrote it down. "": that is not known. No right depends on it.
	Author string `json:"author,omitempty"`
}

// Pool is a set of identical replicas inside a workload, each on one node. A
// gang has Min == Max; an elastic pool runs with anything from Min to Max.
type Pool struct {
	Name    string `json:"name"`
	GPUs    int    `json:"gpus"` // per replica
	Min     int    `json:"min"`
	Max     int    `json:"max"`
	Elastic bool   `json:"elastic,omitempty"`
	Rank    int    `json:"rank,omitempty"`
	Reach   Reach  `json:"reach"`
	// Footprint is what a replica asks of its node beside GPUs, as its cluster writes it: "cpu 64, memory 512Gi".
	// Replicas of one footprint fit on the same nodes. "": it is not known.
	Footprint string `json:"footprint,omitempty"`
}

// Reach is how far apart the replicas of a pool may stand.
type Reach string

// The reaches, closest first.
const (
	ReachRack   Reach = "rack"
	ReachIsland Reach = "island"
	ReachAny    Reach = "any"
)

// BaseRank is the lowest rank of the pools.
func (s *Spec) BaseRank() int {
	r := s.Pools[0].Rank
	for _, p := range s.Pools[1:] {
		r = min(r, p.Rank)
	}
	return r
}

// NeedsBase is the number of GPUs of the lowest-rank pools at min.
func (s *Spec) NeedsBase() int {
	t, base := 0, s.BaseRank()
	for _, p := range s.Pools {
		if p.Rank == base {
			t += p.Min * p.GPUs
		}
	}
	return t
}

// Asks is the number of GPUs that the workload would take at most.
func (s *Spec) Asks() int {
	t := 0
	for _, p := range s.Pools {
		t += p.Max * p.GPUs
	}
	return t
}
