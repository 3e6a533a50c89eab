package fleet

import (
	"maps"
	"slices"
)

// attention is what planned work is to look at again. It is derived: a state that was loaded or copied has all of it
// looked at.
type attention struct {
	look    bool             // something changed: in all, or in a partition (Partition.looks)
	all     bool             // what concerns every rollout
	awake   []string         // rollouts that changed; never changed in place
	judged  []string         // configurations that were judged, see Watch.Leads; never changed in place
	lengths bool             // visits take longer, or less long, than they were measured to
	watches map[string]Watch // by rollout; "": what concerns every rollout
	calm    map[string]Watch // by rollout: those that begin nothing, see Calmed; never changed in place
	known   known            // what was looked at when that was found
	plans   uint64           // how often what is planned on nodes may have changed
	asked   Instant          // last moment that was asked for, see WakeMaintenance
}

// Watch says what may change what a rollout does. It is not changed once it was handed over.
type Watch struct {
	At     Instant          // time alone, from this moment on; Never: none is known
	Wide   bool             // whatever changes in its partitions
	Near   map[string][]int // by partition: what changes in these islands
	Lacks  map[string][]int // by partition: the nodes that it still has to visit, in order
	Rounds int              // in how many goes it visits them, if a moment hangs on that
	Starts Instant          // in-quota work that starts on them concerns it from this moment on; Never: none has a moment
	// Held: a limit of a whole partition kept something back, so it hangs on every visit there.
	Held   bool
	Rooms  []Room   // what a moment was found by
	Shorts []Short  // where the promise kept something back
	Leads  []string // the configurations that its nodes are still to come to, as LeadTo names them
}

// Room is how many nodes of a place may be out at a time, as far as a rollout's limits let them.
type Room struct {
	Partition string
	Island    int
	All, Here int
	Until     int // as long as no more in-quota replicas came to the island (Island.Came), Here is no less
}

// Differs says whether another number of nodes may be out.
func (r Room) Differs(o Room) bool { return r.All != o.All || r.Here != o.Here }

// Short is a place in which so many nodes more would have to be spare.
type Short struct {
	Partition string
	Island    int
	Need      int
}

// LeadTo names a configuration of a GPU model.
func LeadTo(gpu, hash string) string { return gpu + " " + hash }

// news is what planned work is to look at again in a partition.
type news struct {
	look, wide bool
	room       bool  // how many nodes may be out: by a visit, or by time
	drift      int   // how many nodes more back quotas than when it was last looked at
	near       []int // islands in which a node went out or came back, or whose backing changed; never changed in place
	stirred    []int // nodes of which work went, or on which work is held otherwise; never changed in place
	since      newsSince
}

// newsSince is how much of the news of a partition was known when planned work last did something, see Calmed.
type newsSince struct {
	wide, room           bool // there is more of that
	drift, near, stirred int
}

// known is how much of the news of no partition was known then.
type known struct {
	all, lengths  bool // there is more of that
	awake, judged int
}

// lookAt says that something changed in a partition that planned work there may act on.
func (s *State) lookAt(p *Partition) {
	if s.look = true; p != nil {
		p.look, p.wide, p.since.wide = true, true, true
	} else {
		s.lookAtAll()
	}
}

// lookOn says that work went from where a workload stands, or is held otherwise: that concerns what is planned on these
// nodes, and in their islands what lacks room.
func (s *State) lookOn(w *Workload) {
	if s.Maintained == nil {
		return // the first planned work has all of it looked at
	}
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			w.partition.lookAtWork(r.Node)
		}
	}
}

// lookAtWork says that work on a node changed.
func (p *Partition) lookAtWork(node int) {
	p.state.look, p.look = true, true
	n := p.Nodes[node]
	if at := n.stirred - 1; at < p.since.stirred || at >= len(p.stirred) || p.stirred[at] != node {
		p.stirred = append(p.stirred, node)
		n.stirred = len(p.stirred)
	}
}

// lookNear says that work may be asked to go from where a workload stands: that concerns what is planned on
// these islands.
func (s *State) lookNear(w *Workload) {
	if s.Maintained == nil {
		return
	}
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			w.partition.lookAtIsland(w.partition.Nodes[r.Node].Island)
		}
	}
}

// lookAtGrowth says that work which has run got more replicas: its elastic pools may give others back.
func (s *State) lookAtGrowth(w *Workload, spots []Spot) {
	if w.Started == 0 || w.Flexes() || s.Maintained == nil {
		return
	}
	if w.grew = w.State == RunningW; !w.grew || slices.ContainsFunc(spots, w.mayGiveBack) {
		s.lookOn(w)
	}
}

