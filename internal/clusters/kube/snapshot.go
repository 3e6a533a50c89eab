package kube

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// Snapshot is what a cluster shows at one moment.
type Snapshot struct {
	Nodes     []translate.Node // GPU nodes, by name
	Work      []translate.Work
	Quotas    []translate.Quota // by path
	Queues    map[string]string // Kueue's local queues, namespace/name, and their quotas' paths
	Foreign   map[string]int    // GPUs by node that pods hold which Muster does not manage
	Strangers int               // how many such pods
	Astray    []translate.Pod   // those of them that name a target of Muster's, by name
	Problems  []translate.Problem
}

// objects are what a snapshot is made of, in any order.
type objects struct {
	managed bool               // only pods that are Muster's are its work
	started map[[2]string]bool // workloads of which Muster has started something
	nodes   []translate.Node
	pods    []translate.Pod
	quotas  []translate.Quota
	queues  map[string]string
}

// snapshotOf puts objects together. It depends on what they say alone, not on the order
// in which they came.
func snapshotOf(of objects) Snapshot {
	p := Snapshot{Queues: of.queues, Quotas: merge(of.quotas), Foreign: map[string]int{}}
	for _, n := range of.nodes {
		p.Problems = append(p.Problems, n.Problems...)
		if n.GPU != "" {
			p.Nodes = append(p.Nodes, n)
		}
	}
	var mine []translate.Pod
	for _, pod := range of.pods {
		p.Problems = append(p.Problems, pod.Problems...)
		// A pod that says that Muster has started it, and was not, is not Muster's.
		if !of.managed || pod.Managed() && (pod.Gated || of.started[pod.Workload()]) {
			mine = append(mine, pod)
		} else if pod.Node != "" && !pod.Over {
			p.stranger(pod)
		}
	}
	slices.SortFunc(p.Nodes, func(a, b translate.Node) int { return strings.Compare(a.Name, b.Name) })
	p.sortStrangers()
	p.Work = translate.Group(mine)
	for _, w := range p.Work {
		p.Problems = append(p.Problems, w.Problems...)
	}
	for _, q := range p.Quotas {
		p.Problems = append(p.Problems, q.Problems...)
	}
	p.sortProblems()
	return p
}

func (p *Snapshot) sortProblems() {
	slices.SortFunc(p.Problems, func(a, b translate.Problem) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Text, b.Text))
	})
	p.Problems = slices.Compact(p.Problems)
}

// merge puts what is said of one path together. Of several ResourceQuotas of one
// namespace the smallest binds, as in Kubernetes.
func merge(quotas []translate.Quota) []translate.Quota {
	quotas = slices.Clone(quotas)
	slices.SortFunc(quotas, func(a, b translate.Quota) int { return strings.Compare(a.Path, b.Path) })
	var out []translate.Quota
	for _, q := range quotas {
		if n := len(out); n > 0 && out[n-1].Path == q.Path {
			out[n-1].Problems = append(out[n-1].Problems, q.Problems...)
			if len(q.Grants) == 1 && len(out[n-1].Grants) == 1 && q.Grants[0].GPUs < out[n-1].Grants[0].GPUs {
				out[n-1].Grants = q.Grants
			}
			continue
		}
		out = append(out, q)
	}
	return out
}
