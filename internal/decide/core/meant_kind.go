package core

import (
	"fmt"
	"strconv"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// noWork refuses the name of a workload that there is not, and says what else has it.
func noWork(s *fleet.State, namespace, name string) *Refusal {
	rest := NotWork(s, namespace, name)
	if rest == "" {
		rest = "muster job list shows those there are"
	}
	return refuse(NoSuchWorkload, "there is no workload %s/%s; %s", clip(namespace), clip(name), rest)
}

// NotWork says what a name is that no workload has, and which command shows it: a person may have written it
// alone, or after that namespace. "": nothing has it.
func NotWork(s *fleet.State, namespace, name string) string {
	for _, word := range []string{namespace + "/" + name, name} {
		if what := metalOrQuota(s, word); what != "" {
			return what
		}
	}
	return numbered(s, name)
}

// metalOrQuota says what has a name: a quota, a partition, a cluster, a node or an incident.
func metalOrQuota(s *fleet.State, word string) string {
	says := func(kind, command string) string {
		return fmt.Sprintf("%s is %s; %s shows it", clip(word), kind, command)
	}
	switch nodes := s.NodesNamed(word); {
	case s.Quota(word) != nil:
		return says("a quota", "muster quota show "+word)
	case s.Partition(word) != nil:
		return says("a partition", "muster capacity "+word)
	case s.Cluster(word) != nil:
		return says("a cluster", "muster cluster show "+word)
	case len(nodes) == 1:
		return says("a node", "muster describe node "+nodes[0])
	case incidentNamed(s, word):
		return says("an incident", "muster incident list --closed")
	}
	return ""
}

func incidentNamed(s *fleet.State, name string) bool {
	for _, i := range s.Incidents {
		if i.Name == name {
			return true
		}
	}
	return false
}

// numbered says what has a number: workloads are called by their names.
func numbered(s *fleet.State, word string) string {
	id, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		return ""
	}
	if s.Request(id) != nil {
		return fmt.Sprintf("%d is the number of a request for quota, which muster quota requests --all lists", id)
	}
	for _, h := range s.Holds {
		if h.ID == id {
			return fmt.Sprintf("%d is the number of a hold, which muster quota hold lists", id)
		}
	}
	return fmt.Sprintf("%d is a number, and workloads have names, which muster job list shows; muster events --from %d shows a version", id, id)
}
