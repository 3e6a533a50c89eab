package health

import (
	"slices"
	"sort"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// crowd is the nodes on which one signature asks for something.
type crowd struct {
	signature string
	agent     string
	nodes     []int
	since     []fleet.Instant // by node
	last      fleet.Instant
}

// crowds gathers what is asked for by signature, in order of signature.
func crowds(verdicts []Verdict) []*crowd {
	by := map[string]*crowd{}
	for _, v := range verdicts {
		for _, f := range v.Findings {
			if f.Then == "" || f.Held == HeldByStoreOnly {
				continue
			}
			signature := f.Condition.Signature()
			c := by[signature]
			if c == nil {
				c = &crowd{signature: signature, agent: f.Condition.Agent}
				by[signature] = c
			}
			c.join(v.Node, f.Condition)
		}
	}
	list := make([]*crowd, 0, len(by))
	for _, c := range by {
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].signature < list[j].signature })
	return list
}

// join adds a node once, with the first moment at which it says so.
func (c *crowd) join(node int, x *fleet.Condition) {
	c.last = max(c.last, x.Last)
	if k := len(c.nodes); k > 0 && c.nodes[k-1] == node {
		c.since[k-1] = min(c.since[k-1], x.Since)
		return
	}
	c.nodes, c.since = append(c.nodes, node), append(c.since, x.Since)
}

// densest is the most moments that lie within a time of each other, and the
// first of them.
func densest(moments []fleet.Instant, within time.Duration) (most int, first fleet.Instant) {
	sorted := slices.Clone(moments)
	slices.Sort(sorted)
	from := 0
	for to := range sorted {
		for sorted[to] > sorted[from].Add(within) {
			from++
		}
		if n := to - from + 1; n > most {
			most, first = n, sorted[from]
		}
	}
	return most, first
}

// newBursts lists the signatures that are on many nodes within minutes and not
// yet known for it.
func (l *look) newBursts(p *fleet.Partition, all []*crowd) []fleet.Burst {
	var found []fleet.Burst
	for _, c := range all {
		if p.Health.Burst(c.signature) != nil || len(c.nodes) < l.policy.Burst.Nodes {
			continue
		}
		n, first := densest(c.since, l.policy.Burst.Within)
		if n >= l.policy.Burst.Nodes {
			found = append(found, fleet.Burst{
				Signature: c.signature, Since: first, Last: c.last, Nodes: n, Accuses: suspected(p, c),
			})
		}
	}
	return found
}

// suspected is the workload that stands on all the nodes, or else the monitor.
func suspected(p *fleet.Partition, c *crowd) string {
	on := map[*fleet.Workload]int{}
	var order []*fleet.Workload
	for _, n := range c.nodes {
		seen := map[*fleet.Workload]bool{}
		for _, r := range p.Nodes[n].Residents() {
			if !seen[r.Workload] {
				seen[r.Workload] = true
				on[r.Workload]++
				order = append(order, r.Workload)
			}
		}
	}
	for _, w := range order {
		if on[w] == len(c.nodes) {
			return "workload " + w.Namespace + "/" + w.Name
		}
	}
	return "monitor " + c.agent
}

// overBursts lists the signatures that no node shows any more, once they have cooled down.
func (l *look) overBursts(p *fleet.Partition, all []*crowd) []string {
	var over []string
	for _, b := range p.Health.Bursts {
		if slices.ContainsFunc(all, func(c *crowd) bool { return c.signature == b.Signature }) {
			continue
		}
		end := lastSeen(p, b).Add(l.policy.Burst.CoolDown)
		if l.now < end {
			l.wake(end)
			continue
		}
		over = append(over, b.Signature)
	}
	return over
}

func lastSeen(p *fleet.Partition, b *fleet.Burst) fleet.Instant {
	last := b.Last
	for _, k := range p.Ailing() {
		for _, c := range p.Nodes[k].Health.Conditions {
			if c.Signature() == b.Signature {
				last = max(last, c.Last, c.Cleared)
			}
		}
	}
	return last
}

// hold marks the findings that a burst explains: what the nodes say since it
// began is not believed of them, unless a person says it is real.
func hold(p *fleet.Partition, v *Verdict) {
	for i := range v.Findings {
		f := &v.Findings[i]
		b := p.Health.Burst(f.Condition.Signature())
		if b != nil && !b.Real && f.Held == "" && f.Condition.Since >= b.Since {
			f.Held = HeldByBurst
		}
	}
}
