package kube

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// grants lists the commands that make quotas and their grants what the cluster
// says. What of a grant fills no whole node is said: it stays unbacked.
func grants(s *fleet.State, cluster string, quotas []translate.Quota) (commands []core.Command, problems []translate.Problem) {
	wanted := map[string]bool{}
	for _, q := range quotas {
		if fleet.TreeOf(q.Path) == fleet.Flex {
			problems = append(problems, translate.Problem{Object: "quota/" + q.Path, Text: "it is named like flex, and left out"})
			continue
		}
		wanted[q.Path] = true
		is := s.Quota(q.Path)
		if is == nil && q.Unsure {
			continue // it would begin without a list
		}
		if is == nil {
			commands = append(commands, core.CreateQuota{Path: q.Path, Access: access(nil, cluster, q.Namespaces)})
		} else if to := access(is, cluster, q.Namespaces); !q.Unsure && fromClusters(is) && !slices.Equal(to.Namespaces, is.Access.Namespaces) {
			commands = append(commands, core.SetAccess{Path: q.Path, Access: to})
		}
		set, trouble := grantsOf(s, cluster, q)
		commands, problems = append(commands, set...), append(problems, trouble...)
	}
	for _, q := range s.Quotas {
		if owned(q, cluster) && !wanted[q.Path] {
			commands = append(commands, drop(s, cluster, q.Path)...)
		}
	}
	return commands, problems
}

// access lists who may use a quota by this cluster. A quota may be one of several
// clusters: who may use it by the others stays.
func access(q *fleet.Quota, cluster string, namespaces []string) fleet.Access {
	var a fleet.Access
	for _, ns := range namespaces {
		a.Namespaces = append(a.Namespaces, cluster+"/"+ns)
	}
	if q != nil {
		for _, entry := range q.Access.Namespaces {
			if !strings.HasPrefix(entry, cluster+"/") {
				a.Namespaces = append(a.Namespaces, entry)
			}
		}
	}
	slices.Sort(a.Namespaces)
	return a
}

// fromClusters says whether the quota came from clusters: all who may use it are
// namespaces of theirs.
func fromClusters(q *fleet.Quota) bool {
	for _, ns := range q.Access.Namespaces {
		if !strings.Contains(ns, "/") {
			return false
		}
	}
	return len(q.Access.Namespaces) > 0 && len(q.Access.Users)+len(q.Access.Groups) == 0
}

// owned says whether the quota came from this cluster, and perhaps from others.
func owned(q *fleet.Quota, cluster string) bool {
	mine := func(entry string) bool { return strings.HasPrefix(entry, cluster+"/") }
	return fromClusters(q) && slices.ContainsFunc(q.Access.Namespaces, mine)
}

func grantsOf(s *fleet.State, cluster string, q translate.Quota) (commands []core.Command, problems []translate.Problem) {
	gpus := map[string]int{}
	for _, g := range q.Grants {
		p, note := partitionOf(s, cluster, g)
		if note != "" {
			problems = append(problems, translate.Problem{Object: "quota/" + q.Path, Text: note})
		}
		if p == nil {
			continue
		}
		if over := g.GPUs % p.GPUsPerNode; over != 0 {
			problems = append(problems, translate.Problem{
				Object: "quota/" + q.Path,
				Text:   fmt.Sprintf("%d GPUs are granted in %s; %d of them fill no whole node and stay unbacked", g.GPUs, p.ID, over),
			})
		}
		gpus[p.ID] += g.GPUs
	}
	for _, p := range s.Partitions {
		if p.Cluster != cluster {
			continue
		}
		if a := p.Account(q.Path); (a == nil && gpus[p.ID] > 0) || (a != nil && a.Lasting() != gpus[p.ID]) {
			commands = append(commands, core.SetGrant{Quota: q.Path, Partition: p.ID, GPUs: gpus[p.ID], KeepGang: true, Overcommit: true, AsFound: true})
		}
	}
	return commands, problems
}

// partitionOf is the partition that a grant is of. Where it names no model, it is
// the only one, or the largest, which is said.
func partitionOf(s *fleet.State, cluster string, g translate.Grant) (*fleet.Partition, string) {
	var here []*fleet.Partition
	for _, p := range s.Partitions {
		if p.Cluster == cluster && (g.Model == "" || p.GPU == g.Model || strings.HasPrefix(p.GPU, g.Model+"-")) {
			here = append(here, p)
		}
	}
	if len(here) == 0 {
		return nil, fmt.Sprintf("no node has the model %q of %d GPUs that it grants", g.Model, g.GPUs)
	}
	slices.SortStableFunc(here, func(a, b *fleet.Partition) int { return cmp.Compare(b.Tally().Installed, a.Tally().Installed) })
	if len(here) > 1 {
		return here[0], fmt.Sprintf("it does not say which GPU model its %d GPUs are of; they are counted in %s, the largest", g.GPUs, here[0].ID)
	}
	return here[0], ""
}

func drop(s *fleet.State, cluster, path string) (commands []core.Command) {
	for _, p := range s.Partitions {
		if a := p.Account(path); p.Cluster == cluster && a != nil && a.Lasting() > 0 {
			commands = append(commands, core.SetGrant{Quota: path, Partition: p.ID})
		}
	}
	return commands
}

// grantsOnce takes a grant over from the cluster once: afterwards people change
// here what is assigned, and the cluster is told what of it is backed.
func grantsOnce(s *fleet.State, cluster string, quotas []translate.Quota) (commands []core.Command, problems []translate.Problem) {
	for _, q := range quotas {
		if fleet.TreeOf(q.Path) == fleet.Flex || q.Unsure && s.Quota(q.Path) == nil {
			continue
		}
		if s.Quota(q.Path) == nil {
			commands = append(commands, core.CreateQuota{Path: q.Path, Access: access(nil, cluster, q.Namespaces)})
		}
		set, trouble := grantsOf(s, cluster, q)
		problems = append(problems, trouble...)
		for _, c := range set {
			if g, ok := c.(core.SetGrant); ok && s.Partition(g.Partition).Account(q.Path) == nil {
				commands = append(commands, c)
			}
		}
	}
	return commands, problems
}
