package chaos_test

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// truth is what really runs on the clusters, whatever the house believes: it
// hears every order that arrives, and everything that happens there.
type truth map[uint64]*really

type really struct {
	job              driver.Job
	running, leaving driver.Tally
}

func (t truth) of(id uint64) *really {
	if t[id] == nil {
		t[id] = &really{running: driver.Tally{}, leaving: driver.Tally{}}
	}
	return t[id]
}

func (t truth) Run(_ fleet.Instant, job driver.Job, spots []fleet.Spot, _ bool) {
	j := t.of(job.ID)
	j.job = job
	j.running.Add(spots)
}

func (t truth) Stop(_ fleet.Instant, id uint64, spots []fleet.Spot, _ fleet.Instant) {
	j := t.of(id)
	known, _ := j.running.Take(driver.Bare(spots))
	j.leave(spots, driver.TallyOf(known))
}

// leave makes those replicas leave that are there.
func (j *really) leave(spots []fleet.Spot, there driver.Tally) {
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			if bare := (driver.Slot{Pool: spot.Pool, Node: node}); there[bare] > 0 {
				there[bare]--
				j.leaving[driver.Slot{Pool: spot.Pool, Node: node, Order: spot.Order}]++
			}
		}
	}
}

func (t truth) Forget(_ fleet.Instant, id uint64, spots []fleet.Spot) {
	_, rest := t.of(id).leaving.Take(spots)
	t.of(id).running.Take(rest)
}

func (t truth) Delete(_ fleet.Instant, id uint64) { delete(t, id) }

func (t truth) Resync(_ fleet.Instant, all []driver.Standing) {
	stands := map[uint64]bool{}
	for _, s := range all {
		stands[s.Job.ID] = true
		t.Restate(0, s)
	}
	for id := range t {
		if !stands[id] {
			delete(t, id)
		}
	}
}

func (t truth) Restate(_ fleet.Instant, s driver.Standing) {
	j := t.of(s.Job.ID)
	j.running.Take(s.Running) // these go on; what else is there may be what should leave
	kept, missing := j.leaving.Take(s.Leaving)
	j.leaving = driver.TallyOf(kept)
	j.leave(missing, j.running)
	j.job, j.running = s.Job, driver.TallyOf(s.Running)
}

// happened takes note of what a cluster says of itself.
func (t truth) happened(r driver.Report) {
	switch {
	case r.Stopped != nil:
		for at := range driver.TallyOf(r.Stopped.Spots) {
			delete(t.of(r.Stopped.ID).leaving, at)
		}
	case r.Finished != nil:
		delete(t, r.Finished.ID)
	}
}

// fits says whether no node runs more than it has.
func (t truth) fits(s *fleet.State) *failure {
	type place struct {
		partition string
		node      int
	}
	held := map[place]int{}
	for _, j := range t {
		for _, tally := range []driver.Tally{j.running, j.leaving} {
			for at, n := range tally {
				held[place{j.job.Partition, at.Node}] += n * j.job.Pools[at.Pool].GPUs
			}
		}
	}
	for at, gpus := range held {
		if p := s.Partition(at.partition); p == nil || gpus > p.Nodes[at.node].GPUs {
			return &failure{rule: "no GPU is held twice on the clusters", detail: fmt.Sprintf("%d GPUs run on node %d of %s%s", gpus, at.node, at.partition, t.on(at.partition))}
		}
	}
	return nil
}

func (t truth) on(partition string) (text string) {
	for id, j := range t {
		if j.job.Partition == partition {
			text += fmt.Sprintf("\n    %d %s/%s: running %v, leaving %v", id, j.job.Namespace, j.job.Name, j.running.Spots(), j.leaving.Spots())
		}
	}
	return text
}

// agrees says whether the clusters run what the state says, no more and no less.
func (t truth) agrees(s *fleet.State) *failure {
	for id, w := range s.Workloads {
		is := driver.Tally{}
		if t[id] != nil {
			is = t[id].running
		}
		want := driver.TallyOf(w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Running }))
		if a, b := want.Beyond(is), is.Beyond(want); len(a)+len(b) > 0 {
			return &failure{rule: "at rest the clusters run what the state says", detail: fmt.Sprintf("%s/%s (%s): missing %v, too much %v", w.Namespace, w.Name, w.State, a, b)}
		}
	}
	for id, j := range t {
		if s.Workloads[id] == nil && len(j.running) > 0 {
			return &failure{rule: "at rest the clusters run what the state says", detail: fmt.Sprintf("%d runs, and is forgotten", id)}
		}
	}
	return nil
}
