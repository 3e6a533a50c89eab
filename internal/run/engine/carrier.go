package engine

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// carrier tells the driver what changes on the clusters. It remembers what it has told,
// and after each record tells the difference to what the state says of the workloads
// that the record names: a decision, room that comes free later and a restart are told
// in one way.
type carrier struct {
	driver driver.Driver
	told   map[uint64]*told // by workload
	calls  []func()         // what the record at hand makes the driver hear
}

// told is what the driver has heard of one workload.
type told struct {
	running, leaving driver.Tally
	mend             bool // the replicas that start next replace lost ones
	overdue          bool // an order is to be given again
}

func newCarrier(d driver.Driver) *carrier {
	return &carrier{driver: d, told: map[uint64]*told{}}
}

// resync tells the driver all that stands, from the state alone: at the beginning, and
// after a restart in the middle of anything.
func (c *carrier) resync(at fleet.Instant, s *fleet.State) {
	clear(c.told)
	var all []driver.Standing
	for _, w := range s.Workloads {
		t := &told{running: tallyOf(w, fleet.Running), leaving: tallyOf(w, fleet.Leaving), mend: w.State == fleet.Mending}
		if len(t.running)+len(t.leaving) > 0 {
			all = append(all, standing(w, t))
		}
		if w.At() != nil {
			c.told[w.ID] = t
		}
	}
	slices.SortFunc(all, func(a, b driver.Standing) int { return cmp.Compare(a.Job.ID, b.Job.ID) })
	c.driver.Resync(at, all)
}

func standing(w *fleet.Workload, t *told) driver.Standing {
	return driver.Standing{
		Job: jobOf(w), Started: w.Started,
		Running: t.running.Spots(), Leaving: t.leaving.Spots(), Until: w.GraceEnds,
	}
}

// plan finds out what a record means for the driver, from the state right after it, and
// returns what tells the driver so: to be called once the record is durable, in the
// order of the records. The state may have moved on by then.
func (c *carrier) plan(r event.Record, s *fleet.State) (tell func()) {
	c.calls = nil
	c.compare(r, s)
	calls := c.calls
	return func() {
		for _, call := range calls {
			call()
		}
	}
}

func (c *carrier) compare(r event.Record, s *fleet.State) {
	var named []uint64
	for _, e := range r.Events {
		id := event.Workload(e)
		if id == 0 {
			continue
		}
		c.note(id, e)
		if !slices.Contains(named, id) {
			named = append(named, id)
		}
	}
	c.lose(r, s)
	for _, id := range named {
		c.follow(r.At, id, s.Workloads[id])
	}
}

// note takes from an event what the state no longer shows after it: that
// replicas are gone, where others may already have taken their place, and that a
// placement mends.
func (c *carrier) note(id uint64, e event.Event) {
	t := c.of(id)
	switch e := e.(type) {
	case event.ReplicasPlaced:
		t.mend = t.mend || e.Mend
	case event.ReplicasStopped:
		t.leaving.Take(e.Spots)
	case event.ReplicasOverdue:
		t.overdue = true
	}
}

// lose tells the driver which of the replicas that it knows a record takes away at once.
// Leaving ones come first: those that the state lists as leaving no more, since nothing
// is left to obey their order to stop. The rest ran. Replicas that were only
// reserved are left out: the driver has never heard of them.
func (c *carrier) lose(r event.Record, s *fleet.State) {
	for _, e := range r.Events {
		id, spots := lostBy(e)
		if id == 0 {
			continue
		}
		t, still := c.of(id), driver.Tally{}
		if w := s.Workloads[id]; w != nil {
			still = tallyOf(w, fleet.Leaving)
		}
		left := among(t.leaving.Beyond(still), spots)
		t.leaving.Take(left)
		rest := driver.TallyOf(spots)
		rest.Take(driver.Bare(left))
		ran, _ := t.running.Take(rest.Spots())
		if lost := slices.Concat(left, ran); len(lost) > 0 {
			c.calls = append(c.calls, func() { c.driver.Forget(r.At, id, lost) })
		}
	}
}

// lostBy is whose replicas an event takes away at once, and where; 0: those of no workload.
func lostBy(e event.Event) (id uint64, spots []fleet.Spot) {
	switch e := e.(type) {
	case event.ReplicasLost:
		return e.ID, e.Spots
	case event.ReplicasUnfit:
		return e.ID, e.Spots
	}
	return 0, nil
}

// among lists those of some leaving replicas that stand in one of the places, as
// many as are mentioned there.
func among(leaving, places []fleet.Spot) []fleet.Spot {
	room, found := driver.TallyOf(driver.Bare(places)), driver.Tally{}
	for _, spot := range leaving {
		for _, node := range spot.Nodes {
			if bare := (driver.Slot{Pool: spot.Pool, Node: node}); room[bare] > 0 {
				room[bare]--
				found[driver.Slot{Pool: spot.Pool, Node: node, Order: spot.Order}]++
			}
		}
	}
	return found.Spots()
}

func (c *carrier) of(id uint64) *told {
	t := c.told[id]
	if t == nil {
		t = &told{running: driver.Tally{}, leaving: driver.Tally{}}
		c.told[id] = t
	}
	return t
}

// follow brings the driver from what it was told of a workload to what the
// state says: replicas that leave, that are lost, that run. A cancelled
// workload is gone only when its last replica has left.
func (c *carrier) follow(at fleet.Instant, id uint64, w *fleet.Workload) {
	// What was cancelled may still be leaving its nodes.
	if w == nil || (w.State.Ended() && w.At() == nil) {
		c.calls = append(c.calls, func() { c.driver.Delete(at, id) })
		delete(c.told, id)
		return
	}
	t, running, leaving := c.of(id), tallyOf(w, fleet.Running), tallyOf(w, fleet.Leaving)
	if stop, until := leaving.Beyond(t.leaving), w.GraceEnds; len(stop) > 0 {
		c.calls = append(c.calls, func() { c.driver.Stop(at, id, stop, until) })
		t.running.Take(driver.Bare(stop))
	}
	if lost := t.running.Beyond(running); len(lost) > 0 {
		c.calls = append(c.calls, func() { c.driver.Forget(at, id, lost) })
	}
	if run, job, mend := running.Beyond(t.running), jobOf(w), t.mend; len(run) > 0 {
		c.calls = append(c.calls, func() { c.driver.Run(at, job, run, mend) })
		t.mend = false
	}
	t.running, t.leaving = running, leaving
	if t.overdue {
		t.overdue = false
		stands := standing(w, t)
		c.calls = append(c.calls, func() { c.driver.Restate(at, stands) })
	}
	if w.At() == nil {
		delete(c.told, id)
	}
}

func jobOf(w *fleet.Workload) driver.Job {
	return driver.Job{
		ID: w.ID, Namespace: w.Namespace, Name: w.Name, Partition: w.Where, Pools: w.Pools,
		Run: w.Run, MaxRuntime: w.MaxRuntime, CheckpointEvery: w.CheckpointEvery,
	}
}

func tallyOf(w *fleet.Workload, phase fleet.Phase) driver.Tally {
	return driver.TallyOf(w.Spots(func(r fleet.Replica) bool { return r.Phase == phase }))
}
