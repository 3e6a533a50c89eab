package api

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// partitions are those that a scope names: a partition, a cluster's, or all. A
// scope that names nothing is refused.
func partitions(s *fleet.State, scope string) ([]*fleet.Partition, error) {
	if scope == "" {
		return s.Partitions, nil
	}
	if p := s.Partition(scope); p != nil {
		return []*fleet.Partition{p}, nil
	}
	if s.Cluster(scope) == nil {
		return nil, noScope(s, scope)
	}
	var list []*fleet.Partition
	for _, p := range s.Partitions {
		if p.Cluster == scope {
			list = append(list, p)
		}
	}
	return list, nil
}

// island cuts the island off a scope; "" where it names none.
func island(scope string) (partition, name string) {
	if strings.Count(scope, "/") < 2 {
		return scope, ""
	}
	at := strings.LastIndex(scope, "/")
	return scope[:at], scope[at+1:]
}

// noScope refuses the name of a cluster or a partition that there is not, and says which may be meant.
func noScope(s *fleet.State, scope string) error {
	if n := nodeCalled(s, scope); n != nil {
		return &core.Refusal{Code: core.NoSuchPartition, Message: fmt.Sprintf("%q is a node, and neither a cluster nor a partition; muster describe node %s shows it", clipped(scope), n.Name)}
	}
	var all, names []string
	for _, p := range s.Partitions {
		names = append(names, p.ID)
	}
	for _, c := range s.Clusters {
		all = append(all, c.Name)
	}
	rest := text.Meant(scope, append(all, names...))
	switch {
	case rest != "":
	case len(names) == 0:
		rest = "; there are none yet"
	default:
		rest = "; there are " + words.Few(names, 10)
	}
	return &core.Refusal{Code: core.NoSuchPartition, Message: fmt.Sprintf("there is no cluster or partition %q%s", clipped(scope), rest)}
}

// under says whether a quota is another one or stands below it; everything stands below "".
func under(path, root string) bool {
	return root == "" || path == root || strings.HasPrefix(path, root+"/")
}

// in says whether a word is one of a list; any word is, where the list is empty.
func in[T ~string](word T, list []string) bool {
	for _, one := range list {
		if string(word) == one {
			return true
		}
	}
	return len(list) == 0
}
