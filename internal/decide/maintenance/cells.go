package maintenance

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Standing is how far a rollout is with one node.
type Standing string

// The standings of a node. One that is next has nothing that keeps it from its visit now. One that is behind lacks what
// a rollout that has ended would have brought.
const (
	NodeDone    Standing = "done"
	NodeFailed  Standing = "failed"
	NodeVisited Standing = "visited"
	NodeWaits   Standing = "waits"
	NodeNext    Standing = "next"
	NodeBehind  Standing = "behind"
)

// Cell is one node of a rollout, for people.
type Cell struct {
	Partition *fleet.Partition
	Node      *fleet.Node
	Stands    Standing
	Wait      Wait // of a node that waits; no code: the rollout does not run
}

// CellsOf says of every node of a rollout's scope how far it is, and why it waits.
func CellsOf(s *fleet.State, r *fleet.Rollout, now fleet.Instant) []Cell {
	return newLook(s, now).cells(r)
}

// Told says where a rollout stands, and for people what it waits for: that counts each node once, by the reason that CellsOf
// says of it.
func Told(s *fleet.State, r *fleet.Rollout, now fleet.Instant) (Outlook, []Wait) {
	if r.Joined != "" || r.Hunt != nil || r.State != fleet.RolloutRunning {
		o := Of(s, r, now)
		return o, o.Waits
	}
	l := newLook(s, now)
	o, w := l.outlook(r), &waits{}
	for _, c := range l.cells(r) {
		if c.Wait.Code != "" {
			w.add(c.Wait)
		}
	}
	return o, w.sorted()
}

func (l *look) cells(r *fleet.Rollout) (cells []Cell) {
	waits := map[*fleet.Node]pending{}
	c := l.counted(r)
	for _, x := range c.pending {
		waits[x.n] = x
	}
	for _, p := range l.s.Partitions {
		if b := BundleFor(l.m, r.Updates, p.GPU); len(b.Brings) == 0 {
			continue
		}
		for _, i := range covered(r, p) {
			n := p.Nodes[i]
			if n.State == fleet.Retired {
				continue
			}
			cell := Cell{Partition: p, Node: n, Stands: stands(r, n)}
			if x, ok := waits[n]; ok {
				cell.Stands, cell.Wait = l.cell(r, c, x)
			}
			cells = append(cells, cell)
		}
	}
	return cells
}

// stands is how far a rollout is with a node that does not wait.
func stands(r *fleet.Rollout, n *fleet.Node) Standing {
	switch {
	case r.FailedOn(n.Name):
		return NodeFailed
	case n.Visit != nil && !n.Visit.State.Ended() && n.Visit.Rollout == r.Name:
		return NodeVisited
	}
	return NodeDone
}

// cell says why a pending node waits; a rollout that is paused has no reasons, and for one that has ended no node waits.
func (l *look) cell(r *fleet.Rollout, c census, x pending) (Standing, Wait) {
	switch {
	case !r.Open():
		return NodeBehind, Wait{}
	case r.State != fleet.RolloutRunning || r.Joined != "":
		return NodeWaits, Wait{}
	}
	why, ok := l.keeps(r, c, x)
	if ok {
		return NodeNext, Wait{}
	}
	why.Node = x.n.Name
	return NodeWaits, why
}

// keeps says what keeps a pending node of a rollout that runs from its visit. Work whose moment has come does not
// where something else does.
func (l *look) keeps(r *fleet.Rollout, c census, x pending) (Wait, bool) {
	also := l.proven
	switch {
	case r.Stage > 0 && waveFull(r, c):
		return Wait{Code: Limit}, false
	case r.Stage == 0 && l.provesEnough(r, x):
		_, _, until := soaking(r, x.p.GPU, x.hash)
		return Wait{Code: Soaking, Until: until}, false
	case r.Stage == 0:
		also = nil
	}
	why, ok := l.mayBegin(r, x, also)
	if why.Code == InUse {
		besides := &waits{}
		if l.besides(r, x, besides); len(besides.list) > 0 {
			return besides.list[0], false
		}
	}
	if ok && r.Stage == 0 && provesNothing(x.n) {
		return Wait{Code: Unproven}, false // a wave takes it
	}
	return why, ok
}

// provesEnough says whether as many canaries as are asked for prove what a node would run.
func (l *look) provesEnough(r *fleet.Rollout, x pending) bool {
	under, passed, _ := soaking(r, x.p.GPU, x.hash)
	return under+passed >= r.Canary.Nodes || x.proven
}

// RestOf is how long the visits that remain to a rollout take at least, as many at once as the limits and the promise
// permit; and the earliest deadline of what its nodes still lack.
func RestOf(s *fleet.State, r *fleet.Rollout, now fleet.Instant) (rest time.Duration, deadline fleet.Instant) {
	l := newLook(s, now)
	for _, x := range l.counted(r).pending {
		rest = max(rest, l.remaining(r, x.b))
		if at := x.b.Deadline; at != 0 && (deadline == 0 || at < deadline) {
			deadline = at
		}
	}
	return rest, deadline
}

// Pile is what waits behind a zone of one rollout for one combination.
type Pile struct {
	Rollout string
	Target
	Takes time.Duration // the visits of these nodes at least, as many at once as limits and promises permit
}

// PilesOf says what piles up behind a zone, in the order in which it starts when the zone lifts. Nodes that several open
// rollouts have stand in each.
func PilesOf(s *fleet.State, z *fleet.Zone, now fleet.Instant) (piles []Pile) {
	l := newLook(s, now)
	for _, r := range l.m.Rollouts {
		if !r.Open() || r.Joined != "" {
			continue
		}
		var list []pending
		for _, x := range l.counted(r).pending {
			if z.Stops(x.b.Impact) && Covers(z, x.p, x.n) {
				list = append(list, x)
			}
		}
		piles = append(piles, l.piled(r, list)...)
	}
	return piles
}

// piled is what some nodes of a rollout wait for, by combination.
func (l *look) piled(r *fleet.Rollout, list []pending) (piles []Pile) {
	for _, t := range l.targetsOf(list) {
		of := slices.DeleteFunc(slices.Clone(list), func(x pending) bool { return x.hash != t.Hash || x.p.GPU != t.GPU })
		takes := time.Duration(l.roundsOf(r, of)) * (of[0].b.Lasts + l.policy().Validation)
		piles = append(piles, Pile{Rollout: r.Name, Target: t, Takes: takes})
	}
	return piles
}
