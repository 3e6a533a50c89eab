package kube

import (
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
	foreign  map[string]*nodefit.Load  // what stands on nodes and is not Muster's, in this round
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
	c.foreign, c.offers = c.watch.foreignLoads(p), map[string]translate.Node{}
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
			case now != nil && (was == nil || was.Takings != now.Takings):
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
	key, most := fitKey{name, n.Name}, n.GPUs/max(1, is.gpus)
	t := event.TightNode{Node: n.Name}
	if r, rejects := c.rejected[key]; rejects {
		t.Why = r.why
		return &t
	}
	t.Takes, t.Why = nodefit.Takes(is.fit, offers.Fit, c.loadOf(n.Name), c.Translate.Resources)
	t.Takes = min(t.Takes, most)
	if was != nil && was.Full {
		c.beside(&t, key, is, offers.Fit, loads())
	}
	if t.Full && t.More < most || t.Takes < most {
		return &t
	}
	return nil
}

// beside says how many pods a node takes beside all that stands there now, where it was full the last time.
func (c *fitController) beside(t *event.TightNode, key fitKey, is *sample, n *nodefit.Node, all *nodeFits) {
	more, why := nodefit.Takes(is.fit, n, all.loads[key.node], c.Translate.Resources)
	if more = min(more, t.Takes); c.barred[key] != 0 {
		more, why = 0, "a pod did not fit there again and again beside others"
	}
	if more < t.Takes {
		t.Full, t.More, t.Why = true, more, why
	}
}

var nothing = &nodefit.Load{}

func (c *fitController) loadOf(node string) *nodefit.Load {
	if l := c.foreign[node]; l != nil {
		return l
	}
	return nothing
}

// foreignLoads is what stands on nodes and is not Muster's to move.
func (w *Watch) foreignLoads(p Snapshot) map[string]*nodefit.Load {
	mine := map[string]bool{}
	for _, work := range p.Work {
		for _, part := range work.Pools {
			for i := range part.Pods {
				mine[part.Pods[i].UID] = true
			}
		}
	}
	loads := map[string]*nodefit.Load{}
	for _, pod := range w.pods.all() {
		if pod.stands == nil || pod.gpu != nil && mine[pod.gpu.UID] {
			continue
		}
		if loads[pod.node] == nil {
			loads[pod.node] = &nodefit.Load{}
		}
		loads[pod.node].Add(pod.stands)
	}
	return loads
}
