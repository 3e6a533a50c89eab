package kube

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// nodeFits knows what every node offers and what stands there, so that Muster binds no pod
// which kube-scheduler would refuse.
type nodeFits struct {
	nodes     map[string]*nodefit.Node
	loads     map[string]*nodefit.Load
	repellers []nodefit.Repeller
	rejected  map[fitKey]rejection
}

// fits looks at all nodes and pods of the cluster, those that are no business of Muster's
// too. Pods that a snapshot shows on their way to a node count there.
func (w *Watch) fits(p Snapshot) *nodeFits {
	f := &nodeFits{nodes: map[string]*nodefit.Node{}, loads: map[string]*nodefit.Load{}}
	for _, n := range w.nodes.all() {
		f.nodes[n.Name], f.loads[n.Name] = n.Fit, &nodefit.Load{}
	}
	for _, pod := range w.pods.all() {
		if pod.stands != nil {
			f.take(pod.stands, pod.node)
		}
	}
	for _, work := range p.Work {
		for _, part := range work.Pools {
			for i := range part.Pods {
				if pod := &part.Pods[i]; pod.Node == "" && pod.At() != "" && pod.Fit != nil && !pod.Over {
					f.take(pod.Fit, pod.At())
				}
			}
		}
	}
	return f
}

// loadOf is all that stands on a node.
func (f *nodeFits) loadOf(node string) *nodefit.Load {
	if l := f.loads[node]; l != nil {
		return l
	}
	return &nodefit.Load{}
}

// take counts a pod on a node.
func (f *nodeFits) take(p *nodefit.Pod, node string) {
	on := f.nodes[node]
	if on == nil {
		return
	}
	f.loads[node].Add(p)
	for _, r := range p.Repels {
		f.repellers = append(f.repellers, nodefit.Repeller{Repel: r, On: on})
	}
}

// why says why a pod cannot start on a node; "": it can, or nothing is known against it. moves says
// that another node may take it: what is wrong is what stands on this one, or what this one is.
func (f *nodeFits) why(s startAction) (why string, moves bool) {
	p, node := &s.pod, f.nodes[s.node]
	switch {
	case p.Fit == nil:
		return "", false
	case p.Binds && p.Barred != "":
		return "Only kube-scheduler can bind it, because " + p.Barred + ", but its schedulerName is " + translate.Scheduler + "; " + translate.ForKubeScheduler + ".", false
	case node == nil && p.Binds:
		return fmt.Sprintf("Muster chose node %s for it, which the cluster does not show.", translate.Bare(s.node)), false
	case node == nil:
		return "", false
	}
	if why := f.rejects(s); why != "" {
		return fmt.Sprintf("Muster chose node %s for it, but %s.", translate.Bare(s.node), why), true
	}
	misfits := nodefit.Misfits(p.Fit, node, f.loads[s.node], f.repellers)
	if !p.Binds { // of other pods' anti-affinity kube-scheduler knows more
		misfits = slices.DeleteFunc(misfits, func(m nodefit.Misfit) bool { return m.Kind == nodefit.Repelled })
	}
	if len(misfits) == 0 {
		return "", false
	}
	return fmt.Sprintf("Muster chose node %s for it, but it does not fit there: %s.", translate.Bare(s.node), nodefit.Say(misfits)),
		!slices.ContainsFunc(misfits, nodefit.Misfit.Passes)
}

// rejects says why a kubelet did not let such a pod run lately; "": it did, or was not asked.
func (f *nodeFits) rejects(s startAction) string { return f.rejected[fitKey{s.footprint, s.node}].why }

// fitting keeps the starts that nodes take as they are. Of a gang that does not run yet none
// starts where one cannot. Why a pod does not start is in unfit, by UID. Those that
// another node may take are misplaced. The nodes are looked at where pods are to start.
func fitting(starts []startAction, look func() *nodeFits) (fit []startAction, unfit map[string]string, misplaced []misplacedPod) {
	unfit = map[string]string{}
	var nodes *nodeFits
	for len(starts) > 0 {
		n := slices.IndexFunc(starts, func(s startAction) bool { return s.id != starts[0].id })
		if n < 0 {
			n = len(starts)
		}
		of := starts[:n] // of one workload
		starts = starts[n:]
		if nodes == nil {
			nodes = look()
		}
		more, moves := nodes.fitting(of, unfit)
		fit, misplaced = append(fit, more...), append(misplaced, moves...)
	}
	return fit, unfit, misplaced
}

// fitting keeps those starts of one workload that its nodes take.
func (f *nodeFits) fitting(starts []startAction, unfit map[string]string) (fit []startAction, misplaced []misplacedPod) {
	gangHeld := false
	for _, s := range starts {
		why, moves := f.why(s)
		if why == "" && s.pod.Fit != nil {
			f.take(s.pod.Fit, s.node) // even if its gang is held: its room is meant for it
		}
		if why != "" {
			unfit[s.pod.UID] = why
			gangHeld = gangHeld || s.gang
			if moves && s.footprint != "" {
				misplaced = append(misplaced, misplacedPod{s, why})
			}
			continue
		}
		fit = append(fit, s)
	}
	if !gangHeld {
		return fit, misplaced
	}
	return slices.DeleteFunc(fit, func(s startAction) bool { return s.gang }), misplaced
}
