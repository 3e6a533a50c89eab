package kube

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// This file is about GPU pods on the cluster's nodes that Muster does not manage.

// Foreign counts them.
type Foreign struct {
	Pods, GPUs, Nodes int
	Targeted          int // of the pods: those that name a target of Muster's even so
}

// foreignController counts the GPU pods that Muster does not manage.
type foreignController struct {
	*shared
	mu   sync.Mutex
	then Foreign
}

func (c *foreignController) last() Foreign {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.then
}

// count counts them, and logs it when the count changes.
func (c *foreignController) count(p Snapshot) {
	is := Foreign{Pods: p.Strangers, Nodes: len(p.Foreign), Targeted: len(p.Astray)}
	for _, gpus := range p.Foreign {
		is.GPUs += gpus
	}
	c.mu.Lock()
	c.then = is
	c.mu.Unlock()
	switch {
	case is == Foreign{}:
		if c.logged.over("foreign") {
			c.Log.Info("no GPU pod that Muster does not manage is left", "cluster", c.Translate.Cluster)
		}
	case c.logged.now("foreign", fmt.Sprint(is)):
		c.Log.Warn("GPU pods that Muster does not manage hold GPUs; nothing is promised on their nodes", "cluster", c.Translate.Cluster,
			"pods", is.Pods, "gpus", is.GPUs, "nodes", is.Nodes, "of them with a target", is.Targeted)
	}
}

func byPodName(a, b translate.Pod) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

func (p *Snapshot) stranger(pod translate.Pod) {
	p.Foreign[pod.Node] += pod.GPUs
	p.Strangers++
	if pod.Wishes.Target != "" && pod.Pinned == "" { // what Muster has started once is none of these
		p.Astray = append(p.Astray, pod)
		p.Problems = append(p.Problems, translate.Problem{
			Object: "pod/" + pod.Namespace + "/" + pod.Name, Text: "it names a target and does not wait for Muster; it is counted as a pod that is not Muster's",
		})
	}
}

func (p *Snapshot) sortStrangers() { slices.SortFunc(p.Astray, byPodName) }
