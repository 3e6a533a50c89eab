package chaos_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestRandomFleetsKeepTheLaws plays random fleets, and asks after every record
// whether what it decided keeps the laws of semantics §5.
func TestRandomFleetsKeepTheLaws(t *testing.T) {
	t.Parallel()
	total := counts{}
	playSeeds(t, func(seed int64) bool {
		w, f := playRandom(seed, seed%2 == 0, sampling{before: 1, hash: 50, idle: 25, recount: 25}, lawsOfPlacement...)
		total.add(w)
		if f != nil {
			tellOf(t, seed, w, f, lawsOfPlacement...)
		}
		return f == nil || *goOn
	})
	t.Logf("%+v", total)
}

var lawsOfPlacement = []law{
	everyPendingHasAReason, assignedIsSustainable, privateClusters, flexIsNotLeftIdle, minimalVictims, allowedEvictions, loneBorrowersRun, reservationsWaitForLeavers, elasticPoolsKeepTheirMin, joiningPoolsAreCovered,
}

// acting lists the partitions in which decisions are made.
func acting(s *fleet.State) []*fleet.Partition {
	var list []*fleet.Partition
	for _, p := range s.Partitions {
		if c := s.Cluster(p.Cluster); !c.Stale && c.Mode == fleet.Enforce {
			list = append(list, p)
		}
	}
	return list
}

// everyPendingHasAReason: what waits to start is told why.
func everyPendingHasAReason(w *world, _ *fleet.State, _ core.Outcome) *failure {
	for _, v := range w.open() {
		if v.State == fleet.Pending && len(explain.Why(w.s, v, w.now)) == 0 {
			return &failure{rule: "every pending workload has a reason", detail: v.Namespace + "/" + v.Name}
		}
	}
	return nil
}

// assignedIsSustainable: no grant is raised and no hold placed beyond what can be
// sustained, unless a person said so (semantics §4).
func assignedIsSustainable(w *world, before *fleet.State, out core.Outcome) *failure {
	quota, id := "", ""
	switch c := w.asked.(type) {
	case core.SetGrant:
		if !c.Overcommit {
			quota, id = c.Quota, c.Partition
		}
	case core.PlaceHold:
		quota, id = c.Quota, c.Partition
	}
	p, was := w.s.Partition(id), before.Partition(id)
	if p == nil || len(out.Record.Events) == 0 {
		return nil
	}
	_, held := w.s.Held(id, quota, w.now)
	_, heldBefore := before.Held(id, quota, w.now)
	after, limit := p.Assigned()+held, promise.CapacityOf(w.s, p, w.now).Sustainable*p.GPUsPerNode
	if after > limit && after > was.Assigned()+heldBefore {
		return &failure{rule: "assigned with holds stays sustainable", detail: fmt.Sprintf("%+v: %d assigned and held of %d%s", w.asked, after, limit, eventsText(out.Record))}
	}
	return nil
}

// privateClusters: the first of a quota's queue that its backing could take at
// all does not fit a private cluster of its quota's backed nodes, beside the
// quota's work that comes before it: otherwise it would run.
func privateClusters(w *world, _ *fleet.State, _ core.Outcome) *failure {
	for _, p := range acting(w.s) {
		for _, a := range p.Accounts {
			if f := privateCluster(p, a); f != nil {
				return f
			}
		}
	}
	return nil
}

