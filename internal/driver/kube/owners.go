package kube

import (
	"context"

	"github.com/muster-fleet/muster/internal/driver/kube/translate"
)

// sizes asks the owners of pods that wait how many pods they make, once each: a
// gang is submitted with all of its replicas, though only some are made yet.
func (a *Agent) sizes(ctx context.Context, pods []translate.Pod) {
	for i := range pods {
		p := &pods[i]
		if !p.Gated || p.Wishes.Max > 0 || owners[p.Owner.Kind].Resource == "" {
			continue
		}
		key := p.Owner.Kind + "/" + p.Namespace + "/" + p.Owner.UID
		is, known := a.owners[key]
		if !known {
			got, ok, err := a.client.Owner(ctx, p.Namespace, p.Owner.Kind, p.Owner.Name)
			if err != nil {
				a.Log.Warn("the owner of a pod could not be read", "cluster", a.Translate.Cluster, "pod", p.Namespace+"/"+p.Name, "why", err)
			}
			if !ok {
				continue
			}
			a.owners[key], is = got, got
		}
		p.Owner.Size = is.size
	}
}

// endings says of workloads none of whose pods runs or waits whether that is their
// end: pods that nobody made have ended, and others when their owner says so.
func (a *Agent) endings(ctx context.Context, p Picture) map[[2]string]ending {
	ends := map[[2]string]ending{}
	for _, w := range p.Work {
		over, failed, by := allOver(w)
		if !over {
			continue
		}
		key := [2]string{w.Namespace, w.Name}
		if by.Kind == "" {
			ends[key] = ending{true, failed}
			continue
		}
		if is, ok, err := a.client.Owner(ctx, w.Namespace, by.Kind, by.Name); err == nil && ok {
			ends[key] = is.ending
		}
	}
	return ends
}

// allOver says whether all pods of a workload have ended, whether one has failed,
// and what made them.
func allOver(w translate.Work) (over, failed bool, by translate.Owner) {
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			if !pod.Over {
				return false, false, by
			}
			failed, by = failed || pod.Failed, pod.Owner
		}
	}
	return true, failed, by
}
