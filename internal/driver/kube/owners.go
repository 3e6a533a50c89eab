package kube

import (
	"context"

	"github.com/muster-fleet/muster/internal/driver/kube/translate"
	"github.com/muster-fleet/muster/internal/fleet"
)

// sizes asks the owners of pods that wait how many pods they make, once each: a
// gang is submitted with all of its replicas, though only some are made yet.
func (a *Agent) sizes(ctx context.Context, pods []translate.Pod) {
	a.askOwners(ctx, pods)
	for i := range pods {
		if p := &pods[i]; asksOwner(p) {
			if is, known := a.owners[ownerKey(p)]; known {
				p.Owner.Size = is.size
			} else if a.unasked[ownerKey(p)] {
				p.Owner.Size = translate.Unknown
			}
		}
	}
}

// asksOwner says whether a pod waits whose owner knows how many there will be.
func asksOwner(p *translate.Pod) bool {
	return p.Gated && p.Wishes.Max == 0 && owners[p.Owner.Kind].Resource != ""
}

func ownerKey(p *translate.Pod) string {
	return p.Owner.Kind + "/" + p.Namespace + "/" + p.Owner.UID
}

// askOwners asks the owners that are not known yet, several at one time. Those that
// could not be asked are noted, and asked again in the next round.
func (a *Agent) askOwners(ctx context.Context, pods []translate.Pod) {
	a.unasked = map[string]bool{}
	asked := map[string]bool{}
	var calls []func() error
	for i := range pods {
		p := &pods[i]
		key := ownerKey(p)
		if _, known := a.owners[key]; known || asked[key] || !asksOwner(p) {
			continue
		}
		asked[key] = true
		calls = append(calls, func() error {
			is, ok, err := a.client.ownerOf(ctx, p.Namespace, p.Owner.Kind, p.Owner.Name)
			a.mu.Lock()
			defer a.mu.Unlock()
			if err != nil {
				a.unasked[key] = true
			} else if ok {
				a.owners[key] = is
			}
			return err
		})
	}
	a.atOnce(ctx, calls)
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
			ends[key] = ending{over: true, failed: failed}
			continue
		}
		e := a.endOf(ctx, w.Namespace, by.Kind, by.Name)
		if !e.over && !e.lives { // nothing is known that would make others
			if a.overSince[key] == 0 {
				a.overSince[key] = a.Now()
			}
			e.over, e.failed = a.Now() >= a.overSince[key].Add(forgotten), failed
		}
		ends[key] = e
	}
	for key, by := range a.bare(p) {
		ends[key] = a.endOf(ctx, key[0], by.Kind, by.Name)
	}
	return ends
}

// endOf asks what makes a workload's pods. What cannot be asked now is taken to live.
func (a *Agent) endOf(ctx context.Context, namespace, kind, name string) ending {
	is, ok, err := a.client.ownerOf(ctx, namespace, kind, name)
	if err != nil {
		a.Log.Warn("what makes a workload's pods could not be read", "cluster", a.Translate.Cluster, "workload", namespace+"/"+name, "why", err)
		return ending{lives: true}
	}
	is.lives = ok && !is.over
	return is.ending
}

// bare lists what makes the pods of workloads that have none now.
func (a *Agent) bare(p Picture) map[[2]string]translate.Owner {
	there, list := map[[2]string]bool{}, map[[2]string]translate.Owner{}
	for _, w := range p.Work {
		there[[2]string{w.Namespace, w.Name}] = true
	}
	a.engine.Read(func(s *fleet.State) {
		for _, w := range standingOf(s, a.Translate.Cluster) {
			key := [2]string{w.Namespace, w.Name}
			if kind, name := makerOf(w); kind != "" && !there[key] {
				list[key] = translate.Owner{Kind: kind, Name: name}
			}
		}
	})
	return list
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
