package chaos_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file plays fleets whose teams share their quotas out with holds inside
// them (semantics §4, decision record 0007).

// onceHeld are seeds that broke something: deciding again gave other work the room that flex work stood in (50180).
var onceHeld = []int64{50180}

// TestFleetsThatShareQuotaOut plays random fleets in which people hold parts of
// quotas for namespaces, and asks every question and every law.
func TestFleetsThatShareQuotaOut(t *testing.T) {
	t.Parallel()
	laws := []law{
		othersStayOut, nobodyIsPushedThere, holdsTakeNothing, holdersStart, minimalInQuota,
		everyPendingHasAReason, assignedIsSustainable, privateClusters, flexIsNotLeftIdle, allowedEvictions, loneBorrowersRun,
		reservationsWaitForLeavers, elasticPoolsKeepTheirMin,
	}
	play := func(seed int64) bool {
		w, f := playSharing(seed, sampling{recount: 3, idle: 2, hash: 5, before: 1}, laws...)
		if f != nil {
			t.Errorf("seed %d: %s", seed, smallest(seed, w.script, f, laws...))
		}
		return f == nil
	}
	for _, seed := range onceHeld {
		play(seed)
	}
	playSeeds(t, play)
}

// minimalInQuota is minimalVictims where all who start do so in quotas with holds.
func minimalInQuota(w *world, before *fleet.State, out core.Outcome) *failure {
	for _, e := range out.Record.Events {
		if placed, ok := e.(event.ReplicasPlaced); ok {
			a := w.s.Partition(placed.Partition).Account(w.s.Workloads[placed.ID].Target)
			if a == nil || len(a.InsideHolds()) == 0 {
				return nil
			}
		}
	}
	return minimalVictims(w, before, out)
}

func playSharing(seed int64, every sampling, laws ...law) (*world, *failure) {
	return playBy(seed, func(a *author) { a.shares = true }, every, laws...)
}

// share holds part of a quota for a namespace, or gives a hold back.
func (a *author) share() core.Command {
	if n := len(a.w.s.Holds); n > 0 && a.chance(30) {
		return core.ReleaseHold{ID: a.w.s.Holds[a.upTo(n)].ID}
	}
	p, q := a.partition(), pick(a, a.w.s.Quotas...).Path
	return core.PlaceHold{
		Quota: q, Partition: p.ID, GPUs: pick(a, 1, 2, 4, 8, 8, 16, 16, 24),
		Until: a.w.now.Add(time.Duration(1+a.upTo(20)) * time.Hour), Namespace: pick(a, "ant", "bee"),
	}
}

// shared is what holds inside a quota earmark for one namespace.
type shared struct {
	gpus, used int
	since      fleet.Instant
}

// sharesOf adds up, for each namespace that holds part of a quota, what it holds
// and what it uses; false where the backing cannot carry all that is held.
func sharesOf(a *fleet.Account) (map[string]*shared, bool) {
	by, all := map[string]*shared{}, 0
	for _, h := range a.InsideHolds() {
		if by[h.Namespace] == nil {
			by[h.Namespace] = &shared{}
		}
		by[h.Namespace].gpus += h.GPUs
		by[h.Namespace].since = max(by[h.Namespace].since, h.Since)
		all += h.GPUs
	}
	for _, v := range a.Work() {
		if by[v.Namespace] == nil {
			continue
		}
		for _, u := range pieces(v) {
			by[v.Namespace].used += u.gpus
		}
	}
	return by, all <= a.BackedGPUs()
}

// keptFrom is what other namespaces hold of a quota and do not use.
func keptFrom(a *fleet.Account, namespace string) int {
	by, _ := sharesOf(a)
	t := 0
	for name, sh := range by {
		if name != namespace {
			t += max(0, sh.gpus-sh.used)
		}
	}
	return t
}

// othersStayOut: what is guaranteed in a quota leaves room for what is held there
// and not used, except for work that ran before it was held. Where the backing has fallen, it
// leaves that room in the grant; a grant that is cut takes no guarantee for a hold's sake.
func othersStayOut(w *world, before *fleet.State, _ core.Outcome) *failure {
	for _, p := range acting(w.s) {
		for _, a := range p.Accounts {
			guaranteed, unused := besideHolds(a)
			if guaranteed+unused <= max(a.Grant, a.BackedGPUs()) || wasCut(before.Partition(p.ID), a) {
				continue
			}
			return &failure{rule: "others stay out of what is held", detail: fmt.Sprintf("%s in %s: %d guaranteed and %d held and not used, of %d backed%s",
				a.Quota, p.ID, guaranteed, unused, a.BackedGPUs(), partitionText(p))}
		}
	}
	return nil
}

// besideHolds is what is guaranteed in a quota, and what is held there and not used; nothing
// where the backing cannot carry all that is held, or work ran before that was held.
func besideHolds(a *fleet.Account) (guaranteed, unused int) {
	by, whole := sharesOf(a)
	if len(by) == 0 || !whole {
		return 0, 0
	}
	for _, sh := range by {
		unused += max(0, sh.gpus-sh.used)
	}
	for _, v := range a.Work() {
		for _, u := range pieces(v) {
			if u.holds != fleet.HoldsGuaranteed {
				continue
			}
			if guaranteed += u.gpus; ranBefore(v, by) {
				return 0, 0
			}
		}
	}
	return guaranteed, unused
}