func privateCluster(p *fleet.Partition, a *fleet.Account) *failure {
	backing := func(i int) int { return a.Backing[i] }
	if len(a.InsideHolds()) > 0 {
		return nil // others of the quota stand outside what is held
	}
	larger := false
	for _, it := range a.Queue() {
		if it.Pool != fleet.Base {
			return nil // a pool that waits to join may hold a reservation
		}
		if returnsBefore(p, a, it) {
			return nil // so may work on its way back to the queue
		}
		list := wants(it.Workload)
		if !judged(p, it.Workload) {
			return nil // whether it holds a reservation is not known here
		}
		empty, gpus := privateOf(p, backing, nil)
		if gpusWanted(list) > gpus || !empty.holds(list) {
			larger = true
			continue // no present backing could take it: it holds up no other
		}
		if larger && worksAs(p, a.Tree(), fleet.HoldsBorrowing) {
			return nil // what its start sends away may let the larger one borrow, and that comes before it
		}
		var before []piece
		for _, v := range a.Work() {
			for _, u := range pieces(v) {
				if !it.Key.Importance().Above(u.key.Importance()) {
					before = append(before, u)
				}
			}
		}
		cluster, gpus := privateOf(p, backing, before)
		if gpusWanted(list) <= gpus && (len(list) == 1 && cluster.holds(list) || cluster.holdsApart(list)) {
			return &failure{rule: "what fits a private cluster runs", detail: fmt.Sprintf("%s/%s waits for %s in %s: %s",
				it.Workload.Namespace, it.Workload.Name, a.Quota, p.ID, partitionText(p))}
		}
		return nil // those behind it wait for it
	}
	return nil
}

// returnsBefore says whether work that comes before a unit is on its way back to its queue.
func returnsBefore(p *fleet.Partition, a *fleet.Account, it fleet.Waiting) bool {
	for _, w := range p.Leaving() {
		if comesTo(p, w) != a.Quota || w.State.Ended() {
			continue
		}
		if w.State == fleet.Evicting && fleet.KeyOf(w, w.BaseRank(), false).Before(it.Key) {
			return true // all of it comes back, also what it has lost
		}
		for i, pool := range w.Pools {
			comesBack := w.InPhase(i, fleet.Leaving) > 0 && w.Stays(i) < pool.Min
			if comesBack && fleet.KeyOf(w, pool.Rank, false).Before(it.Key) {
				return true
			}
		}
	}
	return false
}

// comesTo is the quota in whose queue here work waits once it has left its nodes, or "".
func comesTo(p *fleet.Partition, w *fleet.Workload) string {
	switch {
	case w.Moves == nil:
		return w.Target
	case w.Moves.Partition != "" && w.Moves.Partition != p.ID:
		return ""
	}
	return w.Moves.Target
}

// startsWithinGrace: who is admitted into its quota's backing starts within the
// longest grace there is, where victims are reported gone in time.
func startsWithinGrace(w *world, _ *fleet.State, out core.Outcome) *failure {
	still := map[uint64]fleet.Instant{}
	for _, e := range out.Record.Events {
		if placed, ok := e.(event.ReplicasPlaced); ok {
			delete(w.starting, placed.ID) // room given anew, perhaps with other victims
		}
	}
	for _, p := range acting(w.s) {
		for _, v := range p.Reserving() {
			if v.State != fleet.Starting || v.Flexes() || !withinBacking(v) || worksAs(p, v.Tree(), fleet.HoldsUnprotected) {
				continue
			}
			since, known := w.starting[v.ID]
			if !known {
				since = w.now
			}
			still[v.ID] = since
			if w.now.Sub(since) > w.s.Policy.MaxGrace {
				return &failure{rule: "who is admitted starts within the grace", detail: fmt.Sprintf("%s/%s is starting since %v ago: %s", v.Namespace, v.Name, w.now.Sub(since), partitionText(p))}
			}
		}
	}
	w.starting = still
	return nil
}

// worksAs says whether a tree runs work that holds GPUs so. Where some is unprotected, work that
// is admitted there waits for whatever else of the tree is on its way out.
func worksAs(p *fleet.Partition, tree string, holds fleet.HeldAs) bool {
	for _, a := range p.Accounts {
		for _, v := range a.Work() {
			for _, u := range pieces(v) {
				if a.Tree() == tree && u.holds == holds {
					return true
				}
			}
		}
	}
	return false
}

// withinBacking says whether the quota's backing covers what a workload has reserved.
func withinBacking(v *fleet.Workload) bool {
	for _, replicas := range v.Replicas {
		for _, r := range replicas {
			if r.Phase == fleet.Reserved && r.HeldAs != fleet.HoldsGuaranteed {
				return false
			}
		}
	}
	return true
}

