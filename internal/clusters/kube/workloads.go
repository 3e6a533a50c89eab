package kube

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// SettleAfter is how long a workload's newest pod must be there before the workload is
// submitted: its controller may still be making the others. Of what is whole (see
// whole) nothing is waited for.
const SettleAfter = time.Second

// workloadController makes workloads of pods, and ends them.
type workloadController struct {
	*shared
	goneSince map[workloadKey]fleet.Instant // workloads without any pod
}

// forgotten is how long a workload's pods may all be gone before it is taken for
// deleted, where nothing is known that makes its pods.
const forgotten = 10 * time.Second

// ending is what is known of the end of a workload none of whose pods runs or waits.
type ending struct {
	over, failed bool
	lives        bool // what makes its pods is there, and will make others
	none         bool // what makes its pods wants none at present
	suspended    bool // what makes its pods makes none until a user resumes it
}

// managed lists the commands about work that Muster starts: what is new is
// submitted, what is gone is cancelled, what has ended has ended.
func (c *workloadController) managed(s *fleet.State, p Snapshot, ends map[[2]string]ending) (commands []core.Command, problems []translate.Problem) {
	there := map[[2]string]bool{}
	for _, w := range p.Work {
		key := [2]string{w.Namespace, w.Name}
		there[key] = true
		delete(c.goneSince, key)
		is := s.Workload(w.Namespace, w.Name)
		switch {
		case is == nil || is.State.Ended():
			if c.isNew(w, is) {
				commands = append(commands, core.Submit{Spec: c.specOf(w)})
			}
		case !marked(is, c.Translate.Cluster):
			problems = append(problems, translate.Problem{Object: "workload/" + w.Namespace + "/" + w.Name, Text: "Muster has another workload of this name; its pods wait"})
		case ends[key].over && is.Started != 0:
			commands = append(commands, finished(is, ends[key]))
		default:
			commands = append(commands, resized(is, w)...)
		}
	}
	for _, w := range standingOf(s, c.Translate.Cluster) {
		if key := [2]string{w.Namespace, w.Name}; !there[key] {
			commands = append(commands, c.withoutPods(w, ends[key])...)
		}
	}
	return commands, problems
}

// isNew says whether a workload is to be submitted: all of it waits, all of its pods
// are there or their number is known, and it is not one that has ended already.
func (c *workloadController) isNew(w translate.Work, was *fleet.Workload) bool {
	return waitsWhole(w) && w.Known() && (whole(w) || c.Now() >= newest(w).Add(SettleAfter)) &&
		(was == nil || !slices.Contains(was.Groups, identity(w)) || scaledAgain(w, was) || was.Gone)
}

func finished(w *fleet.Workload, e ending) core.Command {
	return core.ReportFinished{ID: w.ID, Run: w.Run, Failed: e.failed}
}

// withoutPods is what follows for a workload that has no pod at all.
func (c *workloadController) withoutPods(w *fleet.Workload, e ending) []core.Command {
	key := [2]string{w.Namespace, w.Name}
	if c.goneSince[key] == 0 {
		c.goneSince[key] = c.Now()
	}
	switch {
	case (e.over || e.none) && w.Started != 0:
		return []core.Command{finished(w, e)}
	case e.none && w.State == fleet.Pending, evictedForGood(w):
		return letGo(w)
	case !e.lives && c.Now() >= c.goneSince[key].Add(forgotten) && w.State != fleet.Evicting:
		return letGo(w)
	}
	return nil
}

// letGo cancels a workload whose pods are gone. Should they come again, it is new: the
// state keeps that no person has cancelled it, so a new reconciler decides the same.
func letGo(w *fleet.Workload) []core.Command {
	return []core.Command{core.Cancel{Namespace: w.Namespace, Name: w.Name, Gone: true}}
}

// waitsWhole says whether some of the workload's pods wait and none was started.
func waitsWhole(w translate.Work) bool {
	waits := false
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			if !pod.Gated && !pod.Over {
				return false
			}
			waits = waits || !pod.Over
		}
	}
	return waits
}

func newest(w translate.Work) (at fleet.Instant) {
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			at = max(at, pod.Created)
		}
	}
	return at
}

// identity tells one workload from a later one of the same name: by its owner, or
// by its oldest pod.
func identity(w translate.Work) string {
	pod := w.Pools[0].Pods[0]
	if pod.Owner.UID != "" {
		return identityMark + pod.Owner.UID
	}
	return identityMark + pod.UID
}

// marksOf are the groups that say which work it is, and what makes its pods.
func marksOf(w translate.Work) []string {
	return append([]string{identity(w)}, makerOf(w)...)
}

// makerOf is the group that says what makes a workload's pods. One pod without an owner
// that names no workload makes itself; other pods without an owner have no such group.
func makerOf(w translate.Work) []string {
	if len(w.Pools) == 0 || len(w.Pools[0].Pods) == 0 {
		return nil
	}
	switch first := w.Pools[0].Pods[0]; {
	case first.Owner.Kind != "":
		return []string{fleet.MadeBy(first.Owner.Kind, first.Owner.Asked())}
	case lone(w):
		return []string{fleet.MadeBy(itself, first.Name)}
	}
	return nil
}

// itself is the kind of what makes a pod without an owner.
const itself = "Pod"

// lone says whether a workload is one pod without an owner that names no workload.
func lone(w translate.Work) bool {
	first := w.Pools[0].Pods[0]
	return len(w.Pools) == 1 && first.Owner.Kind == "" && first.Wishes.Workload == "" && w.Pools[0].Pool.Max == 1
}

// evictedForGood says whether a workload was one such pod, and was evicted: it is not made
// again. One that is gone for another reason may be replaced by the program that made it.
func evictedForGood(w *fleet.Workload) bool {
	kind, _ := w.Maker()
	return kind == itself && w.State == fleet.Pending && w.Evictions > 0
}

func (c *workloadController) specOf(w translate.Work) fleet.Spec {
	spec := fleet.Spec{
		Name: w.Name, Namespace: w.Namespace, Groups: append([]string{mark(c.Translate.Cluster)}, marksOf(w)...), Target: w.Target, Partition: w.Partition,
		Priority: w.Priority, MaxRuntime: w.MaxRuntime, CheckpointEvery: w.Checkpoint, Grace: w.Grace, BearsFreeze: w.BearsFreeze,
		Author: w.Author,
	}
	for _, part := range w.Pools {
		spec.Pools = append(spec.Pools, part.Pool)
	}
	return spec
}

// whole says whether all that a workload will be is known from the pods that are there.
// A pod without an owner that names no workload is alone. A pool whose size its owner or
// an annotation says is as large as that, however many of its pods are made yet. Work that
// may have other pools that are not made yet is not whole.
func whole(w translate.Work) bool {
	if len(w.Pools) != 1 {
		return false
	}
	first := w.Pools[0].Pods[0]
	switch {
	case first.Wishes.Pool != "" || first.Owner.Pool != "" || first.Owner.Kind == "LeaderWorkerSet": // its leader may be unlike its workers
		return false
	case first.Wishes.Max > 0 || first.Owner.Size > 0:
		return true
	}
	return lone(w)
}
