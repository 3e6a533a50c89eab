package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file keeps a turn from giving room to a unit and taking it away again. Where a
// plan would do so, the turn goes back to before the room was given, and decides without
// the unit that got it: the plan's own unit then finds the room as it was. The first
// unit is asked again once the second stands, or nothing else is left to decide.

// trail is what a turn has decided in one partition since room was given first, and how
// to put back what it changed.
type trail struct {
	decisions []given
	undo      []before // the last on top
}

// empty forgets all of a trail, and keeps its room for what comes.
func (tr *trail) empty() {
	clear(tr.decisions)
	clear(tr.undo)
	tr.decisions, tr.undo = tr.decisions[:0], tr.undo[:0]
}

// spareTrail is the room of the last trail of a partition, which the next one uses again.
type spareTrail struct{ trail }

// Fork is nil: there is nothing in it.
func (*spareTrail) Fork() fleet.Memory { return nil }

// mostSpare is how much room of a trail is kept, in events.
const mostSpare = 16

// beginTrail begins a trail in a partition.
func (t *turn) beginTrail(p *fleet.Partition) {
	t.trail = trail{}
	if spare, ok := p.Memories.Core.(*spareTrail); ok {
		t.trail, spare.trail = spare.trail, trail{}
	}
}

// endTrail forgets the trail in a partition, and leaves its room to the next one there.
func (t *turn) endTrail(p *fleet.Partition) {
	tr := t.trail
	t.trail = trail{}
	if cap(tr.undo) == 0 || cap(tr.undo) > mostSpare || cap(tr.decisions) > mostSpare {
		return
	}
	clear(tr.undo[:cap(tr.undo)]) // what was taken back lies behind its end
	clear(tr.decisions[:cap(tr.decisions)])
	spare, ok := p.Memories.Core.(*spareTrail)
	if !ok {
		spare = &spareTrail{}
		p.Memories.Core = spare
	}
	spare.trail = trail{tr.decisions[:0], tr.undo[:0]}
}

// before is what an event was about to change: a workload, or what backs quotas.
type before struct {
	work    fleet.Kept
	lost    int                // reservations that the workload had lost
	backing *fleet.KeptBacking // nil: it is a workload
}

// given is one plan that gave room, and what there was before it.
type given struct {
	plan         placement.Plan
	part         placement.Part
	events, undo int
	released     []placement.Part // units that had made way for this one, and were asked again once it stood
}

// withheld lists the units that are not asked, because room that they got was taken back.
type withheld struct {
	by    map[placement.Part]placement.Part // what would have taken the room; noPart: all that waits
	times map[placement.Part]int
	mends map[placement.Part]bool // gangs that were mended; true: they go back to their queue
	made  map[placement.Part]int  // how often a unit made way for one that then got the room
}

// mostTakenBack is how often room is taken back from a unit in one turn. Then it waits for
// another turn: the other unit can take the room only because this one is there. A gang that
// was mended may be asked once more, after all others, and then goes back to its queue: it is not left broken.
const mostTakenBack, mostMendsTakenBack = 2, 3

// mostMadeWay is how often that does not count because what would have taken the room then got it:
// the unit was only asked too early. It is an assertion that such turns end.
const mostMadeWay = 8

// give notes that a plan is about to give room.
func (t *turn) give(plan placement.Plan) {
	t.trail.decisions = append(t.trail.decisions, given{plan: plan, part: plan.Part(), events: len(t.events), undo: len(t.trail.undo)})
}

// regretted finds a decision of the trail whose room a plan would take away: the last one, for that may be
// all that makes the plan possible. Before it the plan's own unit was asked, and found no room.
func (t *turn) regretted(plan placement.Plan) int {
	takes := func(d given) bool { return takesBack(plan, d.plan) }
	if plan.Kind == placement.Release {
		return slices.IndexFunc(t.trail.decisions, takes)
	}
	at := len(t.trail.decisions) - 1
	for at >= 0 && !takes(t.trail.decisions[at]) {
		at--
	}
	return at
}

// takesBack says whether a plan would take away room that another one gave.
func takesBack(plan, gave placement.Plan) bool {
	if plan.Kind == placement.Release {
		return gave.Workload == plan.Workload
	}
	return slices.ContainsFunc(plan.Victims, func(v placement.Victim) bool {
		return v.Workload == gave.Workload && (v.Whole || overlap(v.Spots, gave.Spots))
	})
}

// overlap says whether two lists have a pool on a node in common.
func overlap(a, b []fleet.Spot) bool {
	return slices.ContainsFunc(a, func(x fleet.Spot) bool {
		return slices.ContainsFunc(b, func(y fleet.Spot) bool {
			return x.Pool == y.Pool && slices.ContainsFunc(x.Nodes, func(node int) bool { return slices.Contains(y.Nodes, node) })
		})
	})
}

