package kube

import (
	"cmp"
	"context"
	"iter"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file fences nodes whose kubelet does not answer, where it was asked for: pods
// that left such a node long ago are taken for gone, and their ranks start elsewhere.
// Kubernetes takes them away when the node has the out-of-service taint. A kubelet that
// is silent says nothing about what still runs: who asks for this answers for machines
// that are silent for so long being off.

// fenceController fences nodes whose kubelet is silent.
type fenceController struct {
	*shared
	leavingSince map[string]fleet.Instant // of pods, by UID
}

// fencing is a node that gets the taint, or loses it.
type fencing struct {
	node  string
	taint bool
}

// reconcile gives nodes the taint whose silence has lasted long enough, and takes it from
// nodes that answer again.
func (c *fenceController) reconcile(ctx context.Context, p Snapshot) {
	if c.FenceAfter <= 0 {
		return
	}
	var calls []func() error
	for _, f := range c.fencings(p) {
		c.Log.Warn("a silent node is fenced, or answers again", "cluster", c.Translate.Cluster, "node", translate.Bare(f.node), "fenced", f.taint)
		calls = append(calls, func() error { return c.client.Fence(ctx, translate.Bare(f.node), f.taint) })
	}
	c.atOnce(ctx, calls)
}

// fencings lists what is to be done. When pods began to leave is a memory of this agent
// only: a new one waits anew, and so fences later, never sooner.
func (c *fenceController) fencings(p Snapshot) (list []fencing) {
	waits := c.leftLongAgo(p)
	for _, n := range p.Nodes {
		silent := n.Silent != 0
		if silent && waits[n.Name] && !n.Fenced && c.Now() >= n.Silent.Add(c.FenceAfter) || !silent && n.Fenced {
			list = append(list, fencing{n.Name, silent})
		}
	}
	return list
}

// leftLongAgo names the nodes which pods of Muster's have been leaving for long enough.
func (c *fenceController) leftLongAgo(p Snapshot) map[string]bool {
	nodes, since := map[string]bool{}, map[string]fleet.Instant{}
	for pod := range p.leaving() {
		since[pod.UID] = cmp.Or(c.leavingSince[pod.UID], c.Now())
		if c.Now() >= since[pod.UID].Add(max(c.FenceAfter, pod.Wishes.Grace)) {
			nodes[pod.Node] = true
		}
	}
	c.leavingSince = since
	return nodes
}

// leaving lists the pods of Muster's that are on their way out of a node.
func (p *Snapshot) leaving() iter.Seq[*translate.Pod] {
	return func(yield func(*translate.Pod) bool) {
		for _, w := range p.Work {
			for _, part := range w.Pools {
				for i := range part.Pods {
					if pod := &part.Pods[i]; pod.Leaving && !pod.Over && pod.Node != "" && !yield(pod) {
						return
					}
				}
			}
		}
	}
}

// Fence gives a node the out-of-service taint, or takes away the one that it was given
// so. Another writer at the same time wins, and it is done again.
func (c *Client) Fence(ctx context.Context, node string, taint bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	node = translate.Bare(node)
	var is corev1.Node
	if err := c.core.Get().Resource("nodes").Name(node).Do(ctx).Into(&is); err != nil {
		return notThere(err)
	}
	taints := slices.DeleteFunc(slices.Clone(is.Spec.Taints), func(t corev1.Taint) bool { return t.Key == translate.OutOfService && t.Value == translate.FencedBy })
	if taint {
		taints = append(taints, corev1.Taint{Key: translate.OutOfService, Value: translate.FencedBy, Effect: corev1.TaintEffectNoExecute})
	}
	return gone(c.patchNode(ctx, node, types.MergePatchType, map[string]any{
		"metadata": map[string]any{"resourceVersion": is.ResourceVersion}, "spec": map[string]any{"taints": taints},
	}))
}