// mayGiveBack says whether new replicas of a pool let those on a node leave that had to stay.
func (w *Workload) mayGiveBack(came Spot) bool {
	if !w.Pools[came.Pool].Elastic {
		return true // it was mended, and its elastic pools are looked at again
	}
	stays, least := w.Stays(came.Pool), w.Pools[came.Pool].Min
	here := map[int]int{}
	for _, r := range w.Replicas[came.Pool] {
		if r.Phase != Leaving {
			here[r.Node]++
		}
	}
	before := maps.Clone(here)
	for _, node := range came.Nodes {
		before[node]--
	}
	for node, had := range before {
		if had > 0 && stays-here[node] >= least && stays-len(came.Nodes)-had < least {
			return true
		}
	}
	return false
}

// lookAtStart says that in-quota work starts. It takes nodes from what is planned there, which lets nothing new begin. So it
// concerns a rollout only from when on it may be asked to stop, or where fewer nodes of its islands may be out beside it. And
// where too few nodes were spare for those that need not be waited for: there are fewer of these now.
func (s *State) lookAtStart(w *Workload, at Instant) {
	if s.startConcerns(w, at) {
		s.lookNear(w)
	}
}

// lookAtReservation says that in-quota work reserves nodes: where room was lacking for nodes that need not be waited for,
// there are fewer of these now, and one of them may be a node that other work left for a visit.
func (s *State) lookAtReservation(w *Workload) {
	if s.Maintained == nil || w.Flexes() {
		return
	}
	if len(s.Kept().Stops) > 0 {
		s.lookNear(w)
		return
	}
	islands := w.islands()
	for _, watch := range s.watches {
		if watch.nearAny(w.partition, islands) && watch.shortFor(w.partition) {
			s.lookNear(w)
			return
		}
	}
}

// islands are those in which a workload has replicas.
func (w *Workload) islands() (islands []int) {
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			if i := w.partition.Nodes[r.Node].Island; !slices.Contains(islands, i) {
				islands = append(islands, i)
			}
		}
	}
	return islands
}

func (s *State) startConcerns(w *Workload, at Instant) bool {
	if len(s.Kept().Stops) > 0 {
		return true // its node may be one that other work left for a visit
	}
	for _, replicas := range w.Replicas {
		if slices.ContainsFunc(replicas, func(r Replica) bool { return w.partition.Nodes[r.Node].Leaving }) {
			return true
		}
	}
	islands := w.islands()
	for _, watch := range s.watches {
		if watch.mindsStart(w.partition, islands, at) {
			return true
		}
	}
	return false
}

func (w *Watch) mindsStart(p *Partition, islands []int, at Instant) bool {
	if w.Wide || w.nearAny(p, islands) && (w.Starts <= at || w.shortFor(p)) {
		return true
	}
	return slices.ContainsFunc(w.Rooms, func(r Room) bool {
		return r.Partition == p.ID && slices.Contains(islands, r.Island) && p.Islands[r.Island].came > r.Until
	})
}

// nearAny says whether what changes in one of these islands of a partition concerns the rollout.
func (w *Watch) nearAny(p *Partition, islands []int) bool {
	return slices.ContainsFunc(w.Near[p.ID], func(i int) bool { return slices.Contains(islands, i) })
}

// shortFor says whether room was lacking for nodes of a partition that need not be waited for, beside the one that was
// to leave.
func (w *Watch) shortFor(p *Partition) bool {
	return slices.ContainsFunc(w.Shorts, func(s Short) bool { return s.Partition == p.ID && s.Need > 1 })
}

// lookAtIsland says that something changed in an island that planned work there may act on.
func (p *Partition) lookAtIsland(island int) {
	if p.state.Maintained == nil {
		return // the first planned work has all of it looked at
	}
	p.state.look, p.look = true, true
	if !slices.Contains(p.near[p.since.near:], island) {
		p.near = append(slices.Clip(p.near), island)
	}
}

// lookAtNode says that a node went out by a visit, or came back: that concerns what is planned in its island, and
// whatever a limit or a promise of the partition keeps back.
func (s *State) lookAtNode(p *Partition, node int) {
	p.lookAtIsland(p.Nodes[node].Island)
	s.lookAtRoom(p)
}

// lookAtRoom says that another number of nodes of a partition may be out.
func (s *State) lookAtRoom(p *Partition) {
	s.look, p.look, p.room, p.since.room = true, true, true, true
}

