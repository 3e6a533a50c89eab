package kube

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// resized lists the commands that give the pools of a workload the sizes that their
// owners say now. What is scaled follows its owner at any time; a gang does while
// nothing of it stands. What has finished entirely is taken out while nothing stands.
func resized(w *fleet.Workload, is translate.Work) (commands []core.Command) {
	for i, pool := range w.Pools {
		if slices.Contains(is.Done, pool.Name) && w.At() == nil && len(w.Pools) > 1 {
			return append(commands, core.Resize{Namespace: w.Namespace, Name: w.Name, Pool: pool.Name}) // the next round takes out the next
		}
		for _, part := range is.Pools {
			if part.Pool.Name == pool.Name && part.Pool.Elastic == pool.Elastic && part.Pool.GPUs == pool.GPUs && changes(w, pool, &part) {
				commands = append(commands, core.Resize{
					Namespace: w.Namespace, Name: w.Name, Pool: pool.Name, Min: part.Pool.Min, Max: part.Pool.Max, From: vacated(w, i, part.Pods),
				})
			}
		}
	}
	return commands
}

// changes says whether a pool has another size now. It grows as soon as that is seen,
// and shrinks when its controller has taken away what it wants to: so those go that
// the controller chose. Pods that are not there for a moment make no pool smaller
// where it is not said how many there should be.
func changes(w *fleet.Workload, was fleet.Pool, is *translate.Part) bool {
	if was.Min == is.Pool.Min && was.Max == is.Pool.Max {
		return false
	}
	if !was.Elastic && w.At() != nil {
		return is.Pool.Max < was.Max && fewerLeft(is)
	}
	if is.Pool.Max < was.Max || is.Pool.Min < was.Min {
		return is.Sized() && is.There() <= is.Pool.Max
	}
	return true
}

// fewerLeft says whether nothing of a gang runs, and all that its Job has left to run
// waits: the rest has finished before it was evicted, and never comes back.
func fewerLeft(is *translate.Part) bool {
	for _, pod := range is.Pods {
		if !pod.Over && (!pod.Gated || pod.Leaving || !shrinks(&pod)) {
			return false
		}
	}
	return is.There() > 0 && is.There() == is.OwnerSize()
}

// vacated names the nodes on which fewer of a pool's pods stay than Muster has there.
func vacated(w *fleet.Workload, pool int, pods []translate.Pod) (names []string) {
	p := w.At()
	if p == nil {
		return nil
	}
	stay := map[string]int{}
	for _, pod := range pods {
		if !pod.Gated && !pod.Over && !pod.Leaving {
			stay[pod.At()]++
		}
	}
	for _, r := range w.Replicas[pool] {
		if name := p.Nodes[r.Node].Name; r.Phase != fleet.Leaving {
			if stay[name]--; stay[name] < 0 {
				names = append(names, name)
			}
		}
	}
	return names
}

// scaledAgain says whether what is scaled was scaled to nothing, and now has pods
// again, all of them made since: it is submitted anew. Work that was cancelled while
// it ran stays so.
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
