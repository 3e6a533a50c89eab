package kube

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// fitController tells the engine which nodes take fewer pods than they have GPUs for, since their processors,
// memory, host ports or the like are taken. It says so by footprint (fleet.Footprint), twice:
//
//   - ahead, of what is not Muster's on the nodes: with this work starts where it fits at the first go;
//   - of what Muster has started itself, only where a start did not fit (see unfit.go).
//
// What it remembers is a memory only, except that it keeps who does not fit from being sent to and fro.
type fitController struct {
	*shared
	samples  map[string]*sample        // pods that wait, by footprint
	rejected map[fitKey]rejection      // what kubelets did not let run
	seen     map[string]bool           // pods, by UID, whose rejection was noted
	failed   map[startKey]int          // how often a start did not fit
	barred   map[fitKey]fleet.Instant  // until when a node counts as full for a footprint
	foreign  map[string]*foreignPods   // what stands on nodes and is not Muster's, in this round
	offers   map[string]translate.Node // nodes, in this round
}

// fitKey is a footprint on a node.
type fitKey struct{ footprint, node string }

// startKey is a start of a workload on a node.
type startKey struct {
	id   uint64
	node string
}

// sample is a pod that asks for a footprint, when one waited last, and the GPUs of the smallest.
type sample struct {
	fit  *nodefit.Pod
	gpus int
	at   fleet.Instant
}

// rejection is why a kubelet did not let a pod run, and until when that counts.
type rejection struct {
	why   string
	until fleet.Instant
}

// How long things are remembered.
const (
	// askedFor is how long nodes are watched for a footprint of which no pod waits any more.
	askedFor = 10 * time.Minute
	// heldFor is how long a node counts as full for a footprint that a kubelet rejected there, or that did
	// not fit there again and again though it seemed to.
	heldFor = 10 * time.Minute
	// mostFailed is how often a workload may be sent to a node that does not take it, though it seemed to.
	mostFailed = 2
)

func newFitController(s *shared) *fitController {
	return &fitController{
		shared: s, samples: map[string]*sample{}, rejected: map[fitKey]rejection{}, seen: map[string]bool{}, failed: map[startKey]int{},
		barred: map[fitKey]fleet.Instant{},
	}
}

// report lists what of all this the state does not know yet.
func (c *fitController) report(s *fleet.State, p Snapshot) (commands []core.Command) {
	c.look(s, p)
	if len(c.samples) == 0 && !knowsTight(s, c.Translate.Cluster) {
		return nil
	}
	c.foreign, c.offers = c.watch.foreignIn(p), map[string]translate.Node{}
	for _, n := range p.Nodes {
		c.offers[n.Name] = n
	}
	var all *nodeFits
	loads := func() *nodeFits {
		if all == nil {
			all = c.watch.fits(p)
		}
		return all
	}
	for _, part := range s.Partitions {
		if part.Cluster == c.Translate.Cluster {
			commands = append(commands, c.ofPartition(part, loads)...)
		}
	}
	return commands
}

func knowsTight(s *fleet.State, cluster string) bool {
	return slices.ContainsFunc(s.Partitions, func(p *fleet.Partition) bool { return p.Cluster == cluster && len(p.Footprints) > 0 })
}

// look notes for which footprints pods wait, and what was rejected. It forgets what is long ago.
func (c *fitController) look(s *fleet.State, p Snapshot) {
	now := c.Now()
	there := map[string]bool{}
	for _, w := range p.Work {
		is := s.Workload(w.Namespace, w.Name)
		for _, part := range w.Pools {
			for i := range part.Pods {
				pod := &part.Pods[i]
				if pod.Rejected != "" {
					there[pod.UID] = true
					c.noteRejected(pod, footprintOf(is, part.Pool, pod), now)
				}
				if pod.Gated && pod.Fit != nil && !pod.Over {
					c.noteWaits(pod, footprintOf(is, part.Pool, pod), now)
				}
			}
		}
	}
	maps.DeleteFunc(c.seen, func(uid string, _ bool) bool { return !there[uid] })
	maps.DeleteFunc(c.samples, func(_ string, is *sample) bool { return now >= is.at.Add(askedFor) })
	maps.DeleteFunc(c.rejected, func(_ fitKey, r rejection) bool { return now >= r.until })
	maps.DeleteFunc(c.barred, func(_ fitKey, until fleet.Instant) bool { return now >= until })
	maps.DeleteFunc(c.failed, func(key startKey, _ int) bool { return s.Workloads[key.id] == nil || s.Workloads[key.id].State.Ended() })
}

// footprintOf is the name by which the state knows what a pod asks for: that of its pool, or its own while the
// workload is not known.
func footprintOf(w *fleet.Workload, pool fleet.Pool, pod *translate.Pod) string {
	if w != nil && !w.State.Ended() {
		for _, is := range w.Pools {
			if is.Name == pool.Name {
				return is.Footprint
			}
		}
	}
	return pod.Footprint
}

func (c *fitController) noteRejected(pod *translate.Pod, footprint string, now fleet.Instant) {
	if c.seen[pod.UID] {
		return
	}
	c.seen[pod.UID] = true
	why := fmt.Sprintf("its kubelet rejected the pod %s/%s: %s", pod.Namespace, pod.Name, pod.Rejected)
	c.Log.Warn("a kubelet rejected a pod", "cluster", c.Translate.Cluster, "pod", pod.Namespace+"/"+pod.Name, "node", pod.Node, "why", pod.Rejected)
	c.rejected[fitKey{footprint, pod.Node}] = rejection{why, now.Add(heldFor)}
}

