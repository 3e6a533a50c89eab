package api

import (
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
		return nil, noPartition(s, scope)
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

func noPartition(s *fleet.State, scope string) error {
	names := make([]string, len(s.Partitions))
	for i, p := range s.Partitions {
		names[i] = p.ID
	}
	if meant := text.Meant(scope, names); meant != "" {
		return &core.Refusal{Code: core.NoSuchPartition, Message: "no cluster or partition is named " + scope + meant}
	}
	there := "there are none yet"
	if len(names) > 0 {
		there = "there are " + words.Few(names, 10)
	}
	return &core.Refusal{Code: core.NoSuchPartition, Message: "no cluster or partition is named " + scope + "; " + there}
}

func noQuota(s *fleet.State, path string) error {
	known := make([]string, len(s.Quotas))
	for i, q := range s.Quotas {
		known[i] = q.Path
	}
	if meant := text.Meant(path, known); meant != "" {
		return &core.Refusal{Code: core.NoSuchQuota, Message: "no quota is named " + path + meant}
	}
	return &core.Refusal{Code: core.NoSuchQuota, Message: "no quota is named " + path + "; muster quota list shows those there are"}
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
