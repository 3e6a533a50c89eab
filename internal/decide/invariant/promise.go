package invariant

import "github.com/muster-fleet/muster/internal/state/fleet"

const (
	ruleOverpromise = "never overpromise"      // semantics §3.1
	ruleGrant       = "backed within grant"    // §3.2
	ruleAllBacked   = "all backed that can be" // §1: backed is the smaller of promisable and assigned
	ruleGangBacked  = "a backed gang has its island"
)

// promises asks rules 1 and 2 of semantics §3 in whole nodes.
func (c *checker) promises(p *fleet.Partition) {
	whole, all := 0, 0
	for i, island := range p.Islands {
		backing := 0
		for _, a := range p.Accounts {
			backing += a.Backing[i]
		}
		c.atMost(ruleOverpromise, "nodes backing quotas in island ", island.Name+" of its whole healthy ones", backing, island.Whole())
		c.atMost(ruleOverpromise, "own share of island ", island.Name+" of its whole healthy nodes", island.Share, island.Whole())
		whole += island.Whole()
		all += backing
	}
	c.atMost(ruleOverpromise, "nodes backing quotas of the promisable ones", "", all, p.Promisable)
	c.atMost(ruleOverpromise, "promisable of the whole healthy nodes", "", p.Promisable, whole)
	waits := 0
	for _, a := range p.Accounts {
		c.grant(p, a)
		waits += a.WaitsForIsland()
	}
	could := min(p.Promisable, p.AssignedNodes())
	c.atMost(ruleAllBacked, "backed nodes, of the smaller of promisable and assigned", "", all, could)
	c.atMost(ruleAllBacked, "of these, nodes not backed though nothing waits for its island", "", could-all, waits)
}

func (c *checker) grant(p *fleet.Partition, a *fleet.Account) {
	c.atMost(ruleGrant, "GPUs backing ", a.Quota, a.BackedGPUs(), a.Grant)
	c.atMost(ruleGrant, "GPUs that end of the grant of ", a.Quota, a.Temporary.GPUs, a.Grant)
	gang, widest := min(a.Gang, a.Grant), 0
	for _, nodes := range a.Backing {
		c.atMost(ruleGrant, "zero of the backing of ", a.Quota, 0, nodes)
		widest = max(widest, nodes*p.GPUsPerNode)
	}
	if gang > 0 && a.GangMissing == 0 {
		c.atMost(ruleGangBacked, "gang of ", a.Quota+", not flagged, in its widest island", gang, widest)
	}
}