func (c *fitController) noteWaits(pod *translate.Pod, footprint string, now fleet.Instant) {
	if footprint == "" {
		return
	}
	is := c.samples[footprint]
	if is == nil {
		is = &sample{fit: pod.Fit, gpus: pod.GPUs}
		c.samples[footprint] = is
	}
	is.gpus, is.at = min(is.gpus, pod.GPUs), now
}

// ofPartition lists what is new about the nodes of a partition.
func (c *fitController) ofPartition(p *fleet.Partition, loads func() *nodeFits) (commands []core.Command) {
	for _, name := range slices.Sorted(maps.Keys(c.samples)) {
		is, f := c.samples[name], p.Footprint(name)
		r := core.ReportFit{Partition: p.ID, Footprint: name}
		for i, n := range p.Nodes {
			was := f.At(i)
			switch now := c.tightness(name, is, n, was, loads); {
			case now == nil && was != nil:
				r.Loose = append(r.Loose, n.Name)
			case now != nil && (was == nil || was.Takings != now.Takings || c.gone(n.Name, was.By)):
				r.Tight = append(r.Tight, *now)
			}
		}
		if len(r.Tight)+len(r.Loose) > 0 {
			commands = append(commands, r)
		}
	}
	for _, f := range p.Footprints {
		if c.samples[f.Name] == nil {
			commands = append(commands, forgotFootprint(p, f))
		}
	}
	return commands
}

// forgotFootprint forgets what is known for a footprint for which no pod waits.
func forgotFootprint(p *fleet.Partition, f *fleet.Footprint) core.Command {
	r := core.ReportFit{Partition: p.ID, Footprint: f.Name}
	for _, t := range f.Tight {
		r.Loose = append(r.Loose, p.Nodes[t.Node].Name)
	}
	return r
}

// tightness is what there is to know of a node for a footprint; nil: it takes as many pods as it has GPUs for.
func (c *fitController) tightness(name string, is *sample, n *fleet.Node, was *fleet.Tight, loads func() *nodeFits) *event.TightNode {
	offers, known := c.offers[n.Name]
	if !known || offers.Fit == nil {
		return nil
	}
	most, beside := n.GPUs/max(1, is.gpus), (*nodefit.Load)(nil)
	if was != nil && was.Full {
		beside = loads().loadOf(n.Name)
	}
	t := c.takings(fitKey{name, n.Name}, most, beside)
	if t.Full && t.More < most || t.Takes < most {
		return &t
	}
	return nil
}

// takings are how many pods of a footprint a node takes, and what keeps it from taking more. most is as many as it has
// GPUs for. beside is all that stands there, Muster's own work too. Without it only what is not Muster's counts.
func (c *fitController) takings(key fitKey, most int, beside *nodefit.Load) event.TightNode {
	t := event.TightNode{Node: key.node}
	is, n := c.samples[key.footprint], c.offers[key.node].Fit
	if is == nil || n == nil {
		return t
	}
	takes := func(load *nodefit.Load) (int, nodefit.Short) {
		n, short := nodefit.Takes(is.fit, n, load, c.Translate.Resources)
		return min(n, most), short
	}
	t.Empty, _ = takes(&nodefit.Load{})
	if r, rejects := c.rejected[key]; rejects {
		t.Why = r.why
		return t
	}
	there := c.foreignOn(key.node)
	var short nodefit.Short
	if t.Takes, short = takes(&there.load); t.Takes < t.Empty {
		t.By = there.largest(short)
	}
	t.Why = short.Why
	if beside == nil {
		return t
	}
	more, short := takes(beside)
	if c.barred[key] != 0 {
		more, short.Why = 0, "a pod did not fit there again and again beside others"
	}
	if more < t.Takes {
		t.Full, t.More, t.Why = true, more, short.Why
	}
	return t
}

// foreignPods is what stands on a node and is not Muster's to move.
type foreignPods struct {
	load nodefit.Load
	pods []foreignPod
}

type foreignPod struct {
	name string // namespace/name
	is   *nodefit.Pod
}

// mostForeign is how many pods are named that have what a node is short of.
const mostForeign = 3

// largest names those who have most of what is short.
func (f *foreignPods) largest(short nodefit.Short) (names []string) {
	list := slices.DeleteFunc(slices.Clone(f.pods), func(p foreignPod) bool { return short.HeldBy(p.is) == 0 })
	slices.SortFunc(list, func(a, b foreignPod) int {
		return cmp.Or(cmp.Compare(short.HeldBy(b.is), short.HeldBy(a.is)), cmp.Compare(a.name, b.name))
	})
	for _, p := range list[:min(len(list), mostForeign)] {
		names = append(names, p.name)
	}
	return names
}

func (c *fitController) foreignOn(node string) *foreignPods {
	if f := c.foreign[node]; f != nil {
		return f
	}
	return &foreignPods{}
}

// gone says whether none of the pods that were named stands on a node any more, so that others are to be named.
func (c *fitController) gone(node string, named []string) bool {
	return len(named) > 0 && !slices.ContainsFunc(c.foreignOn(node).pods, func(p foreignPod) bool { return slices.Contains(named, p.name) })
}

// foreignIn is what stands on each node and is not Muster's to move.
func (w *Watch) foreignIn(p Snapshot) map[string]*foreignPods {
	mine := map[string]bool{}
	for _, work := range p.Work {
		for _, part := range work.Pools {
			for i := range part.Pods {
				mine[part.Pods[i].UID] = true
			}
		}
	}
	all := map[string]*foreignPods{}
	w.pods.each(func(name string, pod seenPod) {
		if pod.stands == nil || pod.gpu != nil && mine[pod.gpu.UID] {
			return
		}
		on := all[pod.node]
		if on == nil {
			on = &foreignPods{}
			all[pod.node] = on
		}
		on.load.Add(pod.stands)
		on.pods = append(on.pods, foreignPod{name, pod.stands})
	})
	return all
}
