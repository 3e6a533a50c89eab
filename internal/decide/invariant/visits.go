package invariant

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

const (
	ruleVisit    = "a visit that is not over is on the list, and its node is out for it" // maintenance §2.6
	ruleUntested = "no untested combination spreads"                                     // maintenance §2.2
)

// visits asks of planned work that every open visit is one that may be: its node is out for it,
// and what it brings outside a canary is proven.
func (c *checker) visits(p *fleet.Partition) {
	m, open := p.State().Kept(), 0
	for i, n := range p.Nodes {
		if v := n.Visit; v != nil && !v.State.Ended() {
			open++
			if !slices.Contains(m.Open, fleet.NodeRef{Partition: p.ID, Node: i}) {
				c.broken(ruleVisit, "%s is visited, and not on the list", n.Name)
			}
			c.visit(m, p, n, v)
		}
	}
	for _, ref := range m.Open {
		if ref.Partition == p.ID {
			open--
		}
	}
	c.equal(ruleVisit, "nodes that are visited, less those on the list", "", open, 0)
}

func (c *checker) visit(m *fleet.Maintained, p *fleet.Partition, n *fleet.Node, v *fleet.Visit) {
	if !v.Quiet() && !v.Out && n.State == fleet.Maintenance && !n.Planned {
		c.broken(ruleVisit, "%s is out for a visit, and counts as failed", n.Name)
	}
	if len(v.Brings) == 0 || v.Canary {
		return
	}
	if hash := n.Runs.With(v.Brings...).Hash(); m.Verdict(p.GPU, hash) != fleet.Proven {
		c.broken(ruleUntested, "%s is brought to configuration %s, which is %s on %s", n.Name, hash, m.Verdict(p.GPU, hash), p.GPU)
	}
}
