package kube

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// seen is a workload as Muster should know it.
type seen struct {
	spec      fleet.Spec
	partition string // where it runs; "": nowhere
	on        []core.Seen
	failed    bool // all that is left of it has failed
	over      bool // nothing of it is left that runs or waits
}

// mark is the group that says which cluster a workload was seen on.
func mark(cluster string) string { return fleet.SeenOn(cluster) }

// marked says whether a workload was seen on the cluster.
func marked(w *fleet.Workload, cluster string) bool { return slices.Contains(w.Groups, mark(cluster)) }

// observed lists the commands that make the state's work what the cluster shows:
// first what ended, then what gave up room, then what waits or runs.
func observed(s *fleet.State, cluster string, by core.Actor, p Snapshot) (commands []core.Command, problems []translate.Problem) {
	work, problems := seeAll(s, cluster, by, p)
	byName := map[[2]string]*seen{}
	for i := range work {
		byName[[2]string{work[i].spec.Namespace, work[i].spec.Name}] = &work[i]
	}
	var ends, leaves, rest []core.Command
	for _, w := range standingOf(s, cluster) {
		is := byName[[2]string{w.Namespace, w.Name}]
		if is == nil || is.over || !sameWork(w, is) {
			ends = append(ends, end(w, is != nil && is.failed))
		} else if kept, fewer := stays(w, is); fewer {
			leaves = append(leaves, core.Observe{Spec: w.Spec, Partition: w.Where, On: kept})
		}
	}
	for i := range work {
		news, note := newsOf(s, cluster, &work[i])
		rest = append(rest, news...)
		problems = append(problems, note...)
	}
	return slices.Concat(ends, leaves, rest), problems
}

// newsOf is what Muster does not know yet of one workload.
func newsOf(s *fleet.State, cluster string, is *seen) ([]core.Command, []translate.Problem) {
	w := s.Workload(is.spec.Namespace, is.spec.Name)
	if w != nil && w.State.Ended() {
		w = nil
	}
	known := w != nil && sameWork(w, is)
	switch {
	case is.over:
	case w != nil && !marked(w, cluster):
		return nil, []translate.Problem{{
			Object: "workload/" + w.Namespace + "/" + w.Name, Text: "Muster has another workload of this name; this one is left out",
		}}
	case is.partition == "" && !known:
		return []core.Command{core.Submit{Spec: is.spec}}, nil
	case is.partition != "" && !(known && sameSeats(w, is)):
		return []core.Command{core.Observe{Spec: is.spec, Partition: is.partition, On: is.on}}, nil
	}
	return nil, nil
}

// standingOf lists the workloads that were seen on the cluster and have not ended, by ID.
func standingOf(s *fleet.State, cluster string) []*fleet.Workload {
	return slices.DeleteFunc(slices.Clone(s.Alive()), func(w *fleet.Workload) bool { return !marked(w, cluster) })
}

// end is the command by which a workload ends that is not there any more.
func end(w *fleet.Workload, failed bool) core.Command {
	if w.At() != nil && w.Started != 0 {
		return core.ReportFinished{ID: w.ID, Run: w.Run, Failed: failed}
	}
	return core.Cancel{Namespace: w.Namespace, Name: w.Name}
}

// sameWork says whether a workload is still what it was submitted as. An elastic
// pool may have been larger.
func sameWork(w *fleet.Workload, is *seen) bool {
	if w.Target != is.spec.Target || w.Priority != is.spec.Priority || len(w.Pools) != len(is.spec.Pools) || w.Where != "" && is.partition != "" && w.Where != is.partition {
		return false
	}
	for i, a := range w.Pools {
		b := is.spec.Pools[i]
		if a.Elastic && b.Elastic && a.Max > b.Max {
			b.Max = a.Max
		}
		if a != b {
			return false
		}
	}
	return true
}

// stays is what of a workload is still where it was, and whether that is less.
func stays(w *fleet.Workload, is *seen) (kept []core.Seen, fewer bool) {
	there := map[core.Seen]int{}
	for _, on := range is.on {
		there[on]++
	}
	for _, on := range seatsOf(w) {
		if there[on] > 0 {
			there[on]--
			kept = append(kept, on)
		} else {
			fewer = true
		}
	}
	return kept, fewer
}

func sameSeats(w *fleet.Workload, is *seen) bool {
	_, fewer := stays(w, is)
	return !fewer && len(seatsOf(w)) == len(is.on)
}

// seatsOf is where a workload stands.
func seatsOf(w *fleet.Workload) (list []core.Seen) {
	p := w.At()
	for pool, replicas := range w.Replicas {
		for _, r := range replicas {
			list = append(list, core.Seen{Pool: pool, Node: p.Nodes[r.Node].Name})
		}
	}
	return list
}

// seeAll makes workloads of what the cluster shows, in order.
func seeAll(s *fleet.State, cluster string, by core.Actor, p Snapshot) (all []seen, problems []translate.Problem) {
	room := newRoom(s, cluster)
	for _, w := range p.Work {
		target, note := targetOf(s, cluster, by, w, p.Queues)
		if note != "" {
			problems = append(problems, translate.Problem{Object: "workload/" + w.Namespace + "/" + w.Name, Text: note})
		}
		all = append(all, see(w, target, cluster, room))
	}
	return all, problems
}

