package translate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Work is pods that are one workload.
type Work struct {
	Namespace, Name string
	Pools           []Part
	Target          string // "": it is not said
	Partition       string
	Priority        fleet.Priority
	MaxRuntime      time.Duration
	Checkpoint      time.Duration
	Grace           time.Duration
	BearsFreeze     time.Duration
	Made            Made   // of its oldest pod
	Author          string // as that is known, if it is; package kube finds it out
	// Done are the names of pools that have finished entirely, while others have not.
	Done     []string
	Problems []Problem
}

// Part is a pool and the pods of it, in order of age.
type Part struct {
	Pool fleet.Pool
	Pods []Pod
}

// Known says whether the size of every pool is known, so that none is taken for
// smaller than it will be.
func (w *Work) Known() bool {
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			if pod.Owner.Size == Unknown {
				return false
			}
		}
	}
	return true
}

// Group puts pods together to workloads: those of one label muster.dev/workload,
// else those of one owner. The result is in order of namespace and name, whatever
// the order of the pods.
func Group(pods []Pod) []Work {
	pods = slices.Clone(pods)
	slices.SortFunc(pods, older)
	by := map[[2]string][]Pod{}
	for _, p := range pods {
		if p.GPUs > 0 {
			key := [2]string{p.Namespace, p.workload()}
			by[key] = append(by[key], p)
		}
	}
	work := make([]Work, 0, len(by))
	for key, of := range by {
		work = append(work, gather(key[0], key[1], of))
	}
	slices.SortFunc(work, func(a, b Work) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return work
}

func older(a, b Pod) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Created, b.Created), cmp.Compare(a.Index, b.Index),
		cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
}

// Workload is the namespace and the name of the workload that a pod is of.
func (p *Pod) Workload() [2]string { return [2]string{p.Namespace, p.workload()} }

// workload is the name of the workload that a pod is of.
func (p *Pod) workload() string {
	return firstOf(p.Wishes.Workload, p.Owner.Name, p.Name)
}

// pool is the name of the pool that a pod is of.
func (p *Pod) pool() string { return firstOf(p.Wishes.Pool, p.Owner.Pool, "main") }

// gather makes a workload of pods, the oldest of which speaks for all.
func gather(namespace, name string, pods []Pod) Work {
	first := pods[0]
	w := Work{
		Namespace: namespace, Name: name, Target: first.Wishes.Target, Partition: first.Wishes.Partition,
		Priority: first.Wishes.Priority, MaxRuntime: first.Wishes.MaxRuntime, Checkpoint: first.Wishes.Checkpoint, Grace: first.Wishes.Grace,
		BearsFreeze: first.Wishes.BearsFreeze, Made: first.Made,
	}
	sizes, at := map[string]int{}, map[string]int{} // by the name of a pool
	unlike := unlikeLeader(pods)
	for _, p := range pods {
		if unlike {
			p.Owner.Size = p.Owner.alone(p.Index)
		}
		if p.Wishes.Target != w.Target {
			w.problem("pod %s targets %.60q and pod %s %.60q; the older one counts", p.Name, p.Wishes.Target, first.Name, w.Target)
		}
		pool := p.pool()
		if size, known := sizes[pool]; known && size != p.GPUs {
			pool = fmt.Sprintf("%s-%d", pool, p.GPUs) // replicas of a pool are alike
		}
		sizes[pool] = p.GPUs
		w.add(at, pool, p)
	}
	slices.SortFunc(w.Pools, func(a, b Part) int { return cmp.Compare(a.Pool.Name, b.Pool.Name) })
	w.finishParts()
	for i := range w.Pools {
		w.Pools[i].shape()
	}
	return w
}

// finishParts takes out the pools that have finished entirely, while others have not:
// nothing of them comes back.
func (w *Work) finishParts() {
	left := make([]Part, 0, len(w.Pools))
	for _, part := range w.Pools {
		if part.done() {
			w.Done = append(w.Done, part.Pool.Name)
		} else {
			left = append(left, part)
		}
	}
	if len(left) == 0 {
		w.Done = nil // all of it is over
		return
	}
	w.Pools = left
}

func (p *Part) done() bool {
	return !slices.ContainsFunc(p.Pods, func(pod Pod) bool { return !pod.Over || !pod.Owner.Done })
}

// unlikeLeader says whether pods are a LeaderWorkerSet's whose leader is of another
// size than its workers: they are two pools.
func unlikeLeader(pods []Pod) bool {
	return pods[0].Owner.Kind == "LeaderWorkerSet" && pods[0].Owner.Size > 0 &&
		slices.ContainsFunc(pods, func(p Pod) bool { return p.GPUs != pods[0].GPUs })
}

func (w *Work) problem(format string, args ...any) {
	if len(w.Problems) < 3 {
		w.Problems = append(w.Problems, Problem{"workload/" + w.Namespace + "/" + w.Name, fmt.Sprintf(format, args...)})
	}
}

// add adds a pod to a pool; pools has the place of each by its name.
func (w *Work) add(pools map[string]int, pool string, p Pod) {
	at, known := pools[pool]
	if !known {
		at = len(w.Pools)
		pools[pool] = at
		w.Pools = append(w.Pools, Part{Pool: fleet.Pool{Name: pool, GPUs: p.GPUs, Rank: p.Wishes.Rank}})
	}
	if is := &w.Pools[at].Pool; is.Footprint == "" {
		is.Footprint = p.Footprint
	}
	w.Pools[at].Pods = append(w.Pools[at].Pods, p)
}

// There counts the pods that wait or run and are not on their way out.
func (p *Part) There() (n int) {
	for _, pod := range p.Pods {
		if !pod.Over && !pod.Leaving {
			n++
		}
	}
	return n
}

// Sized says whether something but the number of pods says how many replicas there are.
func (p *Part) Sized() bool {
	first := &p.Pods[0]
	return p.OwnerSize() > 0 || first.Wishes.Max > 0 && !first.Owner.Elastic
}

// OwnerSize is how many pods the owner says there are to be; 0: it does not say. Only
// of pods that wait is it asked.
func (p *Part) OwnerSize() (n int) {
	for i := range p.Pods {
		n = max(n, p.Pods[i].Owner.Size)
	}
	return n
}

// shape says how many replicas a pool has: as annotated, as its owner says, or as
// many as there are pods that have not ended. Of what its owner scales there are at
// most as many as the owner says, whatever is annotated.
func (p *Part) shape() {
	first, there := p.Pods[0], p.There()
	pool := &p.Pool
	switch w := first.Wishes; {
	case first.Owner.Elastic:
		size := first.Owner.Size
		if size <= 0 {
			size = max(1, there)
		}
		pool.Min, pool.Max, pool.Elastic = 1, min(size, mostReplicas), true
		if w.Max > 0 {
			pool.Min, pool.Max = min(w.Min, size), min(w.Max, size)
		}
	case w.Max > 0:
		pool.Min, pool.Max, pool.Elastic = w.Min, w.Max, w.Min < w.Max
		if left := p.OwnerSize(); left > 0 && first.Owner.Shrinks() && w.Workload == "" { // the rest of it has finished
			pool.Min, pool.Max = min(w.Min, left), min(w.Max, left)
		}
	default:
		pool.Min = max(1, there, min(p.OwnerSize(), mostReplicas))
		pool.Max = pool.Min
	}
	pool.Reach = first.Wishes.Reach
	if pool.Reach == "" {
		pool.Reach = fleet.ReachAny
		if !pool.Elastic && pool.Max > 1 {
			pool.Reach = fleet.ReachIsland
		}
	}
}
