package invariant

import (
	"maps"
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// place is a place in a queue: a workload, and which part of it waits.
type place struct {
	id   uint64
	pool int
}

// queues asks that exactly those wait who should, each in its order.
func (c *checker) queues(r *recount) {
	wanted := map[string][]place{}
	for _, w := range r.waits {
		if name, places := r.waiting(w); len(places) > 0 {
			wanted[name] = append(wanted[name], places...)
		}
	}
	for _, a := range r.p.Accounts {
		c.queue("quota "+a.Quota, a.Queue(), wanted["quota "+a.Quota])
		c.firsts("quota "+a.Quota, a.Queue(), a.Firsts(), a.InsideHolds(), r.heard)
		delete(wanted, "quota "+a.Quota)
	}
	for _, ns := range r.p.Namespaces() {
		f := r.p.FlexOf(ns)
		c.queue("namespace "+ns, f.Queue(), wanted["namespace "+ns])
		c.firsts("namespace "+ns, f.Queue(), f.Firsts(), nil, r.heard)
		c.starting("namespace "+ns, f.Queue(), f.WaitsToStart())
		delete(wanted, "namespace "+ns)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		c.queue(name, nil, wanted[name])
	}
}

// waiting lists the places in which a workload should wait here, and in which queue.
func (r *recount) waiting(w *fleet.Workload) (queue string, places []place) {
	queue = "namespace " + w.Namespace
	if !w.Flexes() {
		queue = "quota " + w.Target
	}
	switch {
	case w.State == fleet.Pending && w.Paused: // it waits for its nodes, in no queue
	case w.State == fleet.Pending:
		a := r.p.Account(w.Target) // one that is ending has no grant: nothing waits for it here
		if w.May(r.p) && (w.Flexes() || a != nil && !a.Ending) {
			places = append(places, place{w.ID, fleet.Base})
		}
	case w.State == fleet.RunningW && w.Where == r.p.ID:
		for i, pool := range w.Pools {
			if w.Stays(i) < pool.Min && w.InPhase(i, fleet.Leaving) == 0 {
				places = append(places, place{w.ID, i})
			}
		}
	}
	return queue, places
}

func (c *checker) queue(name string, is []fleet.Waiting, want []place) {
	got := make([]place, len(is))
	for i, it := range is {
		got[i] = place{it.Workload.ID, it.Pool}
		if it.Key != keyOf(it) {
			c.broken(ruleIndex, "queue of %s: %s waits with an old key", name, called(it.Workload))
		}
		if i > 0 && it.Key.Before(is[i-1].Key) {
			c.broken(ruleIndex, "queue of %s: %s stands behind %s", name, called(it.Workload), called(is[i-1].Workload))
		}
	}
	sort.Slice(got, func(i, j int) bool { return got[i].before(got[j]) })
	sort.Slice(want, func(i, j int) bool { return want[i].before(want[j]) })
	equal := len(got) == len(want)
	for i := 0; equal && i < len(got); i++ {
		equal = got[i] == want[i]
	}
	if !equal {
		c.broken(ruleIndex, "queue of %s: %v wait and %v should", name, got, want)
	}
}

// starting holds the count of workloads that wait to start against the queue.
func (c *checker) starting(name string, queue []fleet.Waiting, is int) {
	want := 0
	for _, it := range queue {
		if it.Pool == fleet.Base {
			want++
		}
	}
	if is != want {
		c.broken(ruleIndex, "queue of %s: %d workloads are counted that wait to start, and there are %d", name, is, want)
	}
}

func (a place) before(b place) bool {
	if a.id != b.id {
		return a.id < b.id
	}
	return a.pool < b.pool
}

func keyOf(it fleet.Waiting) fleet.Key {
	rank := it.Workload.BaseRank()
	if it.Pool != fleet.Base {
		rank = it.Workload.Pools[it.Pool].Rank
	}
	return fleet.KeyOf(it.Workload, rank, false)
}

// watched asks that the lists of those whom placement looks at again hold them all.
func (c *checker) watched(r *recount) {
	var reserving, broken, growing []*fleet.Workload
	for _, w := range r.work {
		if w.State.Ended() {
			continue
		}
		if _, reserved, _ := phases(w); reserved > 0 {
			reserving = append(reserving, w)
		}
		if w.State == fleet.Mending {
			broken = append(broken, w)
		}
		if w.State == fleet.RunningW && mayGrow(w) {
			growing = append(growing, w)
		}
	}
	c.same("workloads with reserved room", r.p.Reserving(), reserving)
	c.same("workloads that miss replicas of a gang", r.p.Broken(), broken)
	c.same("workloads that may grow", r.p.Growing(), growing)
}

func mayGrow(w *fleet.Workload) bool {
	for i, pool := range w.Pools {
		if n := w.Stays(i); pool.Elastic && n >= pool.Min && n+w.InPhase(i, fleet.Leaving) < pool.Max {
			return true
		}
	}
	return false
}
