package simulate

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Churn is how restless a run was, and what it left idle.
type Churn struct {
	// SameRecord is evictions of what got its room by the same record.
	SameRecord int `json:"evicted_by_the_record_of_their_start"`
	// Restless is workloads that were evicted more than three times within an hour.
	Restless int `json:"evicted_over_three_times_in_an_hour"`
	// Most is how often the workload that was evicted most was.
	Most int `json:"most_evictions_of_one"`
	// Idle is GPU-hours free on nodes that waiting one-node flex jobs fit on, of those usable.
	Idle float64 `json:"idle_though_a_flex_job_fits"`
}

// churn measures it on the way.
type churn struct {
	Churn
	evicted map[uint64][]fleet.Instant
	idle    gpuTime
}

// note takes from a record what the report needs.
func (c *churn) note(r event.Record, s *fleet.State) {
	placed := map[uint64][]fleet.Spot{}
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.ReplicasPlaced:
			placed[e.ID] = append(placed[e.ID], e.Spots...)
		case event.ReplicasEvicted:
			if got := placed[e.ID]; len(got) > 0 && (e.Whole || shared(got, e.Spots)) {
				c.SameRecord++
			}
			if e.Whole && c.evicted == nil {
				c.evicted = map[uint64][]fleet.Instant{}
			}
			if e.Whole {
				c.evicted[e.ID] = append(c.evicted[e.ID], r.At)
			}
		}
	}
	if len(r.Events) > 0 {
		idle := 0
		for _, p := range s.Partitions {
			idle += idleIn(p)
		}
		c.idle.become(r.At, idle)
	}
}

// shared says whether two lists have a pool on a node in common.
func shared(a, b []fleet.Spot) bool {
	for _, s := range a {
		for _, t := range b {
			if s.Pool == t.Pool && slices.ContainsFunc(s.Nodes, func(n int) bool { return slices.Contains(t.Nodes, n) }) {
				return true
			}
		}
	}
	return false
}

// idleIn is the free GPUs that waiting flex jobs of one replica could take now, the
// largest first.
func idleIn(p *fleet.Partition) (gpus int) {
	var wants []int
	for _, name := range p.WaitingForFlex() {
		for _, it := range p.FlexOf(name).Queue() {
			if w := it.Workload; len(w.Pools) == 1 && w.Pools[0].Min == 1 && !w.Leaves() && w.Stays(0) == 0 {
				wants = append(wants, w.Pools[0].GPUs)
			}
		}
	}
	if len(wants) == 0 {
		return 0
	}
	var free []int
	for _, n := range p.Nodes {
		if f := view.FreeOn(n); f > 0 {
			free = append(free, f)
		}
	}
	slices.SortFunc(wants, func(a, b int) int { return cmp.Compare(b, a) })
	slices.Sort(free)
	for _, want := range wants {
		for i := range free {
			if free[i] >= want {
				free[i] -= want
				gpus += want
				break
			}
		}
	}
	return gpus
}

// close sums up at the end of a run.
func (c *churn) close(at fleet.Instant, usable float64) Churn {
	c.idle.change(at, 0)
	if usable > 0 {
		c.Idle = c.idle.sum.Hours() / usable
	}
	for _, times := range c.evicted {
		c.Most = max(c.Most, len(times))
		for i := 3; i < len(times); i++ {
			if times[i].Sub(times[i-3]) <= time.Hour {
				c.Restless++
				break
			}
		}
	}
	return c.Churn
}
