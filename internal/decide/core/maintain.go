package core

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// maintain does the next thing of planned work, if there is one. It looks only where
// something changed that planned work may act on.
func (t *turn) maintain() bool {
	if t.s.Maintained == nil || !t.s.Looks() {
		return false
	}
	a, noted, ok := maintenance.Next(t.s, t.now)
	noted()
	if !ok {
		t.looked, t.asked = true, len(t.events)
		return false
	}
	if t.plan(a); a.Kind == maintenance.BeginStop {
		t.visitFreed()
	}
	return true
}

// plannedFirst lets planned work act on what was decided before in this turn, before other work is given room. Growth makes
// surplus, which gives way to a visit: that is asked before flex work comes. Work that stopped for visits starts elsewhere, and
// that room may be its own. plannedFirst says whether there was anything to do: then the plan is to be made anew.
func (t *turn) plannedFirst(plan placement.Plan) bool {
	switch {
	case plan.Kind == placement.Place, plan.Kind == placement.Mend, plan.Kind == placement.Start && plan.Workload.Flexes():
	default:
		return false
	}
	return plan.Workload.Flexes() && slices.ContainsFunc(t.events[t.asked:], t.makesWay) && t.maintain() || t.resume()
}

// makesWay says whether an event may let planned work begin something. Flex work that comes only takes room.
func (t *turn) makesWay(e event.Event) bool {
	id := uint64(0)
	switch e := e.(type) {
	case event.ReplicasPlaced:
		id = e.ID
	case event.ReplicasStarted:
		id = e.ID
	}
	w := t.s.Workloads[id]
	return w == nil || !w.Flexes()
}

// resume starts a workload on other nodes, which stopped so that its own could be visited. It does nothing before planned
// work has found nothing left to do. Once it could start none, it tries none until planned work has looked again, or
// something was decided since.
func (t *turn) resume() bool {
	if t.looked || len(t.events) > t.stuckAt {
		t.looked, t.stuckAt = t.startElsewhere(), len(t.events)
	}
	return t.looked
}

// visitFreed has nodes visited that a stop freed, before they are given to other work.
func (t *turn) visitFreed() {
	for {
		a, _, ok := maintenance.Next(t.s, t.now)
		if !ok || a.Kind != maintenance.BeginVisit && a.Kind != maintenance.Leave {
			return
		}
		t.plan(a)
	}
}

// stopBroken stops a gang that a failed node has broken, where other nodes of it may be visited now: it is mended
// anyway, and one stop serves all. The promise is asked with the backing as it is after the failure.
func (t *turn) stopBroken(p *fleet.Partition) {
	if t.s.Maintained == nil || len(t.s.Maintained.Rollouts) == 0 || len(p.Broken()) == 0 {
		return
	}
	for t.align(p) {
	}
	for a, ok := maintenance.Broken(t.s, p, t.now); ok; a, ok = maintenance.Broken(t.s, p, t.now) {
		t.plan(a)
		t.visitFreed()
	}
}

// plan turns an action of planned work into events.
func (t *turn) plan(a maintenance.Action) {
	switch a.Kind {
	case maintenance.BeginVisit:
		t.beginVisit(a)
	case maintenance.MoveVisit:
		t.moveVisit(a)
	case maintenance.Leave:
		t.emit(event.NodeLeaving{Partition: a.Partition.ID, Node: a.Partition.Nodes[a.Node].Name, Leaving: a.Leaving, Goes: a.Goes})
	case maintenance.MoveRollout:
		t.emit(event.RolloutSet{Rollout: a.Rollout})
	case maintenance.Judge:
		t.emit(event.ConfigurationJudged{Proof: a.Proof})
	case maintenance.MoveNotice:
		t.emit(event.NoticeSet{Notice: a.Notice})
	case maintenance.BeginStop:
		t.beginStop(a.Stop)
	case maintenance.Contradict:
		t.emit(event.UpdateSet{Update: a.Update})
	case maintenance.EndStop:
		t.emit(event.WorkloadResumed{ID: a.Stop.ID})
	default:
		panic(fmt.Sprintf("core: planned work of kind %d", a.Kind))
	}
}