// targetOf is the quota that a workload is counted for: as it says, by its queue,
// by its namespace, else flex. A quota that its submission would be refused is not.
func targetOf(s *fleet.State, cluster string, by core.Actor, w translate.Work, queues map[string]string) (target, note string) {
	queue := ""
	if len(w.Pools) > 0 && len(w.Pools[0].Pods) > 0 {
		queue = queues[w.Namespace+"/"+w.Pools[0].Pods[0].Wishes.Queue]
	}
	for _, t := range []string{w.Target, queue, translate.Bare(w.Namespace)} {
		q := s.Quota(t)
		switch {
		case t == fleet.Flex:
			return t, ""
		case q != nil && !core.MayTarget(s, by, q, fleet.Spec{Groups: []string{mark(cluster)}, Namespace: w.Namespace}, s.Time):
			return fleet.Flex, notItsOwn(q)
		case q != nil:
			return t, ""
		case t == w.Target && t != "":
			note = fmt.Sprintf("it targets quota %.100q, which there is not", t)
		}
	}
	return fleet.Flex, note
}

// notItsOwn says why work is counted on flex that is meant for a quota.
func notItsOwn(q *fleet.Quota) string {
	if q.Access.Unlisted() {
		return fmt.Sprintf("it targets quota %s, which has no access list and is closed where people sign in; it is counted on flex", q.Path)
	}
	return fmt.Sprintf("it targets quota %s, whose access list does not name its namespace; it is counted on flex", q.Path)
}

// see makes one workload. What waits entirely keeps the shape it asks for; what
// runs in part is as many replicas as there are, each for itself. It is over when
// nothing of it runs or waits, and has failed when all of it has.
func see(w translate.Work, target, cluster string, room *room) seen {
	is := seen{partition: room.majority(w), failed: true, spec: fleet.Spec{
		Name: w.Name, Namespace: w.Namespace, Groups: append([]string{mark(cluster)}, makerOf(w)...), Target: target, Priority: w.Priority,
		MaxRuntime: w.MaxRuntime, CheckpointEvery: w.Checkpoint, Grace: w.Grace, BearsFreeze: w.BearsFreeze,
		Author: w.Author,
	}}
	waits := 0
	for _, part := range w.Pools {
		nodes, waiting := room.look(is.partition, part)
		waits += waiting
		for _, pod := range part.Pods {
			is.failed = is.failed && pod.Failed
		}
		if len(nodes)+waiting == 0 || len(nodes) == 0 && is.partition != "" {
			continue // of what runs in part, a pool that waits is not there yet
		}
		for _, node := range nodes {
			is.on = append(is.on, core.Seen{Pool: len(is.spec.Pools), Node: node})
		}
		is.spec.Pools = append(is.spec.Pools, sized(part.Pool, len(nodes)+waiting))
	}
	is.over = len(is.spec.Pools) == 0
	if len(is.on) == 0 {
		is.partition, is.spec.Partition = "", room.only
		return is
	}
	loosen(&is.spec, waits > 0)
	return is
}

// sized is a pool with as many replicas as there are pods.
func sized(pool fleet.Pool, there int) fleet.Pool {
	pool.Max = max(pool.Max, there)
	if !pool.Elastic {
		pool.Min, pool.Max = there, there
	}
	return pool
}

// loosen lets a workload that others started be as they started it: wherever it
// stands, and where some of it still waits, as far as it runs.
func loosen(spec *fleet.Spec, waits bool) {
	for i := range spec.Pools {
		pool := &spec.Pools[i]
		pool.Reach = fleet.ReachAny
		if waits {
			pool.Min, pool.Elastic = 1, pool.Max > 1
		}
	}
}

// room is what nodes can hold, so that no more is seen on one than it has: a pod
// that has just ended may still be shown beside the one that came after it.
type room struct {
	only string // the cluster's only partition; "": there are several
	at   map[string]*fleet.Partition
	left map[string]int // GPUs, by node
}

func newRoom(s *fleet.State, cluster string) *room {
	r := &room{at: map[string]*fleet.Partition{}, left: map[string]int{}}
	count := 0
	for _, p := range s.Partitions {
		if p.Cluster != cluster {
			continue
		}
		r.only = p.ID
		count++
		for _, n := range p.Nodes {
			r.at[n.Name] = p
			if n.State.Keeps() {
				r.left[n.Name] = n.Good()
			}
		}
	}
	if count > 1 {
		r.only = ""
	}
	return r
}

// look lists the nodes where replicas of a pool run, and counts those that wait.
func (r *room) look(partition string, part translate.Part) (nodes []string, waiting int) {
	for _, pod := range part.Pods {
		switch {
		case pod.Over:
		case pod.Node != "" && r.take(partition, pod):
			nodes = append(nodes, pod.Node)
		case pod.Node == "" && !pod.Leaving:
			waiting++
		}
	}
	return nodes, waiting
}

// take gives a pod its room, where it stands in the partition and there is some.
func (r *room) take(partition string, pod translate.Pod) bool {
	if p := r.at[pod.Node]; p == nil || p.ID != partition || r.left[pod.Node] < pod.GPUs {
		return false
	}
	r.left[pod.Node] -= pod.GPUs
	return true
}

// majority is the partition in which most of a workload's pods stand.
func (r *room) majority(w translate.Work) string {
	count := map[string]int{}
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			if p := r.at[pod.Node]; p != nil && !pod.Over {
				count[p.ID]++
			}
		}
	}
	best := ""
	for _, id := range slices.Sorted(maps.Keys(count)) {
		if best == "" || count[id] > count[best] {
			best = id
		}
	}
	return best
}
