package invariant

import "github.com/muster-fleet/muster/internal/state/fleet"

const ruleFigures = "the figures add up" // semantics §1

// figures asks the identities of semantics §1, in GPUs.
func (c *checker) figures(p *fleet.Partition) {
	t, gpus := p.Tally(), p.GPUsPerNode
	usage, unscheduled, above := 0, 0, 0
	for _, a := range p.Accounts {
		usage += a.Usage()
		unscheduled += max(0, a.BackedGPUs()-a.Usage())
		above += max(0, a.Usage()-a.BackedGPUs()) // borrowed + over
	}
	promisable, unallocated := p.Promisable*gpus, max(0, p.Promisable*gpus-p.Assigned())
	c.equal(ruleFigures, "flex = (usable − promisable) + unallocated + unplaced + unscheduled − borrowed − over + stranded in-quota", "",
		p.Flex(), (t.Usable-promisable)+unallocated+p.Unplaced()+unscheduled-above+t.StrandedQ)
	c.equal(ruleFigures, "usage of all quotas = GPUs that in-quota work holds or has reserved", "", usage, t.InQuota)
	c.equal(ruleFigures, "flex used by all namespaces = flex used", "", usedOnFlex(p), t.FlexUsed)
	c.atMost(ruleFigures, "flex used of flex", "", t.FlexUsed, p.Flex())
	c.atMost(ruleFigures, "zero of flex", "", 0, p.Flex())
	c.atMost(ruleFigures, "healthy of usable", "", t.Healthy, t.Usable)
	c.atMost(ruleFigures, "usable of installed", "", t.Usable, t.Installed)
}

func usedOnFlex(p *fleet.Partition) int {
	used := 0
	for _, ns := range p.Namespaces() {
		used += p.FlexOf(ns).Used
	}
	return used
}
