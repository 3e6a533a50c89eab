package kube

import (
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// SettleAfter is how long a workload's newest pod must be there before the workload is
// submitted: its controller may still be making the others. Of what is whole (see
// settle.go) nothing is waited for.
const SettleAfter = time.Second

// forgotten is how long a workload's pods may all be gone before it is taken for
// deleted, where nothing is known that makes its pods.
const forgotten = 10 * time.Second

// ending is what is known of the end of a workload none of whose pods runs or waits.
type ending struct {
	over, failed bool
	lives        bool // what makes its pods is there, and will make others
	none         bool // what makes its pods wants none at present
	suspended    bool // what makes its pods makes none until somebody takes that back
}

// managed lists the commands about work that Muster starts: what is new is
// submitted, what is gone is cancelled, what has ended has ended.
func (a *Agent) managed(s *fleet.State, p Picture, ends map[[2]string]ending) (commands []core.Command, problems []translate.Problem) {
	there := map[[2]string]bool{}
	for _, w := range p.Work {
		key := [2]string{w.Namespace, w.Name}
		there[key] = true
		delete(a.goneSince, key)
		is := s.Workload(w.Namespace, w.Name)
		switch {
		case is == nil || is.State.Ended():
			if a.isNew(w, is) {
				commands = append(commands, core.Submit{Spec: a.specOf(w)})
			}
		case !marked(is, a.Translate.Cluster):
			problems = append(problems, translate.Problem{Object: "workload/" + w.Namespace + "/" + w.Name, Text: "Muster has another workload of this name; its pods wait"})
		case ends[key].over && is.Started != 0:
			commands = append(commands, finished(is, ends[key]))
		default:
			commands = append(commands, resized(is, w)...)
		}
	}
	for _, w := range standingOf(s, a.Translate.Cluster) {
		if key := [2]string{w.Namespace, w.Name}; !there[key] {
			commands = append(commands, a.withoutPods(w, ends[key])...)
		}
	}
	return commands, problems
}

// isNew says whether a workload is to be submitted: all of it waits, all of its pods
// are there or their number is known, and it is not one that has ended already.
func (a *Agent) isNew(w translate.Work, was *fleet.Workload) bool {
	return waitsWhole(w) && w.Known() && (whole(w) || a.Now() >= newest(w).Add(SettleAfter)) &&
		(was == nil || !slices.Contains(was.Groups, identity(w)) || scaledAgain(w, was) || was.Gone)
}

func finished(w *fleet.Workload, e ending) core.Command {
	return core.ReportFinished{ID: w.ID, Run: w.Run, Failed: e.failed}
}

// withoutPods is what follows for a workload that has no pod at all.
func (a *Agent) withoutPods(w *fleet.Workload, e ending) []core.Command {
	key := [2]string{w.Namespace, w.Name}
	if a.goneSince[key] == 0 {
		a.goneSince[key] = a.Now()
	}
	switch {
	case (e.over || e.none) && w.Started != 0:
		return []core.Command{finished(w, e)}
	case e.none && w.State == fleet.Pending, evictedForGood(w):
		return letGo(w)
	case !e.lives && a.Now() >= a.goneSince[key].Add(forgotten) && w.State != fleet.Evicting:
		return letGo(w)
	}
	return nil
}

// letGo takes a workload back whose pods are gone. Should they come again, it is new:
// no person has taken it back, and the state keeps that, whoever begins anew.
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

// makerOf is the group that says what makes a workload's pods: for one pod that nobody
// made, and that names no workload, itself. None for others that nobody made.
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

// itself is the kind of what makes a pod that nobody made.
const itself = "Pod"

// lone says whether a workload is one pod that nobody made and that names no workload.
func lone(w translate.Work) bool {
	first := w.Pools[0].Pods[0]
	return len(w.Pools) == 1 && first.Owner.Kind == "" && first.Wishes.Workload == "" && w.Pools[0].Pool.Max == 1
}

// evictedForGood says whether a workload was one such pod, and was evicted: nobody makes
// it again. One that is gone for another reason may be replaced by whoever has made it.
func evictedForGood(w *fleet.Workload) bool {
	kind, _ := w.Maker()
	return kind == itself && w.State == fleet.Pending && w.Evictions > 0
}

func (a *Agent) specOf(w translate.Work) fleet.Spec {
	spec := fleet.Spec{
		Name: w.Name, Namespace: w.Namespace, Groups: append([]string{mark(a.Translate.Cluster)}, marksOf(w)...), Target: w.Target, Partition: w.Partition,
		Priority: w.Priority, MaxRuntime: w.MaxRuntime, CheckpointEvery: w.Checkpoint, Grace: w.Grace,
	}
	for _, part := range w.Pools {
		spec.Pools = append(spec.Pools, part.Pool)
	}
	return spec
}

// marks lists the commands that put nodes into the states that the cluster shows,
// on a cluster where Muster decides. Conditions become signals, of which the health
// policy makes what it makes; only what others have marked on the node itself, and
// pods that are not Muster's, are taken as they are.
func (a *Agent) marks(s *fleet.State, p Picture) (commands []core.Command) {
	for _, n := range p.Nodes {
		part, at := s.FindNode(n.Name)
		if part == nil || part.Cluster != a.Translate.Cluster {
			continue
		}
		is := part.Nodes[at]
		if is.StateOwner != fleet.ByNobody && is.StateOwner != fleet.ByCluster {
			continue // automation, a person or a maintenance keeps it
		}
		if to, dead, why := markOf(n, is, p.Foreign[n.Name]); to != is.State || dead != is.Dead {
			commands = append(commands, core.SetNodes{Names: []string{n.Name}, State: to, Dead: dead, Signal: why})
		}
	}
	return append(commands, vanished(s, a.Translate.Cluster, p.Nodes)...)
}

// markOf is the state of a node by what is marked on it. GPUs that pods of others
// hold are taken out like dead ones where no quota's work is on the node; where some
// is, it stays, and the node takes nothing new: in both cases nothing is promised there.
func markOf(n translate.Node, is *fleet.Node, foreign int) (to fleet.NodeState, dead int, why string) {
	out := n.Dead + foreign
	inQuota := slices.ContainsFunc(is.Residents(), func(r fleet.Resident) bool { return !r.Workload.Flexes() && r.Phase != fleet.Leaving })
	switch {
	case n.Broken != "":
		return fleet.Quarantined, 0, "taint " + n.Broken
	case n.Dead >= n.GPUs:
		return fleet.Quarantined, 0, "no GPU is offered"
	case n.Cordoned != "":
		return fleet.Suspect, 0, n.Cordoned
	case foreign > 0 && (inQuota || out >= n.GPUs || is.InUse() > n.GPUs-out):
		return fleet.Suspect, 0, fmt.Sprintf("%d GPUs are held by pods that are not Muster's", foreign)
	case foreign > 0:
		return fleet.Degraded, out, fmt.Sprintf("%d GPUs are held by pods that are not Muster's", foreign)
	case n.Dead > 0:
		return fleet.Degraded, n.Dead, "some GPUs are not offered"
	case is.State == fleet.Quarantined && is.StateOwner == fleet.ByCluster:
		return fleet.Probation, 0, "who marked it has taken the mark away"
	case is.StateOwner == fleet.ByCluster || is.State == fleet.Suspect || is.State == fleet.Degraded:
		return fleet.Healthy, 0, "nothing is marked any more"
	}
	return is.State, is.Dead, ""
}

// signals lists what the conditions of nodes say and was not said before.
func (a *Agent) signals(s *fleet.State, p Picture) []core.Command {
	var news []fleet.Signal
	for _, n := range p.Nodes {
		if part, _ := s.FindNode(n.Name); part == nil {
			continue // it is still being set up
		}
		for _, s := range n.Signals {
			key := n.Name + "/" + s.Check
			was, known := a.told[key]
			if known && was == s.ID || !known && s.Well {
				continue
			}
			a.told[key] = s.ID
			news = append(news, s)
		}
	}
	if len(news) == 0 {
		return nil
	}
	return []core.Command{core.TakeSignals{Signals: news}}
}
