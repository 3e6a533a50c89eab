package view

import (
	"errors"
	"fmt"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Check says which of the figures of a state do not add up (semantics §1), or nil.
func Check(s *fleet.State) error {
	var wrong []error
	for _, p := range s.Partitions {
		c := checker{where: p.ID}
		c.quotas(QuotasIn(p))
		c.trees(QuotasIn(p))
		c.holdings(p)
		c.partition(p)
		wrong = append(wrong, c.wrong...)
	}
	return errors.Join(wrong...)
}

type checker struct {
	where string
	wrong []error
}

func (c *checker) equal(what string, is, want int) {
	if is != want {
		c.wrong = append(c.wrong, fmt.Errorf("%s: %s: %d is not %d", c.where, what, is, want))
	}
}

func (c *checker) atMost(what string, is, most int) {
	if is > most {
		c.wrong = append(c.wrong, fmt.Errorf("%s: %s: %d is more than %d", c.where, what, is, most))
	}
}

func (c *checker) quotas(rows []Quota) {
	for _, q := range rows {
		c.equal(q.Quota+": assigned = backed + unbacked", q.Assigned, q.Backed+q.Unbacked)
		c.equal(q.Quota+": backed = scheduled + unscheduled", q.Backed, q.Scheduled+q.Unscheduled)
		c.equal(q.Quota+": usage = scheduled + borrowed + over", q.Usage, q.Scheduled+q.Borrowed+q.Over)
		c.atMost(q.Quota+": lent of unscheduled", q.Lent, q.Unscheduled)
		c.atMost(q.Quota+": guaranteed of backed", q.Guaranteed, q.Backed)
		c.atMost(q.Quota+": held of usage", q.Guaranteed+q.Borrowing+q.Unprotected, q.Usage)
		for _, least := range []int{q.Assigned, q.Backed, q.Unbacked, q.Usage, q.Scheduled, q.Borrowed, q.Lent, q.Over} {
			c.atMost(q.Quota+": zero, of a figure that is never negative,", 0, least)
		}
	}
}

// holdings: what accounts count of their work is what their work holds.
func (c *checker) holdings(p *fleet.Partition) {
	for _, a := range p.Accounts {
		var held [fleet.HoldsFlex + 1]int
		for _, w := range a.Work() {
			for pool, replicas := range w.Replicas {
				for _, r := range replicas {
					if r.Phase != fleet.Reserved {
						held[r.HeldAs] += w.Pools[pool].GPUs
					}
				}
			}
		}
		for h, gpus := range held {
			c.equal(a.Quota+": GPUs held as "+fleet.HeldAs(h).String(), a.GPUsAs(fleet.HeldAs(h)), gpus)
		}
	}
}

// trees: what is lent is borrowed, and no quota is over while a sibling has backing left.
func (c *checker) trees(rows []Quota) {
	type sums struct{ borrowed, lent, over, left int }
	by, trees := map[string]*sums{}, []string{}
	for _, q := range rows {
		tree := fleet.TreeOf(q.Quota)
		if by[tree] == nil {
			by[tree] = &sums{}
			trees = append(trees, tree)
		}
		t := by[tree]
		t.borrowed += q.Borrowed
		t.lent += q.Lent
		t.over += q.Over
		t.left += q.Unscheduled - q.Lent
	}
	for _, tree := range trees {
		t := by[tree]
		c.equal("tree "+tree+": lent = borrowed", t.lent, t.borrowed)
		c.equal("tree "+tree+": over, while backing is unscheduled and not lent", min(t.over, t.left), 0)
	}
}

func (c *checker) partition(p *fleet.Partition) {
	f, t := PartitionOf(p).Figures, p.Tally()
	c.atMost("healthy of usable", f.Healthy, f.Usable)
	c.atMost("usable of installed", f.Usable, f.Installed)
	c.atMost("promisable of healthy", f.Promisable, f.Healthy)
	c.atMost("backed of promisable", f.Backed, f.Promisable)
	c.atMost("zero of flex", 0, f.Flex)
	c.atMost("flexUsed of flex", f.FlexUsed, f.Flex)
	usage, flexUsed := 0, 0
	for _, q := range QuotasIn(p) {
		usage += q.Usage
	}
	for _, name := range p.Namespaces() {
		flexUsed += p.FlexOf(name).Used
	}
	c.equal("usage of all quotas = in-quota GPUs of all nodes", usage, t.InQuota)
	c.equal("flexUsed of all namespaces = flexUsed", flexUsed, f.FlexUsed)
	c.equal("usage of all quotas = scheduled + borrowed + over", usage, f.Scheduled+f.Borrowed+f.Over)
	waits := 0
	for _, a := range p.Accounts {
		waits += a.Fraction() + a.WaitsForIsland()*p.GPUsPerNode
	}
	if !stale(p) { // with silence the last backing stays, whatever else changes
		c.equal("flex = (usable − promisable) + unallocated + unplaced + unscheduled − borrowed − over + stranded in-quota", f.Flex,
			f.Usable-f.Promisable+f.Unallocated+p.Unplaced()+f.Unscheduled-f.Borrowed-f.Over+t.StrandedQ)
		c.atMost("promisable and assigned GPUs that back no quota, of what fills no whole node or waits for its island", p.Unplaced(), waits)
	}
}
