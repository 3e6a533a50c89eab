package api

import (
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// This file refuses names that nothing has: a question with a typing error is not answered with an empty
// list. "" asks for any, and is known.

func knownQuota(s *fleet.State, path string) error {
	if path == "" || s.Quota(path) != nil {
		return nil
	}
	return core.NoQuota(s, path)
}

// knownTarget is the same of a target: a quota, or flex.
func knownTarget(s *fleet.State, target string) error {
	if target == fleet.Flex {
		return nil
	}
	return knownQuota(s, target)
}

func knownPartition(s *fleet.State, id string) error {
	if id == "" || s.Partition(id) != nil {
		return nil
	}
	return core.NoPartition(s, id)
}

func knownCluster(s *fleet.State, name string) error {
	if name == "" || s.Cluster(name) != nil {
		return nil
	}
	return core.NoCluster(s, name)
}

// knownScope refuses a scope that is no cluster, partition or island.
func knownScope(s *fleet.State, scope string) error {
	id, name := island(scope)
	if _, err := partitions(s, id); err != nil || name == "" {
		return err
	}
	if _, ok := s.Partition(id).Island(name); !ok {
		return noIsland(s.Partition(id), name)
	}
	return nil
}

// knownNow is the first error of questions about the state as it is now.
func (s *service) knownNow(known ...func(*fleet.State) error) (err error) {
	s.engine.Look(func(state *fleet.State) {
		for _, is := range known {
			if err == nil {
				err = is(state)
			}
		}
	})
	return err
}

// named asks whether a name is known in a state, for knownNow.
func named(known func(*fleet.State, string) error, name string) func(*fleet.State) error {
	return func(s *fleet.State) error { return known(s, name) }
}

// knownInList refuses what a question for workloads names and nothing has. It is asked where none was found: of
// a quota that is gone the work that ended is still known.
func knownInList(c *caller, s *fleet.State, m *musterv1.ListWorkloadsRequest, found []*fleet.Workload) error {
	if len(found) > 0 {
		return nil
	}
	if err := knownTarget(s, m.GetTarget()); err != nil {
		return err
	}
	if err := knownPartition(s, m.GetPartition()); err != nil {
		return err
	}
	return c.knownNamespace(s, m.GetNamespace())
}

// knownNamespace refuses a namespace that is not the caller's own and that no work, quota or role names of which
// the caller may be told. So of one that others alone have it is not told whether there is one.
func (c *caller) knownNamespace(s *fleet.State, namespace string) error {
	own := c.actor.Name[strings.LastIndex(c.actor.Name, ":")+1:]
	if namespace == "" || namespace == own || namespace == c.actor.User || !c.readsAll() && c.seesNamespace("")(namespace) {
		return nil
	}
	known := c.namespaces(s) // of all work, so it is asked last
	if slices.Contains(known, namespace) {
		return nil
	}
	refusal := &core.Refusal{Code: core.NoSuchNamespace, Message: "no workload, quota or role that you may read names the namespace " + namespace}
	if meant := text.Meant(namespace, known); meant != "" {
		refusal.Message += meant
	} else {
		refusal.Message += "; muster job list -A shows which namespaces have work"
	}
	return refusal
}

// namespaces are those of which the caller may be told: of quotas, of roles and of work, in order of name.
func (c *caller) namespaces(s *fleet.State) (list []string) {
	for _, q := range s.Quotas {
		for _, entry := range q.Access.Namespaces {
			list = append(list, entry[strings.LastIndex(entry, "/")+1:]) // CLUSTER/NAMESPACE, or NAMESPACE
		}
	}
	for _, h := range s.Holds {
		list = append(list, h.Namespace)
	}
	all := c.may(access.ReadBindings)
	for _, b := range s.Bindings {
		if all || c.bears(b.Subject) {
			list = append(list, b.Scope.Namespace)
		}
	}
	told := map[string]bool{}
	for _, w := range s.Workloads {
		if !told[w.Namespace] && c.sees(s, w) {
			told[w.Namespace] = true
			list = append(list, w.Namespace)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// partitionsOf are the partitions of a cluster, by name; none, where there is no such cluster.
func (s *service) partitionsOf(cluster string) (ids []string) {
	s.engine.Read(func(state *fleet.State) {
		for _, p := range state.Partitions {
			if p.Cluster == cluster {
				ids = append(ids, p.ID)
			}
		}
	})
	return ids
}
