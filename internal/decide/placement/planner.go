package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// Planner makes the plans of one partition at one moment. Its scratch
// memory, some numbers per node, is the partition's and is used again and again: one
// planner of a partition works at a time.
type Planner struct {
	s   *fleet.State
	p   *fleet.Partition
	now fleet.Instant

	memory *memory
	*scratch
	// ignoreFlex: room is judged as if no flex work were there; then only in-quota work is evicted.
	ignoreFlex    bool
	ignoreRest    bool // waiting work is asked as if none of it rested
	roomiestFirst bool // nodes with the most room come first
	cutShort      bool // a search for nodes stopped early
	whyNot

	Turn
	Plans
	memos
}

// memos keep what many units ask about one state.
type memos struct {
	growth   growthMemo
	shares   map[string]int
	sharesAt uint64
	above    *othersLeavable
	aboveAt  uint64
	back     map[Part]head // what each unit on its way back would be as a head: see considerReturning
}

// noteBack notes what a unit on its way back would be as the head of its queue.
func (m *memos) noteBack(part Part, h head) {
	if m.back == nil {
		m.back = map[Part]head{}
	}
	m.back[part] = h
}

// whyNot is why the last claims found no room.
type whyNot struct {
	lacking     lack // what the last claims lacked
	readsQueue  bool // the last claims' answers hang on who else waits
	readsPlaces bool // a pool does not grow because of the place that it would get: any work that comes may move that
}

// Turn is what the planners of one turn tell each other.
type Turn struct {
	// Deferred are the workloads that were left to a partition that would take them
	// on better terms; Insist are those that are not left to others any more.
	Deferred []*fleet.Workload
	// Outranked counts how often each workload lost a reservation in this turn. Who
	// lost it again and again is not asked any more: it waits for the next event.
	Outranked map[uint64]int
	Insist    map[uint64]bool
	// Withheld is who is not asked: the room that it got in this turn was taken back, for
	// another would have taken it at once (by what).
	Withheld map[Part]Part
	// Unmendable are the gangs that go back to their queues though a node could be had: what waits
	// would take it, and them, at once.
	Unmendable map[Part]bool
	// Spared is the work in quota that does not leave for the unit that is asked: what it left would be taken from that at once.
	Spared map[Part]bool
}

// scratch is a planner's working memory. It is all zeros between two questions.
type scratch struct {
	changedRoom
	derivedWork
	ints [4][]int // a claim's numbers by island, see intsFor

	largestOf reachSizes
	lists
	marks  []int // see cover
	clears []int // see trial
	leaves []int // see tighten
	mark   int
}

// lists are used again and again.
type lists struct {
	list      []candidate
	cores     parts
	leaving   []*candidateVictim
	giving    []giver
	inQuota   []evictable
	inTheWay  []*fleet.Account
	positions []int
	guarded   []judgedUnit // see classifyTree
	others    []judgedUnit
	flexWork  []*fleet.Workload
}

// derivedWork is derived from the standing work, each with the version it was derived from.
type derivedWork struct {
	restedAt uint64 // what had shifted when no workload with reserved room could start
	keptAt   uint64 // what had shifted when no reserved room was to be given up
	// flexBack is the room of flex work on its way back, and flexBackAt and flexBackTurn are when that was found out: see keptOnFlex.
	flexBack                 []keptRoom
	flexBackAt, flexBackTurn uint64
	// returnsAt is what had shifted when returns was found out.
	returnsAt uint64
	turns     uint64               // planners that worked on it
	flexOf    map[string]*standing // by namespace
	// candidatesOf are the candidates of flex work, by namespace.
	candidatesOf map[string]*flexCandidates
	accounts     map[*fleet.Account]*standing
	covers       map[*fleet.Tree]coverageAt
	returns      map[*fleet.Account][]fleet.Waiting // see returning
	trees        map[*fleet.Tree]uint64             // when each tree was classified last
	mostGiven    map[*fleet.Tree]*mostGiven
	leftByShares leftByShares
}

// changedRoom is what a set of victims and the newcomer change.
type changedRoom struct {
	freed []int // GPUs that chosen victims give back, by node
	gone  []int // in-quota replicas among them, by node
	extra []int // GPUs that the newcomer has been given so far, by node
	moved []int // changes of the three, by island

	givenUp map[footprintOn]int // replicas of chosen victims, where nodes of the partition are tight
	given   map[footprintOn]int // replicas that the newcomer has been given so far, where nodes are tight
}

// New makes the planner of a partition at a moment.
func New(s *fleet.State, p *fleet.Partition, now fleet.Instant) *Planner {
	m := memoryOf(p)
	pl := m.spare
	if pl == nil {
		pl = &Planner{}
	}
	m.spare = nil
	pl.s, pl.p, pl.now, pl.memory, pl.scratch = s, p, now, m, m.scratchFor(p)
	pl.turns++
	return pl
}

// Done says that a planner is asked no more: the partition's next one uses its room again.
func (pl *Planner) Done() {
	m := pl.memory
	*pl = Planner{}
	m.spare = pl
}

// scratchFor is the working memory that fits the partition's nodes and islands.
func (m *memory) scratchFor(p *fleet.Partition) *scratch {
	sc := m.scratch
	if n := len(p.Nodes); sc == nil || len(sc.freed) != n || len(sc.moved) != len(p.Islands) {
		sc = &scratch{changedRoom: newChangedRoom(n, len(p.Islands)), derivedWork: newDerivedWork(), marks: make([]int, n), clears: make([]int, n), leaves: make([]int, n)}
		sc.cores = parts{}
		m.scratch = sc
	}
	return sc
}

func newChangedRoom(nodes, islands int) changedRoom {
	return changedRoom{freed: make([]int, nodes), gone: make([]int, nodes), extra: make([]int, nodes), moved: make([]int, islands)}
}

func newDerivedWork() derivedWork {
	return derivedWork{
		flexOf: map[string]*standing{}, candidatesOf: map[string]*flexCandidates{}, accounts: map[*fleet.Account]*standing{}, covers: map[*fleet.Tree]coverageAt{},
		returns: map[*fleet.Account][]fleet.Waiting{}, trees: map[*fleet.Tree]uint64{}, mostGiven: map[*fleet.Tree]*mostGiven{},
	}
}

// open says whether anything new may be decided: nothing starts and nothing is
// taken away where reports have stopped.
func (pl *Planner) open() bool {
	c := pl.s.Cluster(pl.p.Cluster)
	return c == nil || (!c.Stale && c.Mode == fleet.Enforce)
}

// reachSizes is the nodes of the largest island and rack among so many nodes.
type reachSizes struct{ of, island, rack int }
