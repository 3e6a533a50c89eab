package judge

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Judge judges the decisions of one partition at one moment.
type Judge struct {
	s     *fleet.State
	p     *fleet.Partition
	now   fleet.Instant
	units []Unit
	// ByTurn: of an elastic pool on flex only the last replicas are candidates, not
	// any that stands in the way. What was chosen is judged as ever.
	ByTurn bool
	// apart: nodes alike for one claim are told apart, for there are others to come.
	apart bool
}

// New is the judge of a partition as it stands at a moment.
func New(s *fleet.State, p *fleet.Partition, now fleet.Instant) *Judge {
	return &Judge{s: s, p: p, now: now, units: unitsIn(s, p)}
}

// Claim is what a unit asks for that is to start, in one way of holding GPUs.
type Claim struct {
	Work    *fleet.Workload
	Account *fleet.Account // of its quota; nil on flex
	Key     fleet.Key
	Needs   []Need
	Holds   fleet.HeldAs
	Growth  bool // replicas above min: they evict flex work only, on flex surplus only
}

// Need is replicas of one pool that look for nodes.
type Need struct {
	Pool, GPUs, Replicas int
	Reach                fleet.Reach
}

// GPUs is what the claim asks for.
func (c Claim) GPUs() int {
	t := 0
	for _, n := range c.Needs {
		t += n.GPUs * n.Replicas
	}
	return t
}

// BesideLater is a claim that leaves all work of its quota guaranteed where it is, if with a set of flex work gone it does so
// at a place. A newcomer takes room in its quota's own backing from flex work before it turns later work into borrowing
// (decision record 0006), and may evict no other work then. Else it is the claim itself.
func (j *Judge) BesideLater(c Claim, set []Unit, place []Stand) Claim {
	beside := c
	beside.Growth = true // which counts all work of the quota, and evicts flex work only
	for _, v := range set {
		if !v.Work.Flexes() {
			return c
		}
	}
	if c.Holds != fleet.HoldsGuaranteed || !j.Fits(beside, set, place) {
		return c
	}
	return beside
}

// Ways lists the ways in which a waiting unit may hold its GPUs, best first.
func (j *Judge) Ways(it fleet.Waiting) []Claim {
	w := it.Workload
	if it.Pool == fleet.Base {
		c := Claim{Work: w, Key: keyOf(w, w.BaseRank(), false)}
		for i, p := range w.Pools {
			if p.Rank == w.BaseRank() {
				c.Needs = append(c.Needs, Need{i, p.GPUs, p.Min, p.Reach})
			}
		}
		return j.waysOf(c)
	}
	p := w.Pools[it.Pool]
	return j.waysOf(Claim{
		Work: w, Key: keyOf(w, p.Rank, false),
		Needs: []Need{{it.Pool, p.GPUs, p.Min - w.Stays(it.Pool), p.Reach}},
	})
}

// GrowthOf lists the ways in which an elastic pool may hold so many more replicas.
func (j *Judge) GrowthOf(w *fleet.Workload, pool, replicas int) []Claim {
	p := w.Pools[pool]
	return j.waysOf(Claim{
		Work: w, Key: keyOf(w, p.Rank, true), Growth: true,
		Needs: []Need{{pool, p.GPUs, replicas, p.Reach}},
	})
}

func (j *Judge) waysOf(c Claim) []Claim {
	target := c.Work.Target
	if c.Work.Moves != nil { // it asks for room where it goes
		target = c.Work.Moves.Target
	}
	if target == fleet.Flex {
		c.Holds = fleet.HoldsFlex
		return []Claim{c}
	}
	c.Account = j.p.Account(target)
	if c.Account == nil {
		return nil
	}
	guaranteed, borrowing := c, c
	guaranteed.Holds, borrowing.Holds = fleet.HoldsGuaranteed, fleet.HoldsBorrowing
	return []Claim{guaranteed, borrowing}
}

// Whole says whether one of the claim's replicas takes a whole node.
func (j *Judge) Whole(c Claim) bool {
	for _, n := range c.Needs {
		if n.GPUs >= j.p.GPUsPerNode {
			return true
		}
	}
	return false
}

// Rests says whether a claim must wait because its workload was evicted three times within an hour,
// the first of them less than an hour ago. Its quota's own backing is open to it, behind more
// important work.
func (j *Judge) Rests(c Claim) bool {
	waits := c.Work.State == fleet.Pending || c.Work.State == fleet.Evicting && c.Work.Moves == nil
	return c.Holds != fleet.HoldsGuaranteed && waits && j.evictedLately(c.Work) >= 3
}

// Spares says whether a claim that would borrow may evict no work, because its workload was evicted
// twice within an hour.
func (j *Judge) Spares(c Claim) bool {
	return c.Holds == fleet.HoldsBorrowing && c.Work.State == fleet.Pending && j.evictedLately(c.Work) >= 2
}

// evictedLately counts a workload's evictions within the last hour.
func (j *Judge) evictedLately(w *fleet.Workload) (times int) {
	for _, at := range w.Evicted.All() {
		if j.now.Sub(at) < time.Hour {
			times++
		}
	}
	return times
}
