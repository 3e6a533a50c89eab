package fleet

import (
	"fmt"
	"slices"
	"strings"
)

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

// scaled are the kinds whose replicas kubectl scale sets.
var scaled = []string{"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"}

// wholes are the kinds whose pods are all of one workload, and go with the object.
var wholes = append([]string{"Job", "JobSet", "MPIJob", "Pod", "RayCluster", "TrainJob"}, scaled...)

// object is what makes a workload's pods as kubectl calls it, where its kind is among
// these. People copy the line that it goes into, and names are written by many: so none
// that means anything to a shell.
func (s *Spec) object(kinds []string) (object string, ok bool) {
	kind, name := s.Maker()
	plain := !strings.ContainsFunc(name+s.Namespace, func(r rune) bool {
		return r != '-' && r != '.' && r != '@' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	return strings.ToLower(kind) + "/" + name, plain && slices.Contains(kinds, kind)
}

// ScaleLine is the command line that gives a workload another number of pods where they
// are made; "" where there is none for it.
func (s *Spec) ScaleLine(pods string) string {
	if object, ok := s.object(scaled); ok {
		return s.kubectl("scale "+object, "--replicas "+pods)
	}
	if object, ok := s.object([]string{"Job"}); ok {
		return s.kubectl("patch "+object, fmt.Sprintf(`--type merge -p '{"spec":{"parallelism":%s}}'`, pods))
	}
	if object, ok := s.object(wholes); ok && !strings.HasPrefix(object, "pod/") {
		return s.kubectl("edit "+object, "")
	}
	return ""
}

// DeleteLine is the command line that ends a workload where its pods are made; "" where
// there is none for it.
func (s *Spec) DeleteLine() string {
	if object, ok := s.object(wholes); ok {
		return s.kubectl("delete "+object, "")
	}
	return ""
}

// kubectl is a command line about an object of the workload's namespace, which its own
// cluster calls without the cluster's name behind.
func (s *Spec) kubectl(does, rest string) string {
	return strings.TrimSpace("kubectl " + does + " -n " + strings.TrimSuffix(s.Namespace, "@"+s.Home()) + " " + rest)
}
