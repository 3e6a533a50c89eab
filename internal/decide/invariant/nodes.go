package invariant

import "github.com/muster-fleet/muster/internal/state/fleet"

const (
	ruleHeldOnce = "no GPU held twice"                   // semantics §10.2
	ruleKept     = "nothing stays on a node that is out" // §10.2
	ruleDead     = "dead GPUs belong to degraded nodes"
	ruleOneQuota = "a node carries one quota's work" // §3
)

// heldOnce asks of every node whether its GPUs are enough for what stands there.
func (c *checker) heldOnce(p *fleet.Partition) {
	for _, n := range p.Nodes {
		c.atMost(ruleHeldOnce, "GPUs held on ", n.Name, n.InUse(), n.Good())
		c.atMost(ruleHeldOnce, "GPUs that stay taken on ", n.Name, n.Staying(), n.Good())
		if !n.State.Keeps() {
			c.atMost(ruleKept, "GPUs that stay taken on ", n.Name+", "+string(n.State), n.Staying(), 0)
		}
		if (n.State == fleet.Degraded) != (n.Dead > 0) || n.Dead < 0 || n.Dead >= n.GPUs {
			c.broken(ruleDead, "%s is %s with %d of %d GPUs dead", n.Name, n.State, n.Dead, n.GPUs)
		}
	}
}

// owners asks that in-quota work of one quota only stays on a node.
func (c *checker) owners(p *fleet.Partition) {
	for _, n := range p.Nodes {
		first := ""
		for _, r := range n.Residents() {
			w := r.Workload
			if w.Flexes() || r.Phase == fleet.Leaving || w.Target == first {
				continue
			}
			if first != "" {
				c.broken(ruleOneQuota, "%s carries work of %s and of %s", n.Name, first, w.Target)
			}
			first = w.Target
		}
	}
}
