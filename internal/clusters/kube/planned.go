package kube

import (
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// beforeEvent is how long before the moment of an announced maintenance work leaves its node.
const beforeEvent = 5 * time.Minute

// announcers are those whose word of a maintenance becomes a notice, as the names of these begin.
var announcers = []string{"azure-", "kured-", "gpu-operator-"}

// announcedWork lists the commands by which the state knows of the maintenances that nodes say they are to have, and of
// those that are over or moved.
func announcedWork(s *fleet.State, cluster string, nodes []translate.Node, now fleet.Instant) (commands []core.Command) {
	said := map[string]bool{}
	for _, n := range nodes {
		if p, _ := s.FindNode(n.Name); p == nil || p.Cluster != cluster {
			continue
		}
		for _, a := range n.Announced {
			name := a.Name(translate.Bare(n.Name))
			if said[name] = true; s.Kept().Notice(name) == nil {
				commands = append(commands, noticeOf(name, n.Name, a, now))
			}
		}
	}
	for _, o := range s.Kept().Notices {
		if o.Ended == 0 && !said[o.Name] && fromNode(o) {
			commands = append(commands, overOn(s, cluster, o, nodes)...)
		}
	}
	return commands
}

// noticeOf announces what a node says. Work leaves somewhat before its moment, so that the node is empty then.
func noticeOf(name, node string, a translate.Announced, now fleet.Instant) core.Command {
	starts, ends := max(now, a.At.Add(-beforeEvent)), max(now, a.At).Add(a.Lasts)
	c := core.AddNotice{Name: name, Nodes: []string{node}, Starts: starts, Lasts: ends.Sub(starts), Impact: a.Impact, Provider: true}
	if a.Impact == fleet.ImpactFreeze {
		c.Freeze = a.Lasts
	}
	return c
}

// fromNode says whether a notice is one that noticeOf made.
func fromNode(o *fleet.Notice) bool {
	return o.Provider && len(o.Nodes) == 1 && slices.ContainsFunc(announcers, func(by string) bool { return strings.HasPrefix(o.Name, by) })
}

// overOn is what follows where a node does not speak of a maintenance any more: its visit has passed once the node is
// there again; one that has not begun is cancelled.
func overOn(s *fleet.State, cluster string, o *fleet.Notice, nodes []translate.Node) []core.Command {
	p, at := s.FindNode(o.Nodes[0])
	if p == nil || p.Cluster != cluster {
		return nil
	}
	v := p.Nodes[at].Visit
	switch {
	case v == nil || v.Notice != o.Name:
		return []core.Command{core.CancelNotice{Name: o.Name}}
	case v.State == fleet.VisitWorking && serves(nodes, o.Nodes[0]):
		return []core.Command{core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: core.Passed}}
	}
	return nil
}

// serves says whether a node is there and answers.
func serves(nodes []translate.Node, name string) bool {
	return slices.ContainsFunc(nodes, func(n translate.Node) bool { return n.Name == name && n.Silent == 0 && n.Broken == "" })
}

// observedRuns lists the commands that make the state say what nodes say they run. A node in its visit is left alone, and so
// is what its last visit has brought: one that says something else is a problem, and not a reason to visit it again and again.
func observedRuns(s *fleet.State, nodes []translate.Node) (commands []core.Command, problems []translate.Problem) {
	for _, n := range nodes {
		p, at := s.FindNode(n.Name)
		if p == nil {
			continue
		}
		is := p.Nodes[at]
		if v := is.Visit; v != nil && !v.State.Ended() {
			continue
		}
		next, odd := is.Runs, ""
		for _, c := range n.Runs {
			switch had := next.Version(c.Name); {
			case sameVersion(had, c.Version):
			case brought(is.Visit, c.Name):
				odd = "it says that it runs " + c.Name + " " + c.Version + ", and its last visit brought " + had
			default:
				next = next.With(c)
			}
		}
		if odd != "" {
			problems = append(problems, translate.Problem{Object: "node/" + n.Name, Text: odd})
		}
		if !slices.Equal(next, is.Runs) {
			commands = append(commands, core.ObserveRuns{Node: n.Name, Runs: next})
		}
	}
	return commands, problems
}

// sameVersion says whether a node runs what an update names: update 580 is version 580.65.06, too.
func sameVersion(named, runs string) bool {
	named, runs = strings.TrimPrefix(named, "v"), strings.TrimPrefix(runs, "v")
	return named == runs || named != "" && strings.HasPrefix(runs, named+".")
}

// brought says whether a visit has brought a component.
func brought(v *fleet.Visit, component string) bool {
	return v != nil && v.State == fleet.VisitDone && slices.ContainsFunc(v.Brings, func(c fleet.Component) bool { return c.Name == component })
}
