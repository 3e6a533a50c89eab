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

// why says why a pod cannot be bound to a node; "": it can, or is not Muster's to bind.
func (f *nodeFits) why(p *translate.Pod, node string) string {
	switch {
	case !p.Binds:
		return ""
	case p.Barred != "":
		return "Only kube-scheduler can bind it, because " + p.Barred + ", but its schedulerName is " + translate.Scheduler + "; make it anew without a schedulerName."
	case f.nodes[node] == nil:
		return fmt.Sprintf("Muster chose node %s for it, which the cluster does not show.", translate.Bare(node))
	}
	misfits := nodefit.Misfits(p.Fit, f.nodes[node], f.loads[node], f.repellers)
	if len(misfits) == 0 {
		return ""
	}
	return fmt.Sprintf("Muster chose node %s for it, but it does not fit there: %s.", translate.Bare(node), nodefit.Say(misfits))
}

// fitting keeps the starts that nodes take as they are. Of a gang that does not run yet none
// starts where one cannot. unfit says by UID why a pod does not start. look is called where a
// pod is Muster's to bind.
func fitting(starts []startAction, look func() *nodeFits) (fit []startAction, unfit map[string]string) {
	unfit = map[string]string{}
	var nodes *nodeFits
	for len(starts) > 0 {
		n := slices.IndexFunc(starts, func(s startAction) bool { return s.id != starts[0].id })
		if n < 0 {
			n = len(starts)
		}
		of := starts[:n] // of one workload
		starts = starts[n:]
		if nodes == nil && slices.ContainsFunc(of, func(s startAction) bool { return s.pod.Binds }) {
			nodes = look()
		}
		if nodes == nil {
			fit = append(fit, of...)
			continue
		}
		fit = append(fit, nodes.fitting(of, unfit)...)
	}
	return fit, unfit
}

// fitting keeps those starts of one workload that its nodes take.
func (f *nodeFits) fitting(starts []startAction, unfit map[string]string) (fit []startAction) {
	gangHeld := false
	for _, s := range starts {
		why := f.why(&s.pod, s.node)
		if why == "" && s.pod.Fit != nil {
			f.take(s.pod.Fit, s.node) // even if its gang is held: its room is meant for it
		}
		if why != "" {
			unfit[s.pod.UID] = why
			gangHeld = gangHeld || s.gang
			continue
		}
		fit = append(fit, s)
	}
	if !gangHeld {
		return fit
	}
	return slices.DeleteFunc(fit, func(s startAction) bool { return s.gang })
}
