package kube

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// podActions are what is to be done with pods, and what is to be reported, so that what
// runs becomes what should run.
type podActions struct {
	start  []startAction
	evict  []evictAction
	remove []translate.Pod // deleted at once: no workload wants them
	stop   []driver.Stopped
}

// startAction starts a pod on a node.
type startAction struct {
	id   uint64
	pod  translate.Pod
	node string
	pool int
	// footprint is the name by which the state knows what the pod asks for; "": it does not.
	footprint string
	gang      bool // it starts with all others of its workload that start now, or not at all
}

// evictAction asks a pod to leave.
type evictAction struct {
	id    uint64
	pod   translate.Pod
	until fleet.Instant
	whole bool // nothing of its workload stays
}

// plan compares one workload as it should be with its pods. nodes names the nodes of its
// partition. Pods are told apart by what they show alone, so planning again after a crash
// leads to the same.
func (t *podActions) plan(w desiredWork, pools []translate.Part, nodes []string) {
	began := false
	plans := make([]*poolPlan, len(w.Job.Pools))
	for i, pool := range w.Job.Pools {
		plans[i] = newPoolPlan(w, i, partNamed(pools, pool.Name), nodes)
		began = began || plans[i].live > 0
	}
	for i, p := range plans {
		p.leave(t, w)
		p.strays(t)
		if !slices.Contains(w.done, w.Job.Pools[i].Name) {
			p.missing, p.room = p.lacking()
		}
	}
	half := halfMade(w, plans, began)
	for i, p := range plans {
		if half[w.Job.Pools[i].Rank] {
			continue
		}
		for k := range min(len(p.missing), len(p.waiting), p.room) {
			t.start = append(t.start, startAction{
				id: w.Job.ID, pod: p.waiting[k], node: p.missing[k], pool: i, footprint: w.Job.Pools[i].Footprint, gang: !began && !w.Job.Pools[i].Elastic,
			})
		}
	}
}

// halfMade says which ranks do not start before there are enough pods of their pools:
// those of which some gang is not made yet, and nothing runs.
func halfMade(w desiredWork, plans []*poolPlan, began bool) map[int]bool {
	half := map[int]bool{}
	for i, p := range plans {
		is := w.Job.Pools[i]
		gang := !is.Elastic && !began
		if len(p.missing) > len(p.waiting) && (gang || len(p.waiting) == 0) {
			half[is.Rank] = half[is.Rank] || gang
		}
	}
	return half
}

func partNamed(pools []translate.Part, name string) []translate.Pod {
	for _, p := range pools {
		if p.Pool.Name == name {
			return p.Pods
		}
	}
	return nil
}

// poolPlan is one pool: what should be on each node, and what is.
type poolPlan struct {
	pool    int
	names   []string
	stays   map[string]int            // wanted, by node
	orders  map[string][]driver.Slot  // to leave, by node, oldest first
	leaves  map[string]map[uint64]int // how many by which order
	on      map[string][]translate.Pod
	waiting []translate.Pod // gated ones, in the order in which they start
	live    int             // pods that run, or are on their way in or out
	missing []string        // nodes where a pod should be and is not, once per pod
	room    int             // how many may start
}

func newPoolPlan(w desiredWork, pool int, pods []translate.Pod, names []string) *poolPlan {
	p := &poolPlan{
		pool: pool, names: names, stays: map[string]int{}, orders: map[string][]driver.Slot{}, leaves: map[string]map[uint64]int{},
		on: map[string][]translate.Pod{},
	}
	for at, n := range w.running {
		if at.Pool == pool {
			p.stays[p.name(at.Node)] += n
		}
	}
	for at, n := range w.leaving {
		if at.Pool == pool {
			name := p.name(at.Node)
			p.orders[name] = append(p.orders[name], at)
			if p.leaves[name] == nil {
				p.leaves[name] = map[uint64]int{}
			}
			p.leaves[name][at.Order] += n
		}
	}
	for _, list := range p.orders {
		slices.SortFunc(list, func(a, b driver.Slot) int { return cmp.Compare(a.Order, b.Order) })
	}
	p.look(pods)
	return p
}

func (p *poolPlan) name(node int) string {
	if node < 0 || node >= len(p.names) {
		return ""
	}
	return p.names[node]
}

func (p *poolPlan) look(pods []translate.Pod) {
	for _, pod := range pods {
		switch {
		case pod.Over:
		case pod.Gated && pod.Unmade:
		case pod.Gated && !pod.Leaving:
			p.waiting = append(p.waiting, pod)
		case !pod.Gated:
			p.on[pod.At()] = append(p.on[pod.At()], pod)
			p.live++
		}
	}
	slices.SortStableFunc(p.waiting, func(a, b translate.Pod) int { return cmp.Compare(a.Index, b.Index) })
}

func (p *poolPlan) leaving(node string) int {
	n := 0
	for _, k := range p.leaves[node] {
		n += k
	}
	return n
}

// leave evicts what has to leave a node, the newest first, and reports the orders that are
// carried out: the replicas that leave one node by one order, together. No pod is evicted
// that is to stay: those of an earlier order may have left already, and not be reported.
func (p *poolPlan) leave(t *podActions, w desiredWork) {
	for _, node := range slices.Sorted(maps.Keys(p.orders)) {
		there := 0
		for _, pod := range p.on[node] {
			if pod.Leaving {
				there++
			}
		}
		over := len(p.on[node]) - there - p.stays[node]
		for _, pod := range slices.Backward(p.on[node]) {
			if there >= p.leaving(node) || over <= 0 {
				break
			}
			if !pod.Leaving {
				t.evict = append(t.evict, evictAction{w.Job.ID, pod, w.until, len(w.running) == 0})
				there++
				over--
			}
		}
		gone := p.leaving(node) - there
		for _, at := range p.orders[node] {
			n := p.leaves[node][at.Order]
			if gone -= n; gone < 0 {
				break
			}
			spot := fleet.Spot{Pool: at.Pool, Order: at.Order, Nodes: slices.Repeat([]int{at.Node}, n)}
			t.stop = append(t.stop, driver.Stopped{ID: w.Job.ID, Spots: []fleet.Spot{spot}})
		}
	}
}

// strays deletes pods on nodes where none of the workload should run.
func (p *poolPlan) strays(t *podActions) {
	for _, node := range slices.Sorted(maps.Keys(p.on)) {
		staying := 0
		for _, pod := range p.on[node] {
			if !pod.Leaving {
				staying++
			}
		}
		over := staying - p.stays[node]
		if p.leaving(node) > 0 {
			continue // leave deals with it
		}
		for _, pod := range slices.Backward(p.on[node]) {
			if over > 0 && !pod.Leaving {
				t.remove = append(t.remove, pod)
				over--
			}
		}
	}
}

// lacking lists the nodes where a pod should be and is not, once per pod, and how many may
// start. Those that start and those that are still there are never more than are wanted
// and leave, so a rank starts again only when its last copy is gone for certain. On a node
// that some still leave none starts.
func (p *poolPlan) lacking() (nodes []string, room int) {
	most := 0
	for _, node := range slices.Sorted(maps.Keys(p.stays)) {
		there := 0
		for _, pod := range p.on[node] {
			if !pod.Leaving {
				there++
			}
		}
		most += p.stays[node]
		if p.leaving(node) > 0 {
			continue
		}
		for range p.stays[node] - there {
			nodes = append(nodes, node)
		}
	}
	for node := range p.leaves {
		most += p.leaving(node)
	}
	return nodes, max(0, most-p.live)
}