// takeBack undoes a decision of the trail and all that followed it. The plan that would have
// taken its room is then made anew, as if the room had never been given. Where the room was
// taken back from that unit as often as it may be, the plan may be made at once (see startAsMoved), or else the unit
// may get room at the cost of other work (see atOtherCost).
func (t *turn) takeBack(pl *placement.Planner, p *fleet.Partition, at int, plan placement.Plan) (placement.Plan, bool) {
	d, by := t.trail.decisions[at], plan.Part() // as long as its workload stands
	moved := promise.Present(p)
	t.goBackTo(at, by)
	if t.withheld.times[d.part] == mostTakenBack {
		as, earlier, ok := t.startAsMoved(pl, p, plan, moved)
		for ; earlier >= 0; as, earlier, ok = t.startAsMoved(pl, p, plan, moved) {
			t.goBackTo(earlier, by)
		}
		if ok {
			return as, true
		}
		had := d
		t.other = &had
	}
	t.next = &plan
	return plan, false
}

// goBackTo undoes a decision of the trail, and all that followed it, for a unit that would have taken the room. Units that made
// way for a decision that is undone do so again: else each would take the room that the other comes to later.
func (t *turn) goBackTo(at int, by placement.Part) {
	d := t.trail.decisions[at]
	for i := len(t.trail.undo) - 1; i >= d.undo; i-- {
		t.putBack(&t.trail.undo[i])
	}
	for _, later := range t.trail.decisions[at+1:] {
		t.withheld.again(later)
	}
	t.trail.undo, t.trail.decisions = t.trail.undo[:d.undo], t.trail.decisions[:at]
	t.events, t.asked = t.events[:d.events], min(t.asked, d.events)
	t.withheld.add(d, by)
}

// startAsMoved moves idle backing as it had moved after a unit that was taken back, if that
// may be without the unit and lets the plan be made. Else each of two would wait for the other: one
// could start only where the other had, which would lose its room to it. Backing may leave work that the plan sends away, as it
// left work that the unit had sent away; all other work keeps its cover. Where the plan would take the room of an
// earlier decision, too, earlier is that decision: without it the backing may let the plan be made; else −1.
func (t *turn) startAsMoved(pl *placement.Planner, p *fleet.Partition, plan placement.Plan, moved promise.Alignment) (as placement.Plan, earlier int, ok bool) {
	stood := promise.Present(p)
	a, ok := promise.Moved(t.s, p, moved, t.now)
	if !ok {
		return plan, -1, false
	}
	e, _ := difference(p, a)
	kept, events, undo := p.KeepBacking(rebacked(e)), len(t.events), len(t.trail.undo)
	t.emit(e)
	pl.Outranked, pl.Withheld = t.outranked, t.withheld.by
	earlier = -1
	if as, ok = pl.Again(plan); ok {
		earlier = t.regretted(as)
	}
	if ok && earlier < 0 && !promise.Uncovers(p, stood, leavers(as)) {
		return as, -1, true
	}
	t.s.PutBackBacking(kept)
	t.events, t.trail.undo = t.events[:events], t.trail.undo[:undo]
	return plan, earlier, false
}

// leavers are the victims of a plan.
func leavers(plan placement.Plan) (list []promise.Leaver) {
	for _, v := range plan.Victims {
		list = append(list, promise.Leaver{Workload: v.Workload, Spots: v.Spots})
	}
	return list
}

// nextPlan is the next plan of a partition. After room was taken back for a unit, that unit
// is asked first: lesser work of other queues would only be in its way. Then the one is asked that had the room.
func (t *turn) nextPlan(pl *placement.Planner) (placement.Plan, bool) {
	pl.Insist, pl.Outranked, pl.Withheld, pl.Unmendable = t.insist, t.outranked, t.withheld.by, t.withheld.mends
	last, other := t.next, t.other
	t.next, t.other = nil, nil
	if last != nil {
		if plan, ok := pl.Again(*last); ok {
			return plan, true
		}
	}
	if other != nil {
		if plan, ok := t.atOtherCost(pl, *other); ok {
			return plan, true
		}
	}
	return pl.Next()
}

// atOtherCost plans a unit whose room was taken back as often as it may be, and leaves the work in quota alone that left for
// it then: that may be all that let other work take the room. The unit then need not wait for that.
func (t *turn) atOtherCost(pl *placement.Planner, d given) (placement.Plan, bool) {
	spared := partsInQuota(d.plan.Victims)
	if len(spared) == 0 {
		return placement.Plan{}, false
	}
	by := t.withheld.by[d.part]
	delete(t.withheld.by, d.part)
	pl.Spared = spared
	plan, ok := pl.Again(d.plan)
	pl.Spared = nil
	if ok = ok && t.regretted(plan) < 0; !ok {
		t.withheld.by[d.part] = by
	}
	return plan, ok
}

