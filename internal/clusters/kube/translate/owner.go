package translate

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// Labels and annotations by which controllers name the whole that a pod is part of.
const (
	jobSetUID = "jobset.sigs.k8s.io/jobset-uid"
	lwsGroup  = "leaderworkerset.sigs.k8s.io/group-index"
	lwsSize   = "leaderworkerset.sigs.k8s.io/size"
)

// whole completes what is known of something that makes other things make pods. Each
// group of a LeaderWorkerSet is a workload of its own: it starts and stops as one,
// and the set has so many of them.
func (o *Owner) whole(p *corev1.Pod) {
	switch o.Kind {
	case "JobSet":
		if uid := p.Labels[jobSetUID]; uid != "" {
			o.UID = Clip(uid)
		}
	case "LeaderWorkerSet":
		if group, err := strconv.Atoi(p.Labels[lwsGroup]); err == nil && group >= 0 {
			o.Object, o.Name = o.Name, plainName(o.Name+"-"+strconv.Itoa(group))
		}
		if size, err := strconv.Atoi(p.Annotations[lwsSize]); err == nil && size > 0 && size <= mostReplicas {
			o.Size = size
		}
	}
}

// alone says how many pods of a group of a LeaderWorkerSet are like one of it, where
// its leader is of another size than its workers.
func (o *Owner) alone(index int) int {
	if index == 0 {
		return 1
	}
	return max(1, o.Size-1)
}
