package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Scoped is an engine that takes from one cluster nothing that is about another. What a
// cluster shows is written by many people; nothing that they write may change another
// cluster.
func Scoped(e Engine, cluster string) Engine { return scoped{e, cluster} }

type scoped struct {
	Engine
	cluster string
}

// Do has a request done that is about the cluster. Of a batch in which each command
// stands for itself, those about others are refused.
func (c scoped) Do(ctx context.Context, r core.Request) ([]*core.Refusal, error) {
	if b, ok := r.Command.(core.Batch); ok && b.Each {
		return c.each(ctx, r, b.Commands)
	}
	if no := c.refuse(r.Command)[0]; no != nil {
		return nil, no
	}
	return c.Engine.Do(ctx, r)
}

func (c scoped) each(ctx context.Context, r core.Request, commands []core.Command) ([]*core.Refusal, error) {
	left := c.refuse(commands...)
	var own []core.Command
	var at []int // positions of the cluster's own commands
	for i, no := range left {
		if no == nil {
			own, at = append(own, commands[i]), append(at, i)
		}
	}
	r.Command = core.Batch{Commands: own, Each: true}
	refused, err := c.Engine.Do(ctx, r)
	for i, no := range refused {
		left[at[i]] = no
	}
	return left, err
}

// refuse says of each command why the cluster may not give it; nil: it may.
func (c scoped) refuse(commands ...core.Command) []*core.Refusal {
	left := make([]*core.Refusal, len(commands))
	c.Read(func(s *fleet.State) {
		for i, command := range commands {
			if what := outside(s, c.cluster, command); what != "" {
				left[i] = &core.Refusal{Code: core.AccessDenied, Message: fmt.Sprintf("cluster %s may not speak of %s", c.cluster, what)}
			}
		}
	})
	return left
}

// outside says what of a command is not the cluster's own; "": nothing is.
func outside(s *fleet.State, cluster string, command core.Command) string {
	switch c := command.(type) {
	case core.Batch:
		for _, one := range c.Commands {
			if text := outside(s, cluster, one); text != "" {
				return text
			}
		}
		return ""
	case core.AddCluster:
		return unless(c.Name == cluster, "cluster %s", c.Name)
	case core.AddPartition:
		return unless(c.Cluster == cluster, "cluster %s", c.Cluster)
	case core.StopReports:
		return unless(c.Cluster == cluster, "cluster %s", c.Cluster)
	case core.ResumeReports:
		return unless(c.Cluster == cluster, "cluster %s", c.Cluster)
	case core.AddIslands:
		return outsideNodes(cluster, c)
	case core.SetNodes:
		return unless(ownNodes(s, cluster, c.Names), "nodes that it does not have: %v", c.Names[:min(3, len(c.Names))])
	case core.TakeSignals:
		names := make([]string, len(c.Signals))
		for i, signal := range c.Signals {
			names[i] = signal.Node
		}
		return unless(ownNodes(s, cluster, names), "nodes that it does not have")
	}
	if text, known := outsideQuota(s, cluster, command); known {
		return text
	}
	return outsideWork(s, cluster, command)
}

func outsideNodes(cluster string, c core.AddIslands) string {
	for _, island := range c.Islands {
		for _, name := range island.Names {
			if strings.Contains(name, "@") && !translate.Of(cluster, name) {
				return "node " + name
			}
		}
	}
	return unless(within(cluster, c.Partition), "partition %s", c.Partition)
}

// outsideQuota looks at commands about quota. A quota may be one of several clusters:
// each says how many of its own GPUs it grants, and which of its namespaces may use them.
func outsideQuota(s *fleet.State, cluster string, command core.Command) (text string, known bool) {
	switch c := command.(type) {
	case core.SetGrant:
		return unless(within(cluster, c.Partition), "partition %s", c.Partition), true
	case core.CreateQuota:
		if c.Owner != "" {
			return "who answers for " + c.Path, true
		}
		return unless(sameElsewhere(fleet.Access{}, c.Access, cluster), "who of other clusters may use %s", c.Path), true
	case core.SetAccess:
		q := s.Quota(c.Path)
		return unless(q != nil && sameElsewhere(q.Access, c.Access, cluster), "who of other clusters may use %s", c.Path), true
	}
	return "", false
}

func outsideWork(s *fleet.State, cluster string, command core.Command) string {
	switch c := command.(type) {
	case core.Submit:
		return outsideSpec(s, cluster, c.Spec)
	case core.Observe:
		if text := outsideSpec(s, cluster, c.Spec); text != "" {
			return text
		}
		return unless(within(cluster, c.Partition), "partition %s", c.Partition)
	case core.Cancel:
		return outsideWorkload(s.Workload(c.Namespace, c.Name), cluster)
	case core.MeasureUsage:
		for _, of := range c.Of {
			if text := outsideWorkload(s.Workload(of.Namespace, of.Name), cluster); text != "" {
				return text
			}
		}
		return ""
	case core.Resize:
		return outsideWorkload(s.Workload(c.Namespace, c.Name), cluster)
	case core.Adopt:
		return outsideWorkload(s.Workload(c.Namespace, c.Name), cluster)
	case core.ReportFinished:
		return outsideWorkload(s.Workloads[c.ID], cluster)
	case core.ReportStopped:
		return outsideWorkload(s.Workloads[c.ID], cluster)
	}
	return fmt.Sprintf("%T", command)
}

func outsideSpec(s *fleet.State, cluster string, spec fleet.Spec) string {
	w := s.Workload(spec.Namespace, spec.Name)
	switch {
	case !slices.Contains(spec.Groups, mark(cluster)):
		return "work that is not marked as its own"
	case spec.Partition != "" && s.Partition(spec.Partition) != nil && !within(cluster, spec.Partition):
		return "partition " + spec.Partition
	case w != nil && !w.State.Ended():
		return outsideWorkload(w, cluster)
	}
	return ""
}

// outsideWorkload looks at a workload that a command names. One that is not known is left
// to the engine.
func outsideWorkload(w *fleet.Workload, cluster string) string {
	if w == nil || marked(w, cluster) || w.Where != "" && within(cluster, w.Where) {
		return ""
	}
	return "workload " + w.Namespace + "/" + w.Name
}

// sameElsewhere says whether two access lists differ in the cluster's own entries only.
func sameElsewhere(was, is fleet.Access, cluster string) bool {
	others := func(entries []string) (list []string) {
		for _, e := range entries {
			if !strings.HasPrefix(e, cluster+"/") {
				list = append(list, e)
			}
		}
		slices.Sort(list)
		return list
	}
	return slices.Equal(others(was.Namespaces), others(is.Namespaces)) && slices.Equal(was.Users, is.Users) && slices.Equal(was.Groups, is.Groups)
}

func within(cluster, partition string) bool { return strings.HasPrefix(partition, cluster+"/") }

func ownNodes(s *fleet.State, cluster string, names []string) bool {
	for _, name := range names {
		if p, _ := s.FindNode(name); p != nil && p.Cluster != cluster {
			return false
		}
	}
	return true
}

func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}
