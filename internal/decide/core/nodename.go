package core

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// withFullNames gives nodes their full names in a command of a person, or of a monitor, who
// may have said only what their own cluster calls them. What a cluster's own driver
// says is exact: an unknown node that it names is not another cluster's.
func withFullNames(s *fleet.State, r *Request) (Command, *Refusal) {
	if r.Actor.Name == Reporter.Name || r.Actor.Name == System.Name {
		return r.Command, nil
	}
	switch c := r.Command.(type) {
	case SetNodes:
		refusal := fullNames(s, &c.Names)
		return c, refusal
	case ReleaseNodes:
		refusal := fullNames(s, &c.Names)
		return c, refusal
	case RecordValidation:
		refusal := fullName(s, &c.Node)
		return c, refusal
	case OpenIncident:
		refusal := fullNames(s, &c.Nodes)
		return c, refusal
	case UpdateIncident:
		if c.Nodes == nil {
			return c, nil
		}
		nodes := *c.Nodes
		refusal := fullNames(s, &nodes)
		c.Nodes = &nodes
		return c, refusal
	case StartRollout:
		refusal := fullNames(s, &c.Plan.Nodes)
		return c, refusal
	case AddNotice:
		refusal := fullNames(s, &c.Nodes)
		return c, refusal
	case ReportVisit:
		refusal := fullName(s, &c.Node)
		return c, refusal
	case TakeSignals:
		refusal := fullSignals(s, &c)
		return c, refusal
	}
	return r.Command, nil
}

// fullSignals copies the signals only where one of them says a short name: there may
// be many, and they are the sender's.
func fullSignals(s *fleet.State, c *TakeSignals) *Refusal {
	mine := false
	for i := range c.Signals {
		name := c.Signals[i].Node
		if refusal := fullName(s, &name); refusal != nil {
			return refusal
		}
		if name == c.Signals[i].Node {
			continue
		}
		if !mine {
			c.Signals, mine = slices.Clone(c.Signals), true
		}
		c.Signals[i].Node = name
	}
	return nil
}

func fullNames(s *fleet.State, names *[]string) *Refusal {
	*names = slices.Clone(*names)
	for i := range *names {
		if refusal := fullName(s, &(*names)[i]); refusal != nil {
			return refusal
		}
	}
	return nil
}

// fullName makes a name the full one where it means one node. What means none is left
// for the work that needs the node.
func fullName(s *fleet.State, name *string) *Refusal {
	if p, _ := s.FindNode(*name); p != nil {
		return nil
	}
	full := s.NodesNamed(*name)
	if len(full) > 1 {
		return refuse(Ambiguous, "node %q is a node of %s; say %s", clip(*name), text.Count(len(full), "cluster"), strings.Join(full, " or "))
	}
	if len(full) == 1 {
		*name = full[0]
	}
	return nil
}
