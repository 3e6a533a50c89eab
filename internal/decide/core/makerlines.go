package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The pods of a workload may be made by an object of the cluster: a Job, a Deployment. Muster
// changes no such object; it tells people the line of kubectl that does.

// scaled are the kinds whose replicas kubectl scale sets.
var scaled = []string{"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"}

// wholes are the kinds whose pods are all of one workload, and go with the object.
var wholes = append([]string{"Job", "JobSet", "MPIJob", "Pod", "RayCluster", "TrainJob"}, scaled...)

// objectOf is what makes a workload's pods as kubectl calls it, where its kind is among
// these. People copy the line that it goes into, and names are written by many: so none
// that means anything to a shell.
func objectOf(s *fleet.Spec, kinds []string) (object string, ok bool) {
	kind, name := s.Maker()
	plain := !strings.ContainsFunc(name+s.Namespace, func(r rune) bool {
		return r != '-' && r != '.' && r != '@' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	return strings.ToLower(kind) + "/" + name, plain && slices.Contains(kinds, kind)
}

// ScaleLine is the command line that gives a workload another number of pods where they
// are made; "" where there is none for it.
func ScaleLine(s *fleet.Spec, pods string) string {
	if object, ok := objectOf(s, scaled); ok {
		return kubectl(s, "scale "+object, "--replicas "+pods)
	}
	if object, ok := objectOf(s, []string{"Job"}); ok {
		return kubectl(s, "patch "+object, fmt.Sprintf(`--type merge -p '{"spec":{"parallelism":%s}}'`, pods))
	}
	if object, ok := objectOf(s, wholes); ok && !strings.HasPrefix(object, "pod/") {
		return kubectl(s, "edit "+object, "")
	}
	return ""
}

// DeleteLine is the command line that ends a workload where its pods are made; "" where
// there is none for it.
func DeleteLine(s *fleet.Spec) string {
	if object, ok := objectOf(s, wholes); ok {
		return kubectl(s, "delete "+object, "")
	}
	return ""
}

// kubectl is a command line about an object of the workload's namespace, which its own
// cluster calls without the cluster's name behind.
func kubectl(s *fleet.Spec, does, rest string) string {
	return strings.TrimSpace("kubectl " + does + " -n " + strings.TrimSuffix(s.Namespace, "@"+s.Home()) + " " + rest)
}
