package maintenance

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bundle is all that one visit brings to a node (maintenance §1).
type Bundle struct {
	Updates   []string // by name
	Brings    []fleet.Component
	Impact    fleet.Impact // the gravest that counts
	Lasts     time.Duration
	NotBefore fleet.Instant
	Deadline  fleet.Instant // the earliest; 0: none
}

// BundleFor puts those of some updates together that fit a GPU model and stand.
func BundleFor(m *fleet.Maintained, names []string, gpu string) Bundle {
	b := Bundle{Impact: fleet.ImpactNone}
	for _, name := range names {
		u := m.Update(name)
		if u == nil || u.Record.Withdrawn != 0 || !u.Fits(gpu) {
			continue
		}
		b.Updates = append(b.Updates, name)
		b.Brings = append(b.Brings, u.Component)
		b.Lasts += u.Lasts
		b.NotBefore = max(b.NotBefore, u.NotBefore)
		if u.Counted().Over(b.Impact) {
			b.Impact = u.Counted()
		}
		if u.Deadline != 0 && (b.Deadline == 0 || u.Deadline < b.Deadline) {
			b.Deadline = u.Deadline
		}
	}
	return b
}

// pending is a node that a rollout has not brought to its bundle yet.
type pending struct {
	p  *fleet.Partition
	at int
	n  *fleet.Node
	b  *Bundle
	target
}

// targets finds out the configurations that bundles lead to, each once.
type targets struct{ known []lead }

// target is a configuration that a visit leads to.
type target struct {
	hash   string
	proven bool
}

type lead struct {
	runs fleet.Runs
	b    *Bundle
	to   target
}

// of is where a bundle leads from what a node of a GPU model runs.
func (t *targets) of(m *fleet.Maintained, gpu string, runs fleet.Runs, b *Bundle) target {
	for i := len(t.known) - 1; i >= 0; i-- {
		if k := &t.known[i]; k.b == b && slices.Equal(k.runs, runs) {
			return k.to
		}
	}
	to := targetOf(m, gpu, runs, b)
	t.known = append(t.known, lead{runs, b, to})
	return to
}

func targetOf(m *fleet.Maintained, gpu string, runs fleet.Runs, b *Bundle) target {
	hash := runs.With(b.Brings...).Hash()
	return target{hash, m.Verdict(gpu, hash) == fleet.Proven}
}

// census is a rollout's nodes by how far they are.
type census struct {
	of, done, failed int
	pending          []pending
	visits           int // open ones of this rollout
}

// counted is count, once for each rollout.
func (l *look) counted(r *fleet.Rollout) census {
	c, known := l.census[r]
	if !known {
		c = l.count(r)
		l.census[r] = c
	}
	return c
}

// count looks at every node of a rollout's scope.
func (l *look) count(r *fleet.Rollout) census {
	var c census
	var t targets
	for _, p := range l.s.Partitions {
		if !mayCover(r, p) {
			continue
		}
		b := BundleFor(l.m, r.Updates, p.GPU)
		if len(b.Brings) == 0 {
			continue
		}
		for _, i := range covered(r, p) {
			if n := p.Nodes[i]; n.State != fleet.Retired {
				c.add(l.m, r, pending{p: p, at: i, n: n, b: &b}, &t)
			}
		}
	}
	for _, ref := range l.m.Open {
		if p := l.s.Partition(ref.Partition); p != nil && p.Nodes[ref.Node].Visit.Rollout == r.Name {
			c.visits++
		}
	}
	return c
}

func (c *census) add(m *fleet.Maintained, r *fleet.Rollout, x pending, t *targets) {
	c.of++
	open := x.n.Visit != nil && !x.n.Visit.State.Ended()
	switch {
	case r.FailedOn(x.n.Name):
		c.failed++
	case open && x.n.Visit.Rollout == r.Name:
	case x.n.Runs.Has(x.b.Brings):
		c.done++
	default:
		x.target = t.of(m, x.p.GPU, x.n.Runs, x.b)
		c.pending = append(c.pending, x)
	}
}

// covered lists the nodes of a partition that are in a rollout's scope, in order.
func covered(r *fleet.Rollout, p *fleet.Partition) (list []int) {
	for _, name := range r.Nodes {
		if i, ok := p.Node(name); ok {
			list = append(list, i)
		}
	}
	if len(r.Nodes) > 0 {
		slices.Sort(list)
		return slices.Compact(list)
	}
	in := make([]bool, len(p.Islands))
	for i := range p.Islands {
		in[i] = fleet.InScope(r.Scope, p, i)
	}
	for i, n := range p.Nodes {
		if in[n.Island] {
			list = append(list, i)
		}
	}
	return list
}

// mayCover says whether a scope may have nodes in a partition.
func mayCover(r *fleet.Rollout, p *fleet.Partition) bool {
	if len(r.Nodes) > 0 {
		return slices.ContainsFunc(r.Nodes, func(name string) bool { _, ok := p.Node(name); return ok })
	}
	for i := range p.Islands {
		if fleet.InScope(r.Scope, p, i) {
			return true
		}
	}
	return false
}
