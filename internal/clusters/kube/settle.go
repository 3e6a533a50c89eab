package kube

import "github.com/muster-fleet/muster/internal/clusters/kube/translate"

// whole says whether all that a workload will be is known from the pods that are
// there: one that nobody made and that names no workload is alone, and a pool whose
// size its owner or an annotation says is as large as that, however many of its
// pods are made yet. What may have other pools that are not made yet is not whole.
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
