package fleet

import (
	"slices"
	"strings"
)

// seenOn begins the group of workloads that were seen on a cluster.
const seenOn = "cluster:"

// SeenOn is the group of workloads that were seen on a cluster: what makes their
// pods is there, and they can run nowhere else.
func SeenOn(cluster string) string { return seenOn + cluster }

// Home is the cluster that a workload was seen on; "" for one that Muster was told of.
func (s *Spec) Home() string {
	for _, g := range s.Groups {
		if cluster, ok := strings.CutPrefix(g, seenOn); ok {
			return cluster
		}
	}
	return ""
}

// May says whether a workload may run in a partition, by what it says itself: the
// partition that it names, and the cluster it was seen on.
func (s *Spec) May(p *Partition) bool {
	if s.Partition != "" && s.Partition != p.ID {
		return false
	}
	home := s.Home()
	return home == "" || home == p.Cluster
}

// SeesWork says whether work that has not ended was seen on a cluster.
func (s *State) SeesWork(cluster string) bool {
	mark := SeenOn(cluster)
	for _, w := range s.Workloads {
		if !w.State.Ended() && slices.Contains(w.Groups, mark) {
			return true
		}
	}
	return false
}