// wasCut says whether a quota's grant was larger before, or was cut earlier and holds nothing more by guarantee since.
func wasCut(p *fleet.Partition, a *fleet.Account) bool {
	if p == nil || p.Account(a.Quota) == nil {
		return false
	}
	was := p.Account(a.Quota)
	guaranteed, unused := besideHolds(was)
	now, _ := besideHolds(a)
	return was.Grant > a.Grant || now <= guaranteed && guaranteed+unused > max(was.Grant, was.BackedGPUs())
}

// nobodyIsPushedThere: where a quota has its tree for itself, and nothing is
// uncovered, work that starts there beyond its own hold leaves to others what they
// hold: not even older work is pushed into that.
func nobodyIsPushedThere(w *world, _ *fleet.State, out core.Outcome) *failure {
	for _, e := range out.Record.Events {
		placed, ok := e.(event.ReplicasPlaced)
		if !ok || placed.Mend || len(nodesLost(out.Record, placed.ID)) > 0 {
			continue // what is given for what was lost makes work whole
		}
		v, p := w.s.Workloads[placed.ID], w.s.Partition(placed.Partition)
		a := p.Account(v.Target)
		if a == nil || len(a.InsideHolds()) == 0 || len(a.Root().Accounts()) > 1 || worksAs(p, a.Tree(), fleet.HoldsUnprotected) {
			continue
		}
		by, _ := sharesOf(a)
		if own := by[v.Namespace]; own != nil && own.used <= own.gpus {
			continue
		}
		if kept := keptFrom(a, v.Namespace); a.Stays()+kept > a.BackedGPUs() {
			return &failure{rule: "nobody is pushed into what is held", detail: fmt.Sprintf("%s/%s in %s, %s: %d stay and %d are kept of %d%s",
				v.Namespace, v.Name, a.Quota, p.ID, a.Stays(), kept, a.BackedGPUs(), partitionText(p))}
		}
	}
	return nil
}

func ranBefore(v *fleet.Workload, by map[string]*shared) bool {
	for _, sh := range by {
		if v.Started <= sh.since {
			return true
		}
	}
	return false
}

// holdsTakeNothing: placing a hold inside a quota takes from no work how it holds
// its GPUs, unless other work starts because of it.
func holdsTakeNothing(w *world, before *fleet.State, out core.Outcome) *failure {
	c, ok := w.asked.(core.PlaceHold)
	if !ok || c.Namespace == "" {
		return nil
	}
	for _, e := range out.Record.Events {
		if _, placed := e.(event.ReplicasPlaced); placed {
			return nil
		}
	}
	for _, e := range out.Record.Events {
		e, ok := e.(event.HoldsChanged)
		if ok && before.Workloads[e.ID].State == fleet.RunningW && before.Workloads[e.ID].Replicas[e.Pool][e.From].HeldAs == fleet.HoldsGuaranteed && before.Workloads[e.ID].Started < out.Record.At {
			return &failure{rule: "a hold takes nothing from what runs", detail: fmt.Sprintf("%+v%s", e, eventsText(out.Record))}
		}
	}
	return nil
}

// holdersStart: where one alone waits in its quota and in its tree, its own hold
// has room for it, and the quota guarantees no more than its backing carries
// beside it, a holder of whole nodes that stand anywhere runs.
func holdersStart(w *world, _ *fleet.State, _ core.Outcome) *failure {
	for _, p := range acting(w.s) {
		for _, a := range p.Accounts {
			if f := holderStarts(p, a); f != nil {
				return f
			}
		}
	}
	return nil
}

func holderStarts(p *fleet.Partition, a *fleet.Account) *failure {
	by, whole := sharesOf(a)
	guaranteed, on := 0, map[int]bool{}
	for _, v := range a.Work() {
		for _, u := range pieces(v) {
			if u.holds == fleet.HoldsGuaranteed {
				guaranteed += u.gpus
				for node := range u.on {
					on[node] = true
				}
			}
		}
	}
	fresh := 0
	for i := range p.Islands {
		touched := 0
		for node := range on {
			if p.Nodes[node].Island == i {
				touched++
			}
		}
		fresh += max(0, a.Backing[i]-touched)
	}
	for _, it := range a.Queue() {
		v := it.Workload
		sh := by[v.Namespace]
		list := wants(v)
		if sh == nil || !whole || it.Pool != fleet.Base || len(list) > 1 || list[0].gpus > p.GPUsPerNode || list[0].reach != fleet.ReachAny && list[0].replicas > 1 {
			continue
		}
		gpus := gpusWanted(list)
		if gpus+sh.used <= sh.gpus && guaranteed+gpus <= a.BackedGPUs() && fresh >= list[0].replicas && len(by) == 1 && first(a, v) {
			return &failure{rule: "a holder starts within his hold", detail: fmt.Sprintf("%s/%s waits in %s, %s%s", v.Namespace, v.Name, a.Quota, p.ID, partitionText(p))}
		}
	}
	return nil
}

// first says whether no work of its namespace waits before a workload.
func first(a *fleet.Account, w *fleet.Workload) bool {
	for _, it := range a.Queue() {
		if it.Workload.Namespace == w.Namespace {
			return it.Workload == w
		}
	}
	return false
}
