package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// notices makes the nodes of announced maintenances leaving within the horizon, begins their
// visits, and ends what is over.
func (l *look) notices() (Action, bool) {
	for _, o := range l.m.Notices {
		if a, ok := l.noticed(o); ok {
			return a, true
		}
	}
	return l.stays()
}

// stays takes back that nodes leave which nothing takes any more, or which the promise needs.
func (l *look) stays() (Action, bool) {
	for _, p := range l.s.Partitions {
		if p.LeavingNodes() == 0 || !l.lively(p) {
			continue
		}
		short := l.short(p)
		for i, n := range p.Nodes {
			if n.Leaving && !l.goes(p, n) && (!l.stillLeaves(p, i) || short && n.State == fleet.Healthy) {
				return Action{Kind: Leave, Partition: p, Node: i}, true
			}
		}
	}
	return Action{}, false
}

// goes says whether an announced maintenance is about to take a node.
func (l *look) goes(p *fleet.Partition, n *fleet.Node) bool {
	return slices.ContainsFunc(l.m.Notices, func(o *fleet.Notice) bool {
		return o.Waits(n.Name) && n.State != fleet.Maintenance && l.isNear(o, l.takes(o, p, n))
	})
}

// isNear says whether an announced maintenance that begins at a moment does so within the horizon.
func (l *look) isNear(o *fleet.Notice, begins fleet.Instant) bool {
	return o.Impact.Disturbs() && begins.Add(-l.policy().Horizon) <= l.now
}

// takes is when an announced maintenance may take a node: a provider heeds no zones, and people's waits for the
// end of those over it. Of zones beyond the horizon it says only that they end there.
func (l *look) takes(o *fleet.Notice, p *fleet.Partition, n *fleet.Node) fleet.Instant {
	at, length := o.Starts, max(o.Lasts+l.policy().Validation, 1)
	for !o.Provider && l.isNear(o, at) {
		from := max(at, l.now)
		hit, ok := zoneOf(l.m, p, n, o.Impact, fleet.Span{From: from, To: from.Add(length)})
		if !ok {
			break
		}
		at = hit.span.To
	}
	return at
}

func (l *look) noticed(o *fleet.Notice) (Action, bool) {
	if o.Ended != 0 {
		return Action{}, false
	}
	if len(o.Over) >= len(o.Nodes) {
		c := *o
		c.Ended = l.now
		return Action{Kind: MoveNotice, Notice: c}, true
	}
	for _, name := range o.Nodes {
		if p, i := l.s.FindNode(name); p != nil && o.Waits(name) {
			if a, ok := l.noticedNode(o, p, i); ok {
				return a, true
			}
		}
	}
	return Action{}, false
}

func (l *look) noticedNode(o *fleet.Notice, p *fleet.Partition, i int) (Action, bool) {
	n := p.Nodes[i]
	if n.Visit != nil && !n.Visit.State.Ended() {
		return Action{}, false
	}
	at := l.takes(o, p, n)
	if at <= l.now {
		return l.beginNotice(o, p, i)
	}
	if !l.isNear(o, at) || n.Leaving || outOfService(n.State) {
		return Action{}, false
	}
	if _, ok := l.promised(p, i); !o.Provider && !ok {
		return Action{}, false
	}
	return Action{Kind: Leave, Partition: p, Node: i, Leaving: true, Goes: at}, true
}

// beginNotice begins the visit. A provider does not ask; people wait for zones, promises and work.
func (l *look) beginNotice(o *fleet.Notice, p *fleet.Partition, i int) (Action, bool) {
	if n := p.Nodes[i]; n.State == fleet.Maintenance || n.State == fleet.Retired {
		return Action{}, false
	}
	if _, held := l.heldBy(o, p, i); held {
		return Action{}, false
	}
	a := l.begin(p, i, bundleOf(o))
	a.Visit.Notice = o.Name
	return a, true
}

// bundleOf is what an announced maintenance does to a node.
func bundleOf(o *fleet.Notice) *Bundle {
	return &Bundle{Impact: o.Impact, Lasts: o.Lasts, Freeze: o.Freeze}
}

// heldBy is what keeps the visit of a node for an announced maintenance from beginning now.
func (l *look) heldBy(o *fleet.Notice, p *fleet.Partition, i int) (Wait, bool) {
	n := p.Nodes[i]
	if o.Provider {
		return Wait{}, false
	}
	if hit, ok := l.zoned(p, n, o.Impact, o.Lasts+l.policy().Validation); ok {
		return Wait{Code: NoFlyZone, Zone: hit.zone.Name, Until: hit.span.To}, true
	}
	if !disturbs(n, bundleOf(o)) {
		return Wait{}, false
	}
	if _, why, ok := l.rated(n, false, true); !ok {
		return why, true
	}
	if why, ok := l.promised(p, i); !ok {
		return why, true
	}
	return Wait{}, false
}

// NoticeState is where an announced maintenance stands: scheduled, blocked, running, done or
// cancelled, and what blocks it, or while it runs the rest of its nodes: each kind, zone and work or quota once.
func NoticeState(s *fleet.State, o *fleet.Notice, now fleet.Instant) (state string, blockedBy []Wait) {
	switch {
	case o.Cancelled:
		return "cancelled", nil
	case o.Ended != 0:
		return "done", nil
	case o.Starts > now:
		return "scheduled", nil
	}
	l, running := newLook(s, now), false
	for _, name := range o.Nodes {
		p, i := s.FindNode(name)
		if p == nil || !o.Waits(name) {
			continue
		}
		if v := p.Nodes[i].Visit; v != nil && v.Notice == o.Name && !v.State.Ended() {
			running = true
			continue
		}
		if why, held := l.heldBy(o, p, i); held && !slices.ContainsFunc(blockedBy, why.same) {
			blockedBy = append(blockedBy, why)
		}
	}
	if len(blockedBy) > 0 && !running {
		return "blocked", blockedBy
	}
	return "running", blockedBy
}