// lookAtRollout says that a rollout changed.
func (s *State) lookAtRollout(name string) {
	s.look, s.awake = true, append(slices.Clip(s.awake), name)
}

// lookAtAll says that something changed that any rollout may act on.
func (s *State) lookAtAll() { s.look, s.all, s.known.all = true, true, true }

// lookAtLengths says that visits take longer, or less long, than they were measured to.
func (s *State) lookAtLengths() { s.look, s.lengths, s.known.lengths = true, true, true }

// Looks says whether something changed that maintenance may act on.
func (s *State) Looks() bool { return s.look }

// PlansVersion grows with every change of what is planned on nodes: of rollouts, updates and notices, of what nodes run, and
// of which nodes there are.
func (s *State) PlansVersion() uint64 { return s.plans }

// LooksAtAll says whether something changed that any rollout may act on, or the moment for that has come.
func (s *State) LooksAtAll(now Instant) bool { return s.all || s.Due("", now) }

// Due says whether the moment has come from which on time alone may change what a rollout does. Of one that was never
// looked at it has.
func (s *State) Due(rollout string, now Instant) bool {
	w, known := s.watches[rollout]
	return !known || w.At <= now || w.woken(rollout, s.awake, s.judged)
}

// woken says whether a rollout changed, or a configuration was judged to which it leads.
func (w *Watch) woken(rollout string, awake, judged []string) bool {
	return slices.Contains(awake, rollout) ||
		len(judged) > 0 && slices.ContainsFunc(w.Leads, func(to string) bool { return slices.Contains(judged, to) })
}

// LooksAtLengths says whether visits take longer, or less long, than they were measured to.
func (s *State) LooksAtLengths() bool { return s.lengths }

// Calm is what was asked for a rollout when it was found to begin nothing, since maintenance last found nothing to do.
func (s *State) Calm(rollout string) (w Watch, calm bool) {
	w, calm = s.calm[rollout]
	return w, calm
}

// Stirs says whether something happened since a rollout was found to begin nothing that no partition knows of.
func (s *State) Stirs(rollout string, w Watch) bool {
	return s.known.all || s.known.lengths || w.woken(rollout, s.awake[s.known.awake:], s.judged[s.known.judged:])
}

// Calmed says which rollouts begin nothing, though maintenance did something else: they are not asked again before something
// happens that concerns them.
func (s *State) Calmed(calm map[string]Watch) {
	s.calm, s.known = calm, known{awake: len(s.awake), judged: len(s.judged)}
	for _, p := range s.Partitions {
		p.since = newsSince{drift: p.drift, near: len(p.near), stirred: len(p.stirred)}
	}
}

// WatchOf is what was asked for a rollout.
func (s *State) WatchOf(rollout string) Watch { return s.watches[rollout] }

// Looked says that maintenance has looked at all that changed, and found nothing to do; it says what to
// watch, by rollout.
func (s *State) Looked(watches map[string]Watch) {
	s.look, s.all, s.watches, s.awake, s.judged, s.lengths = false, false, watches, nil, nil, false
	s.calm, s.known = nil, known{}
	first := Never
	for _, w := range watches {
		first = min(first, w.At)
	}
	for _, p := range s.Partitions {
		p.news = news{stirred: p.stirred[:0]}
	}
	s.wakeMaintenance(first)
}

// Resume asks for a look at planned work where something changed that nothing has looked at: the log that was replayed
// says what was decided, and not what there was to watch.
func (s *State) Resume() {
	if s.look {
		s.wakeMaintenance(s.Time)
	}
}

func (s *State) wakeMaintenance(at Instant) {
	if at != Never && at != s.asked {
		s.asked = at
		s.alarm(nil, at, ofVisit)
	}
}

// Looks says whether something changed in the partition that planned work may act on.
func (p *Partition) Looks() bool { return p.look }

// News is what changed in a partition that planned work is to look at.
type News struct {
	Wide    bool  // something that may concern it anywhere
	Room    bool  // another number of nodes may be out: by visits, by what is promised, or by time
	Near    []int // islands, and what changed concerns it there alone
	Stirred []int // nodes on which work changed
}

// News is what changed since maintenance last found nothing to do.
func (p *Partition) News() News {
	return News{p.wide, p.room || p.drift != 0, p.near, p.stirred}
}

// Later is what changed since maintenance last did something.
func (p *Partition) Later() News {
	x := p.since
	return News{x.wide, x.room || p.drift != x.drift, p.near[x.near:], p.stirred[x.stirred:]}
}
