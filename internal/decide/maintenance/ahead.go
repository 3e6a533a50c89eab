package maintenance

import "github.com/muster-fleet/muster/internal/state/fleet"

// Ahead says of each node of a partition from when on planned work may disturb what stands there: the
// begin of what was announced, or where a rollout still has to visit the node, since the rollout was added. Never:
// nothing is planned there. It is nil where nothing is planned in the whole partition. It is not to be changed: the
// partition remembers it until what is planned changes.
func Ahead(s *fleet.State, p *fleet.Partition) []fleet.Instant {
	if m, _ := p.Memories.Maintenance.(*planned); m != nil && m.version == s.PlansVersion() {
		return m.at
	}
	at := aheadIn(s, p)
	p.Memories.Maintenance = &planned{s.PlansVersion(), at}
	return at
}

// planned is what a partition remembers of what is planned on its nodes. It is never changed.
type planned struct {
	version uint64
	at      []fleet.Instant
}

// Fork is the same: a copy has the same nodes and the same plans until one of them changes.
func (m *planned) Fork() fleet.Memory { return m }

func aheadIn(s *fleet.State, p *fleet.Partition) []fleet.Instant {
	a := &aheadOf{p: p}
	m := s.Kept()
	for _, o := range m.Notices {
		if o.Ended == 0 && o.Impact.Disturbs() {
			a.announced(s, o)
		}
	}
	for _, r := range m.Rollouts {
		if r.Open() && r.Joined == "" {
			a.rolledOut(m, r)
		}
	}
	return a.at
}

type aheadOf struct {
	p  *fleet.Partition
	at []fleet.Instant
}

func (a *aheadOf) announced(s *fleet.State, o *fleet.Notice) {
	for _, name := range o.Nodes {
		if p, i := s.FindNode(name); p == a.p && o.Waits(name) {
			a.note(i, o.Starts)
		}
	}
}

func (a *aheadOf) rolledOut(m *fleet.Maintained, r *fleet.Rollout) {
	b := BundleFor(m, r.Updates, a.p.GPU)
	if len(b.Brings) == 0 || !b.Impact.Disturbs() {
		return
	}
	for _, i := range covered(r, a.p) {
		if n := a.p.Nodes[i]; !n.Runs.Has(b.Brings) && !r.FailedOn(n.Name) {
			a.note(i, r.Added)
		}
	}
}

func (a *aheadOf) note(node int, at fleet.Instant) {
	if a.at == nil {
		a.at = make([]fleet.Instant, len(a.p.Nodes))
		for i := range a.at {
			a.at[i] = fleet.Never
		}
	}
	a.at[node] = min(a.at[node], at)
}
