package chaos_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file gives nodes cores beside GPUs. Pods ask for some, and pods that are not Muster's take some. A stand-in for
// the agents reports which nodes are tight, and gives back what does not fit, as internal/clusters/kube does. It draws
// nothing where nodes have enough, so that the other stories stay as they are.

// footprints name how many cores a replica asks for.
var footprints = []string{"cpu 64", "cpu 64", "cpu 40", "cpu 8"}

func coresOf(footprint string) (n int) {
	_, _ = fmt.Sscanf(footprint, "cpu %d", &n)
	return n
}

// cores is what nodes have beside GPUs, and what an agent remembers.
type cores struct {
	each      int            // of a node
	strangers map[string]int // taken by pods that are not Muster's, by node
	stands    map[uint64]map[place]int
	failed    map[start]int
	barred    map[fitKey]fleet.Instant
	unfit     int // replicas that were given back
}

type (
	place struct{ pool, node int }
	start struct {
		id   uint64
		node string
	}
	fitKey struct{ footprint, node string }
)

func newCores(each int) *cores {
	return &cores{each: each, strangers: map[string]int{}, stands: map[uint64]map[place]int{}, failed: map[start]int{}, barred: map[fitKey]fleet.Instant{}}
}

// takesCores lets pods that are not Muster's come to a node, or leave it.
func (a *author) takesCores(st *step) {
	p := a.partition()
	if len(p.Nodes) == 0 {
		st.do = core.Tick{}
		return
	}
	st.trick, st.node, st.in = strangersCome, pick(a, p.Nodes...).Name, pick(a, 0, 0, 10, 60, 60, 96)
}

// mostRounds is how often agents may report after one line of a script until nothing is new.
const mostRounds = 60

// fit lets the agents report until nothing is new. What has started then fits where it is.
func (w *world) fit() *failure {
	if w.cores == nil {
		return nil
	}
	for range mostRounds {
		commands := w.cores.report(w)
		if len(commands) == 0 {
			return nil
		}
		for _, c := range commands {
			if f := w.request(c); f != nil {
				return f
			}
		}
	}
	return &failure{rule: "starts that do not fit come to an end", detail: fmt.Sprintf("after %d reports some do not fit yet", mostRounds) + w.partitionsText()}
}

// report is what the agents say now: first what does not fit, then what is new about nodes.
func (c *cores) report(w *world) (list []core.Command) {
	c.forget(w)
	for _, v := range w.active() {
		if cl := w.s.Cluster(v.At().Cluster); cl.Stale {
			continue // its reports do not come through
		}
		list = append(list, c.begin(w, v)...)
	}
	if len(list) > 0 {
		return list
	}
	for _, p := range w.s.Partitions {
		if !w.s.Cluster(p.Cluster).Stale {
			list = append(list, c.news(w, p)...)
		}
	}
	return list
}

// forget drops what stands no more, and what no longer counts.
func (c *cores) forget(w *world) {
	for id, on := range c.stands {
		v := w.s.Workloads[id]
		if v == nil || v.At() == nil {
			delete(c.stands, id)
			continue
		}
		there := placesOf(v, func(r fleet.Replica) bool { return r.Phase != fleet.Reserved })
		for at, n := range on {
			if on[at] = min(n, there[at]); on[at] == 0 {
				delete(on, at)
			}
		}
	}
	for key, until := range c.barred {
		if w.now >= until {
			delete(c.barred, key)
		}
	}
}

func placesOf(v *fleet.Workload, is func(fleet.Replica) bool) map[place]int {
	all := map[place]int{}
	for pool, replicas := range v.Replicas {
		for _, r := range replicas {
			if is(r) {
				all[place{pool, r.Node}]++
			}
		}
	}
	return all
}

// begin starts what of a workload is to start, where it fits. A gang of which nothing runs starts whole or not at all.
func (c *cores) begin(w *world, v *fleet.Workload) (list []core.Command) {
	on := c.stands[v.ID]
	if on == nil {
		on = map[place]int{}
		c.stands[v.ID] = on
	}
	first := len(on) == 0
	var fits, unfits []place
	wants := placesOf(v, func(r fleet.Replica) bool { return r.Phase == fleet.Running })
	for _, at := range inOrder(wants) {
		for n := on[at]; n < wants[at]; n++ {
			if asks := coresOf(v.Pools[at.pool].Footprint); asks == 0 || c.free(w, v.At(), at.node) >= asks {
				on[at]++
				fits = append(fits, at)
				continue
			}
			unfits = append(unfits, at)
		}
	}
	if len(unfits) == 0 {
		return nil
	}
	for _, at := range unfits {
		list = append(list, c.full(w, v, at)...)
	}
	if first {
		for _, at := range fits {
			delete(on, at)
		}
		unfits = append(unfits, fits...)
	}
	c.unfit += len(unfits)
	return append(list, core.ReportUnfit{ID: v.ID, Spots: spotsOf(unfits), Why: "insufficient cpu"})
}

