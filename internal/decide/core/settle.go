package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// settle lets what the moment brings happen (probation ends, holds expire). Then, for every partition
// that changed, health says what follows from signals, promise aligns the backing, planned work takes its
// nodes, and work is classified and placed (nextPlan of takeback.go), until nothing more changes. Then
// clusters that are built and planned work do one thing, work that stopped for a visit starts again, and all
// of it again.
func (t *turn) settle() {
	t.s.Ring(t.now)
	t.expireHolds()
	t.endGrants()
	t.dropGrants()
	for i := 0; ; i++ {
		if i > mostPlanned {
			panic("core: planned work does not come to rest")
		}
		t.settlePartitions()
		if !t.buildOut() && !t.maintain() && !t.resume() {
			return
		}
	}
}

// mostPlanned bounds what planned work does in one step; the bound is an assertion.
const mostPlanned = 100_000

func (t *turn) settlePartitions() {
	for changed := t.stand(nil); len(changed) > 0; changed = t.stand(nil) {
		for i := 0; t.maintain(); i++ {
			if i > mostPlanned {
				panic("core: planned work does not come to rest before work is placed")
			}
			changed = t.stand(changed)
		}
		for _, p := range changed {
			if p.Halted() == "" {
				t.settlePartition(p)
			}
		}
		t.askAgain()
	}
}

// stand brings each partition that changed up to this moment, before any work is placed: first its
// nodes and what runs there, then its backing. Planned work acts on what stands then. The partitions are
// added to the list of those that changed before.
func (t *turn) stand(changed []*fleet.Partition) []*fleet.Partition {
	for dirty := t.s.TakeDirty(); len(dirty) > 0; dirty = t.s.TakeDirty() {
		for _, p := range dirty {
			if p.Halted() == "" {
				t.endProbation(p)
				t.repeat(p)
				t.heal(p)
				t.stopBroken(p)
				t.alignAll(p)
			}
		}
		changed = join(changed, dirty)
	}
	return changed
}

