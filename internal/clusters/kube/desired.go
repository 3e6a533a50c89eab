package kube

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// desiredWork is what should stand of one workload on the cluster.
type desiredWork struct {
	Job              driver.Job
	running, leaving driver.Tally
	until            fleet.Instant // when the replicas that leave must be gone
	done             []string      // names of pools that have finished and get no more pods
}

// desired lists by ID what should stand of the workloads of a cluster, as the state says:
// those with replicas that run or leave, and then those that should stand nowhere, of
// which pods may still run.
func desired(s *fleet.State, cluster string) (list []desiredWork) {
	var nowhere []desiredWork
	for _, w := range s.Workloads {
		switch is, ok := standing(w, cluster); {
		case ok:
			list = append(list, is)
		case withdrawn(s, w, cluster):
			nowhere = append(nowhere, desiredWork{Job: jobOf(w)})
		}
	}
	byID := func(a, b desiredWork) int { return cmp.Compare(a.Job.ID, b.Job.ID) }
	slices.SortFunc(list, byID)
	slices.SortFunc(nowhere, byID)
	return append(list, nowhere...)
}

// standing is what runs and leaves of a workload on the cluster; ok is false where
// nothing does. Replicas whose room is only reserved are not to run yet.
func standing(w *fleet.Workload, cluster string) (is desiredWork, ok bool) {
	if w.At() == nil || w.At().Cluster != cluster {
		return desiredWork{}, false
	}
	is = desiredWork{Job: jobOf(w), running: replicasIn(w, fleet.Running), leaving: replicasIn(w, fleet.Leaving), until: w.GraceEnds}
	return is, len(is.running)+len(is.leaving) > 0
}

func replicasIn(w *fleet.Workload, phase fleet.Phase) driver.Tally {
	return driver.TallyOf(w.Spots(func(r fleet.Replica) bool { return r.Phase == phase }))
}

func jobOf(w *fleet.Workload) driver.Job {
	return driver.Job{ID: w.ID, Namespace: w.Namespace, Name: w.Name, Partition: w.Where, Pools: w.Pools}
}

// withdrawn says whether a workload of the cluster should stand nowhere, though pods of
// it may run: it was lost with its nodes, evicted or cancelled. What ended by itself has
// no pods that run.
func withdrawn(s *fleet.State, w *fleet.Workload, cluster string) bool {
	return marked(w, cluster) && standsNowhere(w) && (!w.State.Ended() || w.State == fleet.Cancelled) && s.Workload(w.Namespace, w.Name) == w
}

// standsNowhere says whether nothing of a workload runs or leaves. Room may be reserved
// for it: what was left of it before, on a node that is lost, still counts.
func standsNowhere(w *fleet.Workload) bool {
	for _, replicas := range w.Replicas {
		if slices.ContainsFunc(replicas, func(r fleet.Replica) bool { return r.Phase != fleet.Reserved }) {
			return false
		}
	}
	return true
}

// startedBy says of which workloads Muster may have started something.
func startedBy(want []desiredWork) map[workloadKey]bool {
	started := map[workloadKey]bool{}
	for _, w := range want {
		started[workloadKey{w.Job.Namespace, w.Job.Name}] = true
	}
	return started
}