// beginVisit lets what stands on the node leave, and takes the node out of service. A visit without
// impact leaves it in service, and one of a node that is out already leaves it as it is.
func (t *turn) beginVisit(a maintenance.Action) {
	p, n, v := a.Partition, a.Partition.Nodes[a.Node], a.Visit
	if !v.Quiet() {
		t.clear(p, a.Node, whyOf(v))
		if !v.Out {
			t.emit(event.NodeChanged{
				Partition: p.ID, Node: n.Name, From: n.State, To: fleet.Maintenance, Signal: whyOf(v), Owner: fleet.ByMaintenance, Planned: true,
			})
		}
	}
	t.emit(event.VisitMoved{Partition: p.ID, Node: n.Name, Visit: v})
}

func whyOf(v fleet.Visit) string {
	if v.Rollout != "" {
		return "rollout " + v.Rollout
	}
	return "maintenance " + v.Notice
}

// moveVisit goes on with a visit. What leaves its node before its time has come leaves no gap in the promise: that was asked.
func (t *turn) moveVisit(a maintenance.Action) {
	t.emit(event.VisitMoved{Partition: a.Partition.ID, Node: a.Visit.Node, Visit: a.Visit})
}

// clear makes everything leave a node: of elastic pools what they have above their min, pools that joined as a whole, and
// else the whole workload, for part of a gang is never taken.
func (t *turn) clear(p *fleet.Partition, node int, why string) {
	for _, w := range standing(p.Nodes[node]) {
		if spots, ok := partsOn(w, p.Nodes[node], node); ok {
			t.leaveFor(w, spots, why, false)
		} else {
			t.leaveFor(w, w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving }), why, true)
		}
	}
}

// leaveFor makes a workload leave for a visit. No other work outranked it, so it may look for other room in the same record, as
// often as a node of its room is visited.
func (t *turn) leaveFor(w *fleet.Workload, spots []fleet.Spot, why string, whole bool) {
	t.vacate(w, spots, func(spots []fleet.Spot) event.Event {
		return event.GangReturned{ID: w.ID, Spots: spots, Until: t.now.Add(t.grace(w)), Why: why, Stop: whole}
	}, why)
}

// standing lists the workloads of which something stays on a node, each once.
func standing(n *fleet.Node) []*fleet.Workload {
	var list []*fleet.Workload
	for _, r := range n.Residents() {
		if r.Phase != fleet.Leaving && (len(list) == 0 || list[len(list)-1] != r.Workload) {
			list = append(list, r.Workload)
		}
	}
	return list
}

// partsOn is what of a workload leaves with a node, if the rest can run on without it: surplus of elastic pools, and whole pools
// that joined.
func partsOn(w *fleet.Workload, n *fleet.Node, node int) (spots []fleet.Spot, part bool) {
	for i := range w.Replicas {
		staysHere := func(r fleet.Replica) bool { return r.Node == node && r.Phase != fleet.Leaving }
		switch {
		case !slices.ContainsFunc(w.Replicas[i], staysHere):
		case maintenance.Surplus(w, i, n):
			spots = append(spots, w.SpotOf(i, staysHere))
		case w.Pools[i].Rank > w.BaseRank():
			spots = append(spots, w.SpotOf(i, func(r fleet.Replica) bool { return r.Phase != fleet.Leaving }))
		default:
			return nil, false
		}
	}
	return spots, true
}

// beginStop stops a workload as a whole, keeps its room for a while, and lets it wait until its
// nodes were visited.
func (t *turn) beginStop(st fleet.Stop) {
	w := t.s.Workloads[st.ID]
	p := w.At()
	t.keepRoom(p, w)
	t.leaveFor(w, w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving }), st.For(), true)
	t.emit(event.WorkloadPaused{ID: st.ID, Partition: st.Partition, Nodes: st.Nodes, Rollout: st.Rollout, Notice: st.Notice})
}

// keepRoom earmarks what a workload has inside its quota for it.
func (t *turn) keepRoom(p *fleet.Partition, w *fleet.Workload) {
	until := t.now.Add(t.s.Policy.Maintenance.OrDefault().KeepRoom)
	h := fleet.Hold{ID: t.s.NextHold, Quota: w.Target, Partition: p.ID, GPUs: w.GPUs(), Until: until, Namespace: w.Namespace, Work: w.Name, Since: t.now}
	if until <= t.now || h.GPUs == 0 {
		return
	}
	if events, refusal := placeInside(p, h); refusal == nil {
		for _, e := range events {
			t.emit(e)
		}
	}
}