// join adds partitions to a list, each once.
func join(list, more []*fleet.Partition) []*fleet.Partition {
	if list == nil {
		return more
	}
	for _, p := range more {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// alignAll aligns a partition and classifies what runs there, until both are at rest: that is what planned work
// looks at, if there is any. The bound is an assertion.
func (t *turn) alignAll(p *fleet.Partition) {
	if t.s.Maintained == nil || !p.Unaligned() {
		return
	}
	pl := t.planner(p)
	for i, again := 0, true; again; i++ {
		if i > mostPlanned {
			panic("core: the backing of " + p.ID + " does not come to rest")
		}
		again = t.align(p)
		again = t.classify(pl) || again
	}
}

// askAgain asks the partitions that left a workload to another one, which then
// did not take it: now they insist.
func (t *turn) askAgain() {
	for _, d := range t.deferred {
		if d.workload.State == fleet.Pending && !t.insist[d.workload.ID] {
			t.insistOn(d.workload)
			d.partition.Freed()
		}
	}
	t.deferred = nil
}

// insistOn leaves a workload to other partitions no more.
func (t *turn) insistOn(w *fleet.Workload) {
	if t.insist == nil {
		t.insist = map[uint64]bool{}
	}
	t.insist[w.ID] = true
}

func (t *turn) expireHolds() {
	for _, h := range append([]*fleet.Hold(nil), t.s.Holds...) {
		switch {
		case h.Until <= t.now:
			t.emit(event.HoldEnded{ID: h.ID, Why: "expired"})
		case h.Work != "" && hasEnded(t.s.Workload(h.Namespace, h.Work)):
			t.emit(event.HoldEnded{ID: h.ID, Why: "its workload has ended"})
		}
	}
}

func hasEnded(w *fleet.Workload) bool { return w == nil || w.State.Ended() }

// endProbation makes nodes healthy that have been in probation long enough.
func (t *turn) endProbation(p *fleet.Partition) {
	if !p.Unaligned() || p.OnProbation() == 0 {
		return
	}
	for _, n := range p.Nodes {
		if n.State == fleet.Probation && t.s.ProbationEnds(n) <= t.now {
			t.emit(event.NodeChanged{Partition: p.ID, Node: n.Name, From: n.State, To: fleet.Healthy, Signal: "probation over"})
		}
	}
}

// settlePartition decides until there is nothing left to decide. The bound is
// an assertion: every decision moves work forward, so a partition that does not
// come to rest is a mistake of ours.
func (t *turn) settlePartition(p *fleet.Partition) {
	pl := t.planner(p)
	t.beginTrail(p)
	defer func() {
		t.endTrail(p)
		for _, w := range pl.Deferred {
			t.deferred = append(t.deferred, deferral{w, p})
		}
		pl.Done()
	}()
	bound := 1000 + 20*(len(p.Nodes)*p.GPUsPerNode+len(t.s.Workloads))
	for i := 0; t.settleOnce(p, pl); i++ {
		if i > bound {
			panic(fmt.Sprintf("core: %s does not come to rest after %d decisions", p.ID, i))
		}
	}
}

// settleOnce decides one thing. It says whether there may be more to decide.
func (t *turn) settleOnce(p *fleet.Partition, pl *placement.Planner) bool {
	again := t.align(p)
	if t.classify(pl) || again {
		return true
	}
	plan, ok := t.nextPlan(pl)
	if !ok {
		return len(t.withheld.release(noPart)) > 0
	}
	if at := t.regretted(plan); at >= 0 {
		if plan, ok = t.takeBack(pl, p, at, plan); !ok {
			return true
		}
	}
	if t.plannedFirst(plan) {
		return true
	}
	t.carryOut(p, plan)
	if plan.Kind == placement.Place {
		t.classify(pl) // the alignment asks how work holds its GPUs, and what has come may be ahead of it
	}
	return true
}

// align records what is different in capacity and backing. Where reports are
// stale the last backing stays, within the grants, unless a person said that its
// nodes are gone. It says whether the backing is to be looked at again once it is known
// how work holds its GPUs: after a dip, when what stood before stands again.
func (t *turn) align(p *fleet.Partition) (again bool) {
	if !p.Unaligned() {
		return false
	}
	c := t.s.Cluster(p.Cluster)
	stale := c != nil && c.Stale
	if stale && !p.Overpromised() {
		t.trim(p)
		return false
	}
	if a, ok := promise.Restore(t.s, p, t.now); ok {
		t.restore(p, a)
		return true
	}
	if c, ok := promise.Stands(t.s, p, t.now); ok {
		if e, changed := capacityChange(p, c); changed {
			t.emit(e)
		}
		t.aligned(p, stale)
		return false
	}
	// What an alignment moves is an input of the next one: the backing in force.
	for range alignments {
		e, changed := difference(p, promise.Align(t.s, p, t.now))
		if !changed {
			break
		}
		t.emit(e)
	}
	t.aligned(p, stale)
	return false
}

// aligned ends an alignment. Where reports are stale the next look would only trim (unless more is
// promised than there is still): so what it would say of declared gangs is said now.
func (t *turn) aligned(p *fleet.Partition, stale bool) {
	p.Aligned()
	if stale && !p.Overpromised() {
		t.trim(p)
	}
}

// trim takes what cut grants do not cover any more, though reports are stale.
func (t *turn) trim(p *fleet.Partition) {
	e, changed := difference(p, promise.Trim(p))
	if e.Trimmed = true; changed {
		t.emit(e)
	}
}

// alignments bounds how often a backing is aligned on what the last time left.
// Two are usual: one that changes something, and one that does not.
const alignments = 8

// capacityChange is what is different in capacity alone.
func capacityChange(p *fleet.Partition, c promise.Capacity) (event.BackingAligned, bool) {
	changed := p.Promisable != c.Promisable || p.Sustainable() != c.Sustainable
	for i, island := range p.Islands {
		changed = changed || island.Share != c.Shares[i]
	}
	return event.BackingAligned{Partition: p.ID, Promisable: c.Promisable, Unsustained: c.Promisable - c.Sustainable, Shares: c.Shares}, changed
}

func difference(p *fleet.Partition, a promise.Alignment) (event.BackingAligned, bool) {
	e, changed := capacityChange(p, a.Capacity)
	for _, k := range a.Moved {
		acc := p.Accounts[k]
		for i, island := range p.Islands {
			if acc.Backing[i] != a.Backing[k][i] {
				e.Backing = append(e.Backing, event.Backed{Quota: acc.Quota, Island: island.Name, Nodes: a.Backing[k][i]})
			}
		}
	}
	for k, acc := range p.Accounts {
		if g := a.Gangs[k]; acc.GangMissing != g.Missing || acc.GangIsland != g.Island {
			e.Gangs = append(e.Gangs, event.GangStatus{Quota: acc.Quota, Missing: g.Missing, Island: p.IslandName(g.Island)})
		}
	}
	return e, changed || len(e.Backing) > 0 || len(e.Gangs) > 0
}

func (t *turn) classify(pl *placement.Planner) bool {
	changes := pl.Classify()
	for _, c := range changes {
		t.emit(event.HoldsChanged{ID: c.Workload.ID, Pool: c.Pool, From: c.From, To: c.To, Holds: c.Holds})
	}
	return len(changes) > 0
}

// carryOut turns a plan into events: victims leave first, then the room is
// given or reserved.
func (t *turn) carryOut(p *fleet.Partition, plan placement.Plan) {
	w := plan.Workload
	switch plan.Kind {
	case placement.Start:
		t.emit(event.ReplicasStarted{ID: w.ID})
	case placement.Release:
		t.emit(event.ReservationEnded{ID: w.ID, Spots: plan.Spots, Why: plan.Why})
	case placement.Return:
		t.leave(w, plan.Spots, func(spots []fleet.Spot) event.Event {
			return event.GangReturned{ID: w.ID, Spots: spots, Until: t.now.Add(t.grace(w)), Why: plan.Why}
		}, plan.Why)
	case placement.Place, placement.Mend:
		part := plan.Part()
		t.give(plan)
		for _, v := range plan.Victims {
			t.evict(v, w)
		}
		t.emit(event.ReplicasPlaced{
			ID: w.ID, Partition: p.ID, Spots: plan.Spots, Holds: plan.Holds,
			Reserved: plan.Reserved, Mend: plan.Kind == placement.Mend, Passed: plan.Passed,
		})
		t.stands(part)
	default:
		panic(fmt.Sprintf("core: plan of kind %d", plan.Kind))
	}
}

func (t *turn) evict(v placement.Victim, by *fleet.Workload) {
	w := v.Workload
	t.leave(w, v.Spots, func(spots []fleet.Spot) event.Event {
		return event.ReplicasEvicted{
			ID: w.ID, Spots: spots, Whole: v.Whole, Until: t.now.Add(t.grace(w)), For: by.ID, Class: v.Class.String(),
		}
	}, "outranked by "+by.Namespace+"/"+by.Name)
}

// leave makes running replicas leave by an event for other work, and gives up reserved room at once.
func (t *turn) leave(w *fleet.Workload, spots []fleet.Spot, running func([]fleet.Spot) event.Event, why string) {
	if t.vacate(w, spots, running, why) {
		t.loses(w)
	}
}

// loses counts a reservation that a workload lost to other work.
func (t *turn) loses(w *fleet.Workload) {
	if t.outranked == nil {
		t.outranked = map[uint64]int{}
	}
	t.outranked[w.ID]++
}

// vacate is leave for whatever reason. It says whether reserved room was given up.
func (t *turn) vacate(w *fleet.Workload, spots []fleet.Spot, running func([]fleet.Spot) event.Event, why string) (gaveUp bool) {
	held, reserved := split(w, spots)
	if len(reserved) > 0 {
		t.emit(event.ReservationEnded{ID: w.ID, Spots: reserved, Why: why})
	}
	if len(held) > 0 {
		t.emit(running(held))
	}
	return len(reserved) > 0
}

// split parts spots into those whose replicas run and those that are only reserved.
func split(w *fleet.Workload, spots []fleet.Spot) (running, reserved []fleet.Spot) {
	for _, spot := range spots {
		run, res := fleet.Spot{Pool: spot.Pool}, fleet.Spot{Pool: spot.Pool}
		left := map[int]int{}
		for _, r := range w.Replicas[spot.Pool] {
			if r.Phase == fleet.Reserved {
				left[r.Node]++
			}
		}
		for _, n := range spot.Nodes {
			if left[n] > 0 {
				left[n]--
				res.Nodes = append(res.Nodes, n)
			} else {
				run.Nodes = append(run.Nodes, n)
			}
		}
		if len(run.Nodes) > 0 {
			running = append(running, run)
		}
		if len(res.Nodes) > 0 {
			reserved = append(reserved, res)
		}
	}
	return running, reserved
}

// grace is how long a workload's replicas may take to leave: its own wish, within the policy.
func (t *turn) grace(w *fleet.Workload) time.Duration {
	return min(w.Grace, t.s.Policy.MaxGrace)
}
