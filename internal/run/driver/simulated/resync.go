package simulated

import (
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Resync brings the cluster to what Muster says stands. A workload that this
// cluster has never seen is taken to be as Muster remembers it: it has made
// progress since it started, and those of its replicas that leave are still there.
func (d *Driver) Resync(at fleet.Instant, all []driver.Standing) {
	d.mu.Lock()
	defer d.wake()
	mentioned := map[uint64]bool{}
	for _, s := range all {
		mentioned[s.Job.ID] = true
		d.restore(at, s)
	}
	for _, id := range slices.Sorted(maps.Keys(d.jobs)) {
		if !mentioned[id] {
			d.clear(at, d.jobs[id])
		}
	}
}

// Restate brings one workload to what Muster says stands of it.
func (d *Driver) Restate(at fleet.Instant, stands driver.Standing) {
	d.mu.Lock()
	defer d.wake()
	d.restore(at, stands)
}

func (d *Driver) restore(at fleet.Instant, s driver.Standing) {
	fresh := d.jobs[s.Job.ID] == nil
	j := d.job(s.Job)
	switch {
	case fresh:
		j.remember(s, &d.timeline)
	case j.finished:
		d.leaveEnded(at, j, s.Leaving)
		return
	}
	running, leaving := driver.TallyOf(s.Running), driver.TallyOf(s.Leaving)
	j.leaving.Take(j.leaving.Beyond(leaving))
	// What should run is not taken for what should leave and has left already.
	kept, _ := j.staying.Take(s.Running)
	missing := leaving.Beyond(j.leaving)
	known, _ := j.staying.Take(driver.Bare(missing))
	clear(j.staying)
	j.staying.Add(kept)
	d.leave(at, j, missing, driver.TallyOf(known), s.Until)
	d.run(at, j, running.Beyond(j.staying))
}

// remember makes a job be what Muster says it has been all along.
func (j *job) remember(s driver.Standing, t *timeline) {
	j.staying.Add(s.Running)
	j.staying.Add(driver.Bare(s.Leaving))
	if s.Started != 0 {
		j.whole, j.since = true, s.Started
		j.planEnd(t)
	}
}

// endAgain reports an end again that Muster has not kept: its report came when
// the workload was just losing its nodes, or it was lost in a restart.
func (d *Driver) endAgain(at fleet.Instant, j *job) {
	j.finished = false
	d.timeline.plan(entry{at: at, job: j, plan: j.plan})
}

// leaveEnded says again that a job has ended, and then that those of its replicas are
// gone that Muster wants to leave. The job may have been cancelled or evicted before its
// end was heard of, and then waits for nothing else.
func (d *Driver) leaveEnded(at fleet.Instant, j *job, spots []fleet.Spot) {
	d.endAgain(at, j)
	if len(spots) > 0 {
		clear(j.leaving)
		j.leaving.Add(spots)
		d.timeline.plan(entry{at: at, job: j, leave: spots})
	}
}

// clear takes away all that runs of a job which Muster does not mention. What it
// had saved stays, because the job may only be waiting.
func (d *Driver) clear(at fleet.Instant, j *job) {
	if j.finished {
		d.forget(j.ID)
		return
	}
	clear(j.staying)
	clear(j.leaving)
	j.settle(at, &d.timeline)
}