// judged says whether the oracle can tell if a workload fits: it knows no racks.
func judged(p *fleet.Partition, w *fleet.Workload) bool {
	for _, x := range wants(w) {
		if x.reach == fleet.ReachRack {
			return false
		}
	}
	return len(p.Islands) > 0
}

// flexIsNotLeftIdle: where no other work waits for flex, a workload of one pool
// that fits on free usable GPUs runs, unless it rests (decision record 0017). (Flex promises no
// room in one piece, so several pools need not be packed as well as could be.)
func flexIsNotLeftIdle(w *world, _ *fleet.State, _ core.Outcome) *failure {
	for _, p := range acting(w.s) {
		var waiting []fleet.Waiting
		for _, ns := range p.Namespaces() {
			waiting = append(waiting, p.FlexOf(ns).Queue()...)
		}
		returns := func(v *fleet.Workload) bool { return v.Returns() && comesTo(p, v) == fleet.Flex } // it waits, too
		if slices.ContainsFunc(p.Leaving(), returns) || len(waiting) != 1 || waiting[0].Pool != fleet.Base || !judged(p, waiting[0].Workload) || len(wants(waiting[0].Workload)) > 1 {
			continue
		}
		room := private{gpusPerNode: p.GPUsPerNode, used: make([][]int, len(p.Islands)), fresh: make([]int, len(p.Islands))}
		for _, n := range p.Nodes {
			room.used[n.Island] = append(room.used[n.Island], n.Room())
		}
		if v := waiting[0].Workload; room.holds(wants(v)) && !v.Rests(w.now) {
			return &failure{rule: "who alone waits for flex and fits runs", detail: fmt.Sprintf("%s/%s waits in %s: %s", v.Namespace, v.Name, p.ID, partitionText(p))}
		}
	}
	return nil
}

// loneBorrowersRun: who alone waits in a tree, and fits a private cluster of its
// tree's backed nodes beside all that its tree runs, on nodes that no sibling
// touches, runs, unless it rests or spares others. (Unprotected work may stand in its way,
// and so may work that is on its way to a queue, by an eviction or a retarget.)
func loneBorrowersRun(w *world, _ *fleet.State, _ core.Outcome) *failure {
	for _, p := range acting(w.s) {
		waiting, work, blocked := map[string][]fleet.Waiting{}, map[string][]piece{}, false
		for _, a := range p.Accounts {
			waiting[a.Tree()] = append(waiting[a.Tree()], a.Queue()...)
			for _, v := range a.Work() {
				for _, u := range pieces(v) {
					work[a.Tree()] = append(work[a.Tree()], u)
					blocked = blocked || u.holds == fleet.HoldsUnprotected
				}
				blocked = blocked || len(v.Spots(isLeaving)) > 0
			}
		}
		for _, v := range p.Leaving() {
			blocked = blocked || v.Moves != nil && comesTo(p, v) != ""
		}
		for tree, list := range waiting {
			if len(list) != 1 || list[0].Pool != fleet.Base || blocked || !judged(p, list[0].Workload) {
				continue
			}
			v := list[0].Workload
			if keptFrom(p.Account(v.Target), v.Namespace) > 0 {
				continue
			}
			c, gpus := privateOf(p, func(i int) int { return p.TreeOf(tree).Backing(i) }, work[tree])
			if gpusWanted(wants(v)) <= gpus && c.holdsApart(wants(v)) && !v.Spares(w.now) {
				return &failure{rule: "who alone waits in its tree and fits it runs", detail: fmt.Sprintf("%s/%s waits for %s in %s: %s", v.Namespace, v.Name, v.Target, p.ID, partitionText(p))}
			}
		}
	}
	return nil
}

// allowedEvictions: in-quota work never leaves for flex, guaranteed work never
// for another quota.
func allowedEvictions(w *world, _ *fleet.State, out core.Outcome) *failure {
	var list []invariant.Eviction
	for _, e := range out.Record.Events {
		if e, ok := e.(event.ReplicasEvicted); ok {
			list = append(list, invariant.Eviction{Victim: e.ID, Owner: e.For, Whole: e.Whole, Spots: e.Spots})
		}
	}
	for _, b := range invariant.CheckEvictions(w.s, list) {
		return &failure{rule: b.Rule, detail: b.String()}
	}
	return nil
}

