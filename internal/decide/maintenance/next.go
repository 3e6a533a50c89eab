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
// may be something new, and is a function of the state: asked again after all was done, it says false. Where it says
// false, watches are what to look at again when it changes.
func Next(s *fleet.State, now fleet.Instant) (a Action, watches func() map[string]fleet.Watch, ok bool) {
	if s.Maintained == nil {
		return Action{}, nil, false
	}
	l := newLook(s, now)
	if !s.Excerpt() {
		a, ok = l.next()
	}
	return a, l.watches, ok
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
	open map[string]*traffic // open visits by partition
	part map[spot]bool       // whether promises hold without one more node
	nfz  map[zoneKey]zoneHit
	ahead
}

// ahead is what a look found out about what is still to come.
type ahead struct {
	census map[*fleet.Rollout]census
	stands map[*fleet.Rollout]Outlook
	tried  map[*fleet.Partition]bool // a question about a promise there took all of the partition into account
	dues   map[*fleet.Rollout]bool
	rest   map[*fleet.Rollout]int // rounds of visits that remain
	spare  map[spot][2]int        // how many further nodes the promise lets out
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
		dues: map[*fleet.Rollout]bool{}, rest: map[*fleet.Rollout]int{}, spare: map[spot][2]int{}, last: map[lastKey]fleet.Instant{},
		held: map[holder]Wait{}, back: map[string]bool{}, rooms: map[string][]fleet.Room{},
		soon: map[string]fleet.Instant{}, shorts: map[string][]fleet.Short{},
	}
}

// traffic is the open visits of a partition that take their node out or work on it.
type traffic struct {
	all    int
	island map[int]int
	rack   map[[2]int]int
}

func newLook(s *fleet.State, now fleet.Instant) *look {
	l := &look{s: s, m: s.Kept(), now: now, open: map[string]*traffic{}, part: map[spot]bool{}, nfz: map[zoneKey]zoneHit{}, ahead: newAhead()}
	for _, ref := range l.m.Open {
		if p := s.Partition(ref.Partition); p != nil {
			l.traffic(p).add(p.Nodes[ref.Node])
		}
	}
	return l
}

func (l *look) traffic(p *fleet.Partition) *traffic {
	t := l.open[p.ID]
	if t == nil {
		t = &traffic{island: map[int]int{}, rack: map[[2]int]int{}}
		l.open[p.ID] = t
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