func inOrder(places map[place]int) (list []place) {
	for at := range places {
		list = append(list, at)
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Or(cmp.Compare(a.pool, b.pool), cmp.Compare(a.node, b.node)) })
	return list
}

func spotsOf(places []place) (spots []fleet.Spot) {
	for _, at := range places {
		i := slices.IndexFunc(spots, func(s fleet.Spot) bool { return s.Pool == at.pool })
		if i < 0 {
			i = len(spots)
			spots = append(spots, fleet.Spot{Pool: at.pool})
		}
		spots[i].Nodes = append(spots[i].Nodes, at.node)
	}
	return spots
}

// free is how many cores of a node are not taken.
func (c *cores) free(w *world, p *fleet.Partition, node int) int {
	free := c.each - c.strangers[p.Nodes[node].Name]
	for id, on := range c.stands {
		v := w.s.Workloads[id]
		if v == nil || v.At() != p {
			continue
		}
		for at, n := range on {
			if at.node == node {
				free -= n * coresOf(v.Pools[at.pool].Footprint)
			}
		}
	}
	return free
}

// mostFailed and barredFor are as the agents have them.
const (
	mostFailed = 2
	barredFor  = 10 * time.Minute
)

// full says that a node takes no more than still fit there.
func (c *cores) full(w *world, v *fleet.Workload, at place) (list []core.Command) {
	p := v.At()
	name := p.Nodes[at.node].Name
	key := start{v.ID, name}
	again := c.failed[key] >= mostFailed
	c.failed[key]++
	for i, pool := range v.Pools {
		if pool.Footprint == "" || i != at.pool && !again {
			continue
		}
		if again {
			c.barred[fitKey{pool.Footprint, name}] = w.now.Add(barredFor)
		}
		t := c.takings(w, p, at.node, pool.Footprint, true)
		if !t.Full {
			t.Full, t.More = true, t.Takes
		}
		list = append(list, core.ReportFit{Partition: p.ID, Footprint: pool.Footprint, Tight: []event.TightNode{{Node: name, Takings: t, Why: "few cores"}}})
	}
	return list
}

func (c *cores) takings(w *world, p *fleet.Partition, node int, footprint string, beside bool) (t fleet.Takings) {
	n, each := p.Nodes[node], coresOf(footprint)
	t.Empty = min(n.GPUs, c.each/each)
	t.Takes = min(n.GPUs, max(0, c.each-c.strangers[n.Name])/each)
	if !beside {
		return t
	}
	more := min(n.GPUs, max(0, c.free(w, p, node))/each)
	if c.barred[fitKey{footprint, n.Name}] != 0 {
		more = 0
	}
	if more < t.Takes {
		t.Full, t.More = true, more
	}
	return t
}

// news is what of a partition's nodes the state does not know yet.
func (c *cores) news(w *world, p *fleet.Partition) (list []core.Command) {
	for _, footprint := range footprints[1:] {
		if !asked(w, footprint) {
			continue
		}
		f, r := p.Footprint(footprint), core.ReportFit{Partition: p.ID, Footprint: footprint}
		for i, n := range p.Nodes {
			was := f.At(i)
			t := c.takings(w, p, i, footprint, was != nil && was.Full)
			switch tight := t.Takes < n.GPUs || t.Full && t.More < n.GPUs; {
			case !tight && was != nil:
				r.Loose = append(r.Loose, n.Name)
			case tight && (was == nil || was.Takings != t):
				r.Tight = append(r.Tight, event.TightNode{Node: n.Name, Takings: t, Why: "few cores"})
			}
		}
		if len(r.Tight)+len(r.Loose) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// asked says whether some work asks for a footprint.
func asked(w *world, footprint string) bool {
	return slices.ContainsFunc(w.open(), func(v *fleet.Workload) bool {
		return slices.ContainsFunc(v.Pools, func(p fleet.Pool) bool { return p.Footprint == footprint })
	})
}