// reservationsWaitForLeavers: reserved room is used as soon as all have left that must. These
// are the work that stands there and the owner's own victims. So that usage never passes the
// backing, all work of the owner's tree that is on its way out counts, too.
func reservationsWaitForLeavers(w *world, _ *fleet.State, _ core.Outcome) *failure {
	for _, p := range acting(w.s) {
		for _, v := range p.Reserving() {
			if !w.waitsForSomebody(p, v) {
				return &failure{rule: "room is reserved only until somebody has left it", detail: fmt.Sprintf("%s/%s (%s): %s", v.Namespace, v.Name, v.State, partitionText(p))}
			}
		}
	}
	return nil
}

func (w *world) waitsForSomebody(p *fleet.Partition, v *fleet.Workload) bool {
	on := map[int]bool{}
	for _, replicas := range v.Replicas {
		for _, r := range replicas {
			if r.Phase == fleet.Reserved {
				on[r.Node] = true
			}
		}
	}
	for _, other := range w.active() {
		for _, spot := range other.Spots(isLeaving) {
			for _, node := range spot.Nodes {
				if other.At() == p && (on[node] || other.For == v.ID || (!v.Flexes() && other.Tree() == v.Tree())) {
					return true
				}
			}
		}
	}
	return false
}

// minimalVictims: take any one victim of a newcomer back, and it no longer fits
// in the place that was chosen for it; where it takes whole nodes, in no place
// (decision record 0004). The record is played again up to each eviction.
func minimalVictims(_ *world, before *fleet.State, out core.Outcome) *failure {
	s := before.Clone()
	for at := 0; at < len(out.Record.Events); at++ {
		victims, owner := evictionAt(out.Record.Events[at:])
		if owner != nil {
			for _, v := range victims {
				spared := victimOf(v)
				c := s.Clone()
				core.ApplyRecord(c, event.Record{Seq: c.Seq, At: out.Record.At, Events: sparing(victims, spared)})
				if why := spareable(c, *owner, out.Record.At); why != "" {
					return &failure{rule: "the set of victims is minimal", detail: fmt.Sprintf("%s was evicted for %+v,\n    which fits without: %s%s%s",
						s.Workloads[spared].Name, *owner, why, eventsText(out.Record), partitionText(s.Partition(owner.Partition)))}
				}
			}
		}
		skip := max(1, len(victims))
		core.ApplyRecord(s, event.Record{Seq: s.Seq, At: out.Record.At, Events: out.Record.Events[at : at+skip]})
		at += skip - 1
	}
	return nil
}

// victimOf is the workload that an event makes leave.
func victimOf(e event.Event) uint64 {
	if evicted, ok := e.(event.ReplicasEvicted); ok {
		return evicted.ID
	}
	return e.(event.ReservationEnded).ID
}

// sparing leaves out what happens to one of the victims.
func sparing(victims []event.Event, spared uint64) []event.Event {
	var others []event.Event
	for _, e := range victims {
		if victimOf(e) != spared {
			others = append(others, e)
		}
	}
	return others
}

// spareable says why a newcomer fits although one of its victims stays; "" if it does not.
func spareable(s *fleet.State, owner event.ReplicasPlaced, now fleet.Instant) string {
	if fitsThere(s, owner) {
		return "in the place chosen"
	}
	w, p := s.Workloads[owner.ID], s.Partition(owner.Partition)
	if !simple(w, owner) || w.Pools[owner.Spots[0].Pool].GPUs < p.GPUsPerNode {
		return ""
	}
	s.TakeDirty()
	plan, ok := placement.New(s, p, now).Next()
	if ok && plan.Workload.ID == owner.ID && plan.Kind == placement.Place && len(plan.Victims) == 0 &&
		plan.Spots[0].Pool == owner.Spots[0].Pool && fleet.Count(plan.Spots) >= fleet.Count(owner.Spots) {
		return fmt.Sprintf("at %v", plan.Spots)
	}
	return ""
}

