package view

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// outOfPlan are the nodes under maintenance: those of a visit come back when it should be
// over, and of all others the return has no known date.
func outOfPlan(p *fleet.Partition, now fleet.Instant) (list []Ahead) {
	undated := Ahead{Kind: AheadMaintenance, Partition: p.ID}
	for _, n := range p.Nodes {
		if n.State != fleet.Maintenance {
			continue
		}
		one := Ahead{Kind: AheadMaintenance, Since: n.Since, Partition: p.ID, GPUs: n.GPUs, Nodes: []string{n.Name}}
		if v := n.Visit; v != nil && !v.State.Ended() && v.Ends() > now {
			one.At = v.Ends()
			list = together(list, one)
			continue
		}
		if undated.Since == 0 || n.Since < undated.Since {
			undated.Since = n.Since
		}
		undated.Nodes, undated.GPUs = append(undated.Nodes, n.Name), undated.GPUs+n.GPUs
	}
	for i := range list {
		list[i].Text = nodesText(list[i].Nodes, "is", "are") + " expected back from maintenance"
	}
	if len(undated.Nodes) == 0 {
		return list
	}
	if len(undated.Nodes) == 1 {
		undated.About = undated.Nodes[0]
	}
	undated.Text = nodesText(undated.Nodes, "is", "are") + " under maintenance and will come back; no date is known"
	return append(list, undated)
}

// announced are the maintenances that take nodes of a partition at a moment to come.
func announced(s *fleet.State, p *fleet.Partition, now fleet.Instant) (list []Ahead) {
	for _, o := range s.Kept().Notices {
		if o.Ended != 0 || o.Cancelled || o.Starts <= now {
			continue
		}
		one := Ahead{Kind: AheadMaintenance, At: o.Starts, Partition: p.ID}
		for _, name := range o.Nodes {
			if i, ok := p.Node(name); ok {
				one.Nodes, one.GPUs = append(one.Nodes, name), one.GPUs+p.Nodes[i].GPUs
			}
		}
		switch len(one.Nodes) {
		case 0:
			continue
		case 1:
			one.About = one.Nodes[0]
		}
		one.Text = fmt.Sprintf("maintenance %s takes %s for %s, impact %s", o.Name, text.Count(len(one.Nodes), "node"), text.About(o.Lasts), o.Impact)
		list = append(list, one)
	}
	return list
}

// zonesAhead are the no-fly zones over some partitions: the end of those in force, and the
// begin of those to come.
func zonesAhead(s *fleet.State, list []*fleet.Partition, now fleet.Instant) (all []Ahead) {
	for _, z := range s.Kept().Zones {
		over := slices.IndexFunc(list, func(p *fleet.Partition) bool { return meets(z, p) })
		at := slices.IndexFunc(z.Spans, func(x fleet.Span) bool { return x.To > now })
		if over < 0 || at < 0 || z.Ended != 0 {
			continue
		}
		one := Ahead{Kind: AheadZone, At: z.Spans[at].From, About: z.Name}
		if one.Text = "no-fly zone " + z.Name + " begins"; one.At <= now {
			one.At, one.Since, one.Text = z.Spans[at].To, z.Spans[at].From, "no-fly zone "+z.Name+" ends"
		}
		one.Text += ": " + text.Clip(z.Reason, mostReason)
		all = append(all, one)
	}
	return all
}

// mostReason is how much of a zone's reason stands in a line.
const mostReason = 80

// meets says whether a zone may concern a partition: its own place decides, and a quota or a
// workload may be anywhere.
func meets(z *fleet.Zone, p *fleet.Partition) bool {
	if z.Workload != "" || z.Scope == "fleet" {
		return true
	}
	if fleet.InScope(z.Scope, p, 0) {
		return true
	}
	for i := range p.Islands {
		if fleet.InScope(z.Scope, p, i) {
			return true
		}
	}
	return p.State().Quota(z.Scope) != nil
}