// partsInQuota is what of some victims holds its GPUs in quota.
func partsInQuota(victims []placement.Victim) map[placement.Part]bool {
	parts := map[placement.Part]bool{}
	for _, v := range victims {
		switch {
		case v.Workload.Flexes():
		case v.Whole:
			parts[placement.Part{Workload: v.Workload.ID, Pool: fleet.Base}] = true
		default:
			for _, spot := range v.Spots {
				parts[placement.Part{Workload: v.Workload.ID, Pool: spot.Pool}] = true
			}
		}
	}
	return parts
}

// add withholds a unit that got room which a plan would take away.
func (w *withheld) add(d given, by placement.Part) {
	if w.by == nil {
		*w = withheld{map[placement.Part]placement.Part{}, map[placement.Part]int{}, map[placement.Part]bool{}, map[placement.Part]int{}}
	}
	if _, already := w.by[d.part]; !already { // else growth of the same pool was taken back just before
		w.times[d.part]++
	}
	w.by[d.part] = by
	if d.plan.Kind == placement.Mend {
		w.addMend(d.part)
	}
}

// addMend withholds a mend: at first until what would take its room stands, then until all else is
// decided. Without the gang there is other room, so everybody else is asked anew.
func (w *withheld) addMend(part placement.Part) {
	w.mends[part] = w.times[part] >= mostMendsTakenBack
	if w.times[part] == 1 {
		return
	}
	for other := range w.times {
		if !w.isMend(other) {
			delete(w.times, other)
			delete(w.by, other)
		}
	}
	w.by[part] = noPart
}

// again withholds the units again that had made way for a decision which is undone.
func (w *withheld) again(d given) {
	for _, part := range d.released {
		if _, known := w.by[part]; known {
			continue
		}
		if w.by[part] = d.part; !w.isMend(part) {
			w.times[part]++
		}
	}
}

// noPart is no part of any workload.
var noPart placement.Part

// isMend says whether a unit is a gang whose mend was taken back.
func (w *withheld) isMend(part placement.Part) bool {
	_, mend := w.mends[part]
	return mend
}

// release lets the units be asked again that made way for a part of a workload, which now stands;
// noPart: all. It lists them. A unit whose room was taken back too often is not among them.
func (w *withheld) release(by placement.Part) (list []placement.Part) {
	for part, other := range w.by {
		most := mostTakenBack
		if w.isMend(part) {
			most = mostMendsTakenBack
		} else if by != noPart && by == other && w.made[part] < mostMadeWay {
			w.made[part]++
			w.times[part]--
		}
		if w.times[part] < most && (by == noPart || by == other) {
			delete(w.by, part)
			list = append(list, part)
		}
	}
	return list
}

// stands lets the units be asked again that made way for the decision that was made last. Its trail may have been
// emptied since.
func (t *turn) stands(part placement.Part) {
	released := t.withheld.release(part)
	if last := len(t.trail.decisions) - 1; last >= 0 && t.trail.decisions[last].part == part {
		t.trail.decisions[last].released = released
	}
}

// keep remembers what an event is about to change, once there is something to take back.
func (t *turn) keep(e event.Event) {
	if len(t.trail.decisions) == 0 {
		return
	}
	switch e := e.(type) {
	case event.ReplicasPlaced, event.ReplicasStarted, event.ReplicasEvicted, event.GangReturned, event.ReservationEnded, event.HoldsChanged:
		t.keepWork(event.Workload(e))
	case event.BackingAligned:
		t.keepBacking(e)
	default:
		t.trail.empty() // there is no way back past it
	}
}

func (t *turn) keepWork(id uint64) {
	n := len(t.trail.undo)
	t.trail.undo = slices.Grow(t.trail.undo, 1)[:n+1]
	k := &t.trail.undo[n] // a workload is large: it is kept where it stays
	k.work.Keep(t.s.Workloads[id])
	k.lost, k.backing = t.outranked[id], nil
}

func (t *turn) keepBacking(e event.BackingAligned) {
	backing := t.s.Partition(e.Partition).KeepBacking(rebacked(e))
	t.trail.undo = append(t.trail.undo, before{backing: &backing})
}

// putBack makes what an event changed what it was.
func (t *turn) putBack(k *before) {
	if k.backing != nil {
		t.s.PutBackBacking(*k.backing)
		return
	}
	t.s.PutBack(&k.work)
	if id := k.work.ID(); t.outranked[id] != k.lost {
		t.outranked[id] = k.lost
	}
}

// rebacked lists the quotas whose backing an event changes, or what it says of their gangs.
func rebacked(e event.BackingAligned) (quotas []string) {
	for _, b := range e.Backing {
		quotas = append(quotas, b.Quota)
	}
	for _, g := range e.Gangs {
		quotas = append(quotas, g.Quota)
	}
	slices.Sort(quotas)
	return slices.Compact(quotas)
}
