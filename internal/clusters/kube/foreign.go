package kube

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// This file is about GPU pods on the cluster's nodes that Muster does not manage.

// Foreign counts them.
type Foreign struct {
	Pods, GPUs, Nodes int
	Targeted          int // of the pods: those that name a target of Muster's all the same
}

// Foreign counts the GPU pods of the last picture that are bound and not Muster's.
func (a *Agent) Foreign() Foreign {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.foreign
}

// countForeign counts them, and says in the log when the count is another.
func (a *Agent) countForeign(p Picture) {
	is := Foreign{Pods: p.Strangers, Nodes: len(p.Foreign), Targeted: len(p.Astray)}
	for _, gpus := range p.Foreign {
		is.GPUs += gpus
	}
	a.mu.Lock()
	a.foreign = is
	a.mu.Unlock()
	switch {
	case is == Foreign{}:
		if a.news.over("foreign") {
			a.Log.Info("no GPU pod that Muster does not manage is left", "cluster", a.Translate.Cluster)
		}
	case a.news.now("foreign", fmt.Sprint(is)):
		a.Log.Warn("GPU pods that Muster does not manage hold GPUs; nothing is promised on their nodes", "cluster", a.Translate.Cluster,
			"pods", is.Pods, "gpus", is.GPUs, "nodes", is.Nodes, "of them with a target", is.Targeted)
	}
}

// astray says of a pod that names a target and does not wait for Muster why that is.
func astray(p *translate.Pod, enrolled map[string]bool) word {
	if enrolled != nil && !enrolled[translate.Bare(p.Namespace)] {
		return word{reason: "NotEnrolled", message: "It names a target of Muster's, but its namespace is not enrolled (label " + labelEnrolled +
			"=true): it runs without Muster, counts for no quota, and nothing is promised on its node."}
	}
	return word{reason: "NotGated", message: "It names a target of Muster's, but was not made to wait for it (scheduling gate " + translate.Gate +
		"): it was made before its namespace was enrolled, or while admission let pods pass. It runs without Muster and counts for no quota; make it anew."}
}

// sayAstray tells such pods so, once each: in their condition, and by an event.
func (a *Agent) sayAstray(p Picture) (calls []func(context.Context) error) {
	enrolled := a.watch.extras.enrolled()
	for i := range p.Astray {
		pod := p.Astray[i]
		is := astray(&pod, enrolled)
		if pod.Leaving || pod.Admitted == is.message || len(calls) >= mostSaid {
			continue
		}
		calls = append(calls, func(ctx context.Context) error {
			if err := a.client.Say(ctx, pod, false, is.reason, is.message, a.Now().Time()); err != nil {
				return err
			}
			return a.client.Note(ctx, pod, is.reason, is.message, a.Now().Time())
		})
	}
	return calls
}

func byPodName(a, b translate.Pod) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

func (p *Picture) stranger(pod translate.Pod) {
	p.Foreign[pod.Node] += pod.GPUs
	p.Strangers++
	if pod.Wishes.Target != "" && pod.Pinned == "" { // what Muster has started once is none of these
		p.Astray = append(p.Astray, pod)
		p.Problems = append(p.Problems, translate.Problem{
			Object: "pod/" + pod.Namespace + "/" + pod.Name, Text: "it names a target and does not wait for Muster; it is counted as a pod that is not Muster's",
		})
	}
}

func (p *Picture) sortStrangers() { slices.SortFunc(p.Astray, byPodName) }
