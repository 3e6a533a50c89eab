package kube

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file is about the moment from which Muster decides what runs on a cluster that
// it has only watched.
//
// Work whose pods all name a target in enrolled namespaces becomes Muster's where it
// stands: each of its pods is marked as one that Muster has started, nothing is started
// or stopped, and it keeps its age. All other work goes on without Muster, whose pods
// are then those of others. What waits goes on waiting if its pods are gated; if not,
// it is kube-scheduler's. Until that is done nothing is decided (core: the cluster's
// reports count as stopped), so no workload is evicted for one that cannot be started.

// takeoverController takes over what was only watched, once.
type takeoverController struct {
	*shared
	done   atomic.Bool
	unsaid bool // the engine was not told yet that it is done

	mu      sync.Mutex
	adopted map[string]string // nodes of pods that were marked, by UID, before the watch shows it
}

// takeOver makes seen work Muster's, once after the cluster has come to be managed.
// It is safe to repeat: what is done shows it.
func (c *takeoverController) takeOver(ctx context.Context, acts bool, pods []translate.Pod) error {
	if !acts {
		c.done.Store(false)
		return nil
	}
	if !c.done.Load() {
		var d division
		c.engine.Read(func(s *fleet.State) { d = divide(s, c.Translate.Cluster, pods, c.watch.extras.enrolled()) })
		if !c.adopt(ctx, d.pods) {
			return nil // the next round tries again, and until then nothing is decided
		}
		if len(d.mine)+len(d.others) > 0 {
			c.Log.Warn("takes over what was only watched", "cluster", c.Translate.Cluster, "workloads", len(d.mine), "and leaves alone", len(d.others))
		}
		if err := c.do(ctx, append(d.mine, d.others...)); err != nil {
			return err
		}
		c.unsaid = true
		c.done.Store(true)
	}
	for i := range pods {
		p := &pods[i]
		if node, was := c.adopted[p.UID]; was && p.Pinned != "" {
			delete(c.adopted, p.UID)
		} else if was {
			p.Pinned = node
		}
	}
	return nil
}

// finish says, right after that, that what runs on the cluster may be decided now.
func (c *takeoverController) finish(ctx context.Context) {
	if c.unsaid {
		c.unsaid = false
		c.reporting(ctx, true)
	}
}

// adopt marks pods as started by Muster where they stand. ok is false while some are not.
func (c *takeoverController) adopt(ctx context.Context, pods []translate.Pod) (ok bool) {
	var calls []func() error
	var failed atomic.Bool
	for _, p := range pods {
		calls = append(calls, func() error {
			err := gone(c.client.Adopt(ctx, p))
			c.mu.Lock()
			defer c.mu.Unlock()
			if err != nil {
				failed.Store(true)
			} else {
				c.adopted[p.UID] = p.Node
			}
			return err
		})
	}
	c.atOnce(ctx, calls)
	return !failed.Load()
}

// Adopt marks a pod that runs as one that Muster has started where it stands.
func (c *Client) Adopt(ctx context.Context, p translate.Pod) error {
	return c.patch(ctx, p, map[string]any{"metadata": map[string]any{
		"uid": p.UID, "annotations": map[string]string{translate.AnnotationNode: translate.Bare(p.Node)},
	}})
}

// division is what becomes of seen work.
type division struct {
	pods   []translate.Pod // that are to be marked
	mine   []core.Command  // take work over
	others []core.Command  // forget work that goes on without Muster
}

// divide says which work becomes Muster's and which does not. What Muster has submitted
// for pods, or was given by people, is neither.
func divide(s *fleet.State, cluster string, pods []translate.Pod, enrolled map[string]bool) (d division) {
	by := map[[2]string][]translate.Pod{}
	for _, p := range pods {
		if !p.Over {
			by[p.Workload()] = append(by[p.Workload()], p)
		}
	}
	for _, w := range standingOf(s, cluster) {
		if !onlySeen(w) {
			continue
		}
		of := by[[2]string{w.Namespace, w.Name}]
		work := translate.Group(of)
		seats, whole := seated(w, work)
		if !whole || len(work) != 1 || !ours(w, of, enrolled) {
			d.others = append(d.others, core.Cancel{Namespace: w.Namespace, Name: w.Name})
			continue
		}
		for _, p := range seats {
			if p.Pinned == "" {
				d.pods = append(d.pods, p)
			}
		}
		d.mine = append(d.mine, core.Adopt{Namespace: w.Namespace, Name: w.Name, Groups: marksOf(work[0])})
	}
	return d
}

// onlySeen says whether a workload was seen, and not submitted for its pods by Muster.
func onlySeen(w *fleet.Workload) bool {
	return !slices.ContainsFunc(w.Groups, func(g string) bool { return strings.HasPrefix(g, identityMark) })
}

// identityMark begins the group that tells workloads of one name apart.
const identityMark = "uid:"

// seated finds for each replica that Muster has of a workload the pod that it is. whole
// is false where one has none: then it is not known what runs.
func seated(w *fleet.Workload, all []translate.Work) (seats []translate.Pod, whole bool) {
	free := map[string][]translate.Pod{} // by pool and node
	for _, work := range all {
		for _, part := range work.Pools {
			for _, p := range part.Pods {
				if p.Node != "" {
					key := part.Pool.Name + "/" + p.Node
					free[key] = append(free[key], p)
				}
			}
		}
	}
	for _, on := range seatsOf(w) {
		key := w.Pools[on.Pool].Name + "/" + on.Node
		if len(free[key]) == 0 {
			return nil, false
		}
		seats, free[key] = append(seats, free[key][0]), free[key][1:]
	}
	return seats, true
}

// ours says whether all pods of a workload may be Muster's: they name a target, their
// namespace is enrolled, and what of them waits does so for Muster.
func ours(w *fleet.Workload, pods []translate.Pod, enrolled map[string]bool) bool {
	for _, p := range pods {
		if p.Wishes.Target == "" || p.Node == "" && !p.Gated || enrolled != nil && !enrolled[translate.Bare(p.Namespace)] {
			return false
		}
		if w.At() == nil && p.Wishes.Target != w.Target {
			return false // it waited elsewhere; it is submitted anew, as it says
		}
	}
	return len(pods) > 0
}
