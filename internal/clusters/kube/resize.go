package kube

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file compares the sizes of a workload's pools, as Muster knows them, with those that the
// cluster shows (seen). A pool follows its owner (a Job, a Deployment) by the command core.Resize:
//
//   - An elastic pool follows at any time.
//   - A gang follows while none of it is placed. Once it is placed, it only becomes smaller, and
//     only when the pods that are missing have finished.
//   - A pool that has finished is taken out of a workload while none of the workload is placed.

// resized lists the commands that give the pools of a workload the sizes that the cluster shows.
func resized(w *fleet.Workload, seen translate.Work) (commands []core.Command) {
	for i, pool := range w.Pools {
		if slices.Contains(seen.Done, pool.Name) && w.At() == nil && len(w.Pools) > 1 {
			// Numbers of pools change with this one: the next round looks at the others.
			return append(commands, core.Resize{Namespace: w.Namespace, Name: w.Name, Pool: pool.Name})
		}
		for _, part := range seen.Pools {
			if samePool(pool, part.Pool) && sizeChanges(w, pool, &part) {
				commands = append(commands, core.Resize{
					Namespace: w.Namespace, Name: w.Name, Pool: pool.Name, Min: part.Pool.Min, Max: part.Pool.Max, From: vacated(w, i, part.Pods),
				})
			}
		}
	}
	return commands
}

// samePool says whether two pools differ in their sizes at most: no command changes the rest.
func samePool(x, y fleet.Pool) bool {
	return x.Name == y.Name && x.Elastic == y.Elastic && x.GPUs == y.GPUs
}

// sizeChanges says whether a pool is to get the size that is seen. It grows at once. It shrinks
// when its controller has taken pods away: then it is known which ones the controller chose.
// Where it is not said how many pods there should be, missing pods may come back, and it stays.
func sizeChanges(w *fleet.Workload, was fleet.Pool, seen *translate.Part) bool {
	is := seen.Pool
	switch {
	case is.Min == was.Min && is.Max == was.Max:
		return false
	case !was.Elastic && w.At() != nil:
		return is.Max < was.Max && onlyRestWaits(seen)
	case is.Max < was.Max || is.Min < was.Min:
		return seen.Sized() && seen.There() <= is.Max
	}
	return true
}

// onlyRestWaits says whether nothing of a gang runs, and all that its Job has left to run
// waits: the other pods finished before the gang was evicted, and do not come back.
func onlyRestWaits(seen *translate.Part) bool {
	for _, pod := range seen.Pods {
		if !pod.Over && (!pod.Gated || pod.Leaving || !shrinks(&pod)) {
			return false
		}
	}
	return seen.There() > 0 && seen.There() == seen.OwnerSize()
}

// vacated names the nodes on which fewer of a pool's pods stay than Muster has replicas there;
// a node once for each replica that has lost its pod.
func vacated(w *fleet.Workload, pool int, pods []translate.Pod) (names []string) {
	p := w.At()
	if p == nil {
		return nil
	}
	unmatched := stayingByNode(pods)
	for _, r := range w.Replicas[pool] {
		if r.Phase == fleet.Leaving {
			continue
		}
		name := p.Nodes[r.Node].Name
		if unmatched[name] == 0 {
			names = append(names, name)
			continue
		}
		unmatched[name]--
	}
	return names
}

// stayingByNode counts the pods that run, and go on, by their nodes.
func stayingByNode(pods []translate.Pod) map[string]int {
	counts := map[string]int{}
	for _, pod := range pods {
		if !pod.Gated && !pod.Over && !pod.Leaving {
			counts[pod.At()]++
		}
	}
	return counts
}

// scaledAgain says whether an elastic workload that was scaled to nothing has pods again, all of
// them made since: then it is submitted anew. Work that was cancelled while it ran stays cancelled.
func scaledAgain(w translate.Work, was *fleet.Workload) bool {
	if was.State != fleet.Finished && was.Started != 0 {
		return false
	}
	ended := was.Ended - was.Ended%fleet.Instant(time.Second) // as exact as the moments that pods are made
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			if !pod.Owner.Elastic || !pod.Over && pod.Created < ended {
				return false
			}
		}
	}
	return true
}
