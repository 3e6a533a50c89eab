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

// SeesWork says whether work that has not ended was seen on a cluster.
func (s *State) SeesWork(cluster string) bool {
	mark := SeenOn(cluster)
	for _, w := range s.alive {
		if slices.Contains(w.Groups, mark) {
			return true
		}
	}
	return false
}

// madeBy begins the group that names what makes a workload's pods.
const madeBy = "owner:"

// MadeBy is the group of workloads whose pods something of that kind and name makes.
func MadeBy(kind, name string) string { return madeBy + kind + "/" + name }

// Maker is the kind and the name of what makes a workload's pods on its cluster; "" for
// nothing, and where that is not known.
func (s *Spec) Maker() (kind, name string) {
	for _, g := range s.Groups {
		if text, ok := strings.CutPrefix(g, madeBy); ok {
			kind, name, _ = strings.Cut(text, "/")
		}
	}
	return kind, name
}

// MakerText is what makes a workload's pods, in words: "Deployment engines on cluster tiger".
func (s *Spec) MakerText() string {
	kind, name := s.Maker()
	if kind == "" {
		return "its pods on cluster " + s.Home()
	}
	return kind + " " + name + " on cluster " + s.Home()
}

// OnlySeen says whether a workload was seen on a cluster where Muster starts and stops
// nothing: what the cluster shows is so, whatever is said here.
func (s *State) OnlySeen(w *Spec) bool {
	c := s.Cluster(w.Home())
	return c != nil && c.Mode != Enforce
}
