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

// Fenced is an engine that takes of one cluster's agent nothing but what is about
// that cluster. What a cluster shows is written by many people; whatever they
// write, nothing of another cluster may change by it.
func Fenced(e Engine, cluster string) Engine { return fenced{e, cluster} }

type fenced struct {
	Engine
	cluster string
}

// Do has a request done that is about the cluster. Of a batch in which each command
// stands for itself, those about others are refused.
func (f fenced) Do(ctx context.Context, r core.Request) ([]*core.Refusal, error) {
	if b, ok := r.Command.(core.Batch); ok && b.Each {
		return f.each(ctx, r, b.Commands)
	}
	if no := f.refuse(r.Command)[0]; no != nil {
		return nil, no
	}
	return f.Engine.Do(ctx, r)
}

func (f fenced) each(ctx context.Context, r core.Request, commands []core.Command) ([]*core.Refusal, error) {
	left := f.refuse(commands...)
	var own []core.Command
	var at []int // positions of the cluster's own commands
	for i, no := range left {
		if no == nil {
			own, at = append(own, commands[i]), append(at, i)
		}
	}
	r.Command = core.Batch{Commands: own, Each: true}
	refused, err := f.Engine.Do(ctx, r)
	for i, no := range refused {
		left[at[i]] = no
	}
	return left, err
}

// refuse says of each command why the cluster may not give it; nil: it may.
func (f fenced) refuse(commands ...core.Command) []*core.Refusal {
	left := make([]*core.Refusal, len(commands))
	f.Read(func(s *fleet.State) {
		for i, c := range commands {
			if strays := beyond(s, f.cluster, c); strays != "" {
				left[i] = &core.Refusal{Code: core.AccessDenied, Message: fmt.Sprintf("cluster %s may not speak of %s", f.cluster, strays)}
			}
		}
	})
	return left
}

// beyond says what of a command is not the cluster's own; "": nothing is.
func beyond(s *fleet.State, cluster string, command core.Command) string {
	switch c := command.(type) {
	case core.Batch:
		for _, one := range c.Commands {
			if text := beyond(s, cluster, one); text != "" {
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
		return beyondNodes(cluster, c)
	case core.SetNodes:
		return unless(ownNodes(s, cluster, c.Names), "nodes that it does not have: %v", c.Names[:min(3, len(c.Names))])
	case core.TakeSignals:
		names := make([]string, len(c.Signals))
		for i, signal := range c.Signals {
			names[i] = signal.Node
		}
		return unless(ownNodes(s, cluster, names), "nodes that it does not have")
	}
	if text, known := beyondQuota(s, cluster, command); known {
		return text
	}
	return beyondWork(s, cluster, command)
}

func beyondNodes(cluster string, c core.AddIslands) string {
	for _, island := range c.Islands {
		for _, name := range island.Names {
			if strings.Contains(name, "@") && !translate.Of(cluster, name) {
				return "node " + name
			}
		}
	}
	return unless(within(cluster, c.Partition), "partition %s", c.Partition)
}

// beyondQuota looks at commands about quota. A quota may be one of several clusters:
// each says what of its own metal it grants, and who of its own namespaces may use it.
func beyondQuota(s *fleet.State, cluster string, command core.Command) (text string, known bool) {
	switch c := command.(type) {
	case core.SetGrant:
		return unless(within(cluster, c.Partition), "partition %s", c.Partition), true
	case core.CreateQuota:
		return unless(sameElsewhere(fleet.Access{}, c.Access, cluster), "who of other clusters may use %s", c.Path), true
	case core.SetAccess:
		q := s.Quota(c.Path)
		return unless(q != nil && sameElsewhere(q.Access, c.Access, cluster), "who of other clusters may use %s", c.Path), true
	}
	return "", false
}

func beyondWork(s *fleet.State, cluster string, command core.Command) string {
	switch c := command.(type) {
	case core.Submit:
		return beyondSpec(s, cluster, c.Spec)
	case core.Observe:
		if text := beyondSpec(s, cluster, c.Spec); text != "" {
			return text
		}
		return unless(within(cluster, c.Partition), "partition %s", c.Partition)
	case core.Cancel:
		return beyondWorkload(s.Workload(c.Namespace, c.Name), cluster)
	case core.MeasureUsage:
		for _, of := range c.Of {
			if text := beyondWorkload(s.Workload(of.Namespace, of.Name), cluster); text != "" {
				return text
			}
		}
		return ""
	case core.Resize:
		return beyondWorkload(s.Workload(c.Namespace, c.Name), cluster)
	case core.Adopt:
		return beyondWorkload(s.Workload(c.Namespace, c.Name), cluster)
	case core.ReportFinished:
		return beyondWorkload(s.Workloads[c.ID], cluster)
	case core.ReportStopped:
		return beyondWorkload(s.Workloads[c.ID], cluster)
	}
	return fmt.Sprintf("%T", command)
}

func beyondSpec(s *fleet.State, cluster string, spec fleet.Spec) string {
	w := s.Workload(spec.Namespace, spec.Name)
	switch {
	case !slices.Contains(spec.Groups, mark(cluster)):
		return "work that is not marked as its own"
	case spec.Partition != "" && s.Partition(spec.Partition) != nil && !within(cluster, spec.Partition):
		return "partition " + spec.Partition
	case w != nil && !w.State.Ended():
		return beyondWorkload(w, cluster)
	}
	return ""
}

// beyondWorkload looks at a workload that is spoken of. One that nobody knows is
// nobody's, and the engine says what it thinks of that.
func beyondWorkload(w *fleet.Workload, cluster string) string {
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