// fitsThere says whether a placement has room, on each of its nodes and in the
// counts of its quota and tree.
func fitsThere(s *fleet.State, e event.ReplicasPlaced) bool {
	w, p := s.Workloads[e.ID], s.Partition(e.Partition)
	asks, all := map[int]int{}, 0
	for _, spot := range e.Spots {
		for _, node := range spot.Nodes {
			asks[node] += w.Pools[spot.Pool].GPUs
			all += w.Pools[spot.Pool].GPUs
		}
	}
	a := p.Account(w.Target)
	for node, gpus := range asks {
		n := p.Nodes[node]
		if n.Room() < gpus || (a != nil && n.Owner() != nil && n.Owner() != a) {
			return false
		}
	}
	return a == nil || fitsCounts(p, a, e.Holds, asks, all+keptFrom(a, w.Namespace))
}

func fitsCounts(p *fleet.Partition, a *fleet.Account, holds fleet.HeldAs, asks map[int]int, all int) bool {
	opens := make([]int, len(p.Islands))
	for node := range asks {
		if p.Nodes[node].Owner() == nil {
			opens[p.Nodes[node].Island]++
		}
	}
	stays, backed := 0, 0
	for _, other := range p.Accounts {
		if other.Tree() == a.Tree() {
			stays, backed = stays+other.Stays(), backed+other.BackedGPUs()
		}
	}
	guaranteed := holds == fleet.HoldsGuaranteed
	fits := stays+all <= backed && (!guaranteed || a.Stays()+all <= a.BackedGPUs())
	for i := range p.Islands {
		fits = fits && a.Root().Touched(i)+opens[i] <= a.Root().Backing(i)
		fits = fits && (!guaranteed || a.Touched(i)+opens[i] <= a.Backing[i])
	}
	return fits
}

// simple says whether a placement is of one pool that any of an island's nodes
// suit: with several pools, or racks, packing is no exact art.
func simple(w *fleet.Workload, e event.ReplicasPlaced) bool {
	return len(e.Spots) == 1 && w.Pools[e.Spots[0].Pool].Reach != fleet.ReachRack
}

// evictionAt reads the victims, and the placement they make room for, that begin here.
func evictionAt(events []event.Event) (victims []event.Event, owner *event.ReplicasPlaced) {
	for i, e := range events {
		switch e := e.(type) {
		case event.ReplicasEvicted:
			victims = append(victims, e)
		case event.ReservationEnded:
			if !strings.HasPrefix(e.Why, "outranked") {
				return nil, nil // given up by itself
			}
			victims = append(victims, e)
		case event.ReplicasPlaced:
			if i > 0 {
				return victims, &e
			}
			return nil, nil
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// partitionText shows a partition, node by node and quota by quota.
func partitionText(p *fleet.Partition) string {
	text := ""
	for _, a := range p.Accounts {
		text += fmt.Sprintf("\n    %s: grant %d, backing %v, stays %d, waiting:", a.Quota, a.Grant, a.Backing, a.Stays())
		for _, it := range a.Queue() {
			text += fmt.Sprintf(" %s/%d(%v)", it.Workload.Name, it.Pool, it.Workload.Priority)
		}
	}
	for _, ns := range p.Namespaces() {
		text += fmt.Sprintf("\n    flex %s: %d, waiting:", ns, p.FlexOf(ns).Staying)
		for _, it := range p.FlexOf(ns).Queue() {
			text += fmt.Sprintf(" %s/%d", it.Workload.Name, it.Pool)
		}
	}
	for i, n := range p.Nodes {
		text += fmt.Sprintf("\n    %2d %s %s:", i, n.Name, n.State)
		for _, r := range n.Residents() {
			text += fmt.Sprintf(" %s/%d %dgpu %s %s", r.Workload.Name, r.Pool, r.GPUs(), r.Workload.Priority, []string{"reserved", "running", "leaving"}[r.Phase])
		}
	}
	return text
}
