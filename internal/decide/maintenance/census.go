package maintenance

import "github.com/muster-fleet/muster/internal/state/fleet"

// census is a rollout's nodes by how far they are. A node with an open visit of the rollout is
// counted in of and visits alone.
type census struct {
	of      int // all nodes of its scope to which it brings anything
	done    int // they run all that it brings, at these versions
	failed  int
	pending []pending
	visits  int // open ones of this rollout
}

// counted is count, made once for each rollout in a look.
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
	c.visits = l.openVisits(r)
	return c
}

// openVisits counts the open visits of a rollout, wherever they are.
func (l *look) openVisits(r *fleet.Rollout) (n int) {
	l.eachOpen(func(_ *fleet.Partition, _ int, x *fleet.Node) {
		if x.Visit.Rollout == r.Name {
			n++
		}
	})
	return n
}

// add counts one node of the rollout's scope.
func (c *census) add(m *fleet.Maintained, r *fleet.Rollout, x pending, t *targets) {
	c.of++
	open := x.n.Visit != nil && !x.n.Visit.State.Ended()
	switch {
	case r.FailedOn(x.n.Name):
		c.failed++
	case open && x.n.Visit.Rollout == r.Name: // openVisits counts it
	case x.n.Runs.Has(x.b.Brings):
		c.done++
	default:
		x.target = t.of(m, x.p.GPU, x.n.Runs, x.b)
		c.pending = append(c.pending, x)
	}
}

// pending is a node that a rollout has not brought to its bundle yet.
type pending struct {
	p  *fleet.Partition
	at int // of p.Nodes
	n  *fleet.Node
	b  *Bundle // what its visit brings
	target
}
