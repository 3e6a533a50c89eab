package maintenance

import "github.com/muster-fleet/muster/internal/state/fleet"

// Kind says what an action does.
type Kind int

// The kinds of action.
const (
	BeginVisit  Kind = iota // Visit begins on Node; what stands there leaves
	MoveVisit               // Visit goes on, or ends
	Leave                   // Node is leaving from now on, or is not any more
	MoveRollout             // Rollout is now this
	Judge                   // Proof is the verdict on a configuration
	MoveNotice              // Notice is now this
	BeginStop               // a workload stops as a whole, and waits for its nodes
	EndStop                 // it may start again
	Contradict              // Update counts as what it was measured to be
)

// Action is one thing that maintenance does next.
type Action struct {
	Kind      Kind
	Partition *fleet.Partition
	Node      int // index into Partition.Nodes
	Visit     fleet.Visit
	Leaving   bool
	Goes      fleet.Instant
	Rollout   fleet.Rollout
	Proof     fleet.Proof
	Notice    fleet.Notice
	Stop      fleet.Stop
	Update    fleet.NodeUpdate
}

// Next is the next thing that maintenance does at a moment; false: there is none. It looks at rollouts about which there
// may be something new, and is a function of the state: asked again after all was done, it says false. What was found out
// is kept in the state by noted, so that it need not be found out again.
func Next(s *fleet.State, now fleet.Instant) (a Action, noted func(), ok bool) {
	if s.Maintained == nil {
		return Action{}, func() {}, false
	}
	l := newLook(s, now)
	if !s.Excerpt() {
		a, ok = l.next()
	}
	if ok {
		return a, func() { s.Calmed(l.calmed()) }, true
	}
	return a, func() { s.Looked(l.watches()) }, false
}

func (l *look) next() (Action, bool) {
	for _, ask := range []func() (Action, bool){l.visits, l.notices, l.trials, l.measured, l.stops, l.rollouts, l.asks, l.leaves} {
		if a, ok := ask(); ok {
			return a, true
		}
	}
	return Action{}, false
}

// look is one look at the fleet, with what was found out on the way.
type look struct {
	s    *fleet.State
	m    *fleet.Maintained
	now  fleet.Instant
	open map[*fleet.Partition]*traffic // nil: not counted yet
	part map[spot]bool                 // whether promises hold without one more node
	nfz  map[zoneKey]zoneHit
	ahead
}

// ahead is what a look found out about what is still to come.
type ahead struct {
	census map[*fleet.Rollout]census
	stands map[*fleet.Rollout]Outlook
	tried  map[*fleet.Partition]bool // a question about a promise there took all of the partition into account
	dues   map[*fleet.Rollout]bool
	calm   map[string]fleet.Watch // rollouts that begin nothing
	longer map[string]fleet.Watch // what to watch for rollouts whose visits were measured to take another time
	rest   map[*fleet.Rollout]int // rounds of visits that remain
	spare  map[spot][2]int        // how many further nodes the promise lets out
	spares map[*fleet.Partition]int
	last   map[lastKey]fleet.Instant
	held   map[holder]Wait          // what keeps visits back besides the work on their nodes
	back   map[string]bool          // rollouts that a limit of a whole partition keeps back, by name
	shorts map[string][]fleet.Short // those that the promise keeps back
	rooms  map[string][]fleet.Room
	soon   map[string]fleet.Instant // by rollout: when the first reason ends that keeps a node from its visit
}

// lastKey is work that is to stop for a rollout.
type lastKey struct {
	r *fleet.Rollout
	w *fleet.Workload
}

func newAhead() ahead {
	return ahead{
		census: map[*fleet.Rollout]census{}, stands: map[*fleet.Rollout]Outlook{}, tried: map[*fleet.Partition]bool{},
		dues: map[*fleet.Rollout]bool{}, calm: map[string]fleet.Watch{}, longer: map[string]fleet.Watch{}, rest: map[*fleet.Rollout]int{}, spare: map[spot][2]int{}, spares: map[*fleet.Partition]int{}, last: map[lastKey]fleet.Instant{},
		held: map[holder]Wait{}, back: map[string]bool{}, rooms: map[string][]fleet.Room{},
		soon: map[string]fleet.Instant{}, shorts: map[string][]fleet.Short{},
	}
}

// traffic is the open visits of a partition that take their node out or work on it.
type traffic struct {
	all    int
	island []int
	rack   map[[2]int]int
}

func newLook(s *fleet.State, now fleet.Instant) *look {
	return &look{s: s, m: s.Kept(), now: now, part: map[spot]bool{}, nfz: map[zoneKey]zoneHit{}, ahead: newAhead()}
}

// eachOpen calls for every open visit.
func (l *look) eachOpen(do func(p *fleet.Partition, node int, n *fleet.Node)) {
	var p *fleet.Partition
	for _, ref := range l.m.Open {
		if p == nil || p.ID != ref.Partition {
			p = l.s.Partition(ref.Partition)
		}
		if p != nil {
			do(p, ref.Node, p.Nodes[ref.Node])
		}
	}
}

// traffic is the open visits of a partition. Those of all partitions are counted when it is first asked for.
func (l *look) traffic(p *fleet.Partition) *traffic {
	if l.open == nil {
		l.open = map[*fleet.Partition]*traffic{}
		l.eachOpen(func(p *fleet.Partition, _ int, n *fleet.Node) { l.trafficIn(p).add(n) })
	}
	return l.trafficIn(p)
}

func (l *look) trafficIn(p *fleet.Partition) *traffic {
	t := l.open[p]
	if t == nil {
		t = &traffic{island: make([]int, len(p.Islands)), rack: map[[2]int]int{}}
		l.open[p] = t
	}
	return t
}

func (t *traffic) add(n *fleet.Node) {
	t.all++
	t.island[n.Island]++
	t.rack[[2]int{n.Island, n.Rack}]++
}

// policy is what planned work keeps to.
func (l *look) policy() fleet.MaintenancePolicy { return l.s.Policy.Maintenance.OrDefault() }
