package fleet

import (
	"iter"
	"slices"
	"sort"
)

// Island is a set of nodes of one partition on one high-bandwidth fabric.
type Island struct {
	Name  string `json:"name"`
	Racks int    `json:"racks"`
	Share int    `json:"share"` // own share: nodes that the policy lets be promised on the island alone

	Past    Past    `json:"past,omitempty"` // what buffer policies learn from
	Pledges Pledges `json:"pledges"`        // what became of the promises of its own share

	nodes       []int      // indexes into Partition.Nodes, in order of arrival
	whole       int        // whole healthy nodes
	planned     int        // nodes that only planned work keeps from being that
	unscheduled int        // nodes that back quotas which do not touch as many
	room        int        // GPUs of Node.Room of all its nodes
	rooms       []int      // nodes by their Node.Room
	backedNodes int        // nodes that back a quota
	spare       []*Account // with more backing here than their work touches, in order of quota
	downs       peaks
	came        int    // see Came
	stirred     uint64 // grows with every change of what backs accounts here, or of what their work touches
	changed     uint64 // see Changed
}

// Changed grows with every change of one of the island's nodes, or of what is on it.
func (i *Island) Changed() uint64 { return i.changed }

// Came counts the in-quota replicas that came to nodes of the island since the state was loaded.
func (i *Island) Came() int { return i.came }

// Nodes lists the island's nodes as indexes into Partition.Nodes.
func (i *Island) Nodes() []int { return i.nodes }

// BackedNodes is the number of nodes that back a quota.
func (i *Island) BackedNodes() int { return i.backedNodes }

// Whole is the number of whole healthy nodes; leaving ones are not among them.
func (i *Island) Whole() int { return i.whole }

// Planned is the number of nodes that only planned work keeps from being whole.
func (i *Island) Planned() int { return i.planned }

// Unscheduled is the number of nodes that back quotas which do not touch as many.
func (i *Island) Unscheduled() int { return i.unscheduled }

// Spare lists the accounts with more backing in the island than their work touches, in order of quota. The slice is the
// island's own.
func (i *Island) Spare() []*Account { return i.spare }

// Room is the usable GPUs that no replica means to keep.
func (i *Island) Room() int { return i.room }

// Slots is the number of replicas of so many GPUs that the room takes.
func (i *Island) Slots(gpus int) int {
	t := 0
	for room := gpus; room < len(i.rooms); room++ {
		t += i.rooms[room] * (room / gpus)
	}
	return t
}

// Down is a stretch of time in which a node was not there to be promised. The
// stretch is open (To is Never) while it lasts.
type Down struct {
	Node int     `json:"node"`
	From Instant `json:"from"`
	To   Instant `json:"to"`
}

// Partition is the nodes of one GPU model in one cluster: the unit of every
// figure, every grant and every decision.
type Partition struct {
	ID          string     `json:"id"` // cluster/gpu
	Cluster     string     `json:"cluster"`
	GPU         string     `json:"gpu"`
	GPUsPerNode int        `json:"gpusPerNode"`
	Islands     []*Island  `json:"islands"` // in order of name
	Nodes       []*Node    `json:"nodes"`   // in order of arrival
	Accounts    []*Account `json:"accounts"`
	Promise
	// Regranted: the whole nodes of a grant, or its gang, have changed since the backing last did. Only then, or
	// where promisable falls, may an alignment take cover from running work.
	Regranted bool            `json:"grantsMoved,omitempty"`
	Health    PartitionHealth `json:"health,omitzero"` // what automation remembers here
	// Footprints is what is known of nodes that take fewer replicas than they have GPUs for, in order of name.
	// It is never changed in place.
	Footprints []*Footprint `json:"footprints,omitempty"`

	state *State
	nodeIndex
	quotaIndex
	flexIndex
	worklists worklists
	changes   Changes
	alignment
	looks
	// Memories are what those who decide remember of the partition.
	Memories Memories `json:"-"`
}

// Promise is what of a partition people may assign, and what became of it.
type Promise struct {
	Promisable int `json:"promisable"` // nodes
	// Unsustained is how many nodes sustainable is below promisable.
	Unsustained int     `json:"unsustained,omitempty"`
	PastSince   Hour    `json:"pastSince,omitempty"` // first hour of what Island.Past keeps
	Pledges     Pledges `json:"pledges"`             // what became of what was promisable
	LongPledges Pledges `json:"longPledges"`         // and of what was sustainable
	Downs       []Down  `json:"downs"`               // by node, then in order; see forgetDowns
	Dip         *Dip    `json:"dip,omitempty"`       // what stood before nodes became suspect; nil: none is
}

// nodeIndex is what is counted over the nodes of a partition.
type nodeIndex struct {
	byName     map[string]int
	tally      Tally
	probations int // nodes in probation
	suspects   int // suspect nodes
	leavings   int // leaving nodes
	endings    int // accounts whose grant is no more
	away       int // nodes that maintenance has out, or is to take
	downs      peaks
}

// quotaIndex is what is known of the quotas with an account in a partition. Its lists
// of accounts are in order of path, those of trees in order of name.
type quotaIndex struct {
	accounts map[string]*Account
	trees    map[string]*Tree
	serials  uint64     // of accounts that were made
	waits    []*Account // for which a unit waits
	changed  []*Tree    // see TakeChanged; in no order
	// unsettled trees have work that is not guaranteed, or stands where its backing does not reach.
	unsettled []*Tree
}

// flexIndex is what is known of the flex of a partition.
type flexIndex struct {
	flex      map[string]*FlexUse // by namespace
	flexWork  []*Workload
	passed    map[uint64][]*Workload // by head of flex: the work that passed it, in order of ID
	names     []string               // namespaces that use, used or wait for flex, in order
	flexWaits []string               // namespaces in which a unit waits for flex, in order
}

// looks are what decisions other than placement's have to look at.
type looks struct {
	news
	expired     bool // an order to leave may be due again
	halted      string
	forecastAt  Instant // next look for what time alone has taught; see forecasting
	ailing      []int   // see Ailing
	undiagnosed bool
	failures    []*Workload // see Unexplained
}

// Tally is the partition's GPUs by what they do, kept up to date node by node.
type Tally struct {
	Installed int
	Healthy   int
	Usable    int
	InQuota   int // held or reserved by in-quota work, on any node
	Stranded  int // held on nodes that are not usable
	StrandedQ int // the in-quota part of InQuota on nodes that are not usable
	Room      int // usable GPUs that no replica means to keep
	FlexUsed  int // held or reserved by flex work on usable nodes, where no in-quota work has reserved
}

// FlexUse is what one namespace has on a partition's flex.
type FlexUse struct {
	Used    int // GPUs held or reserved, as Tally.FlexUsed counts them
	Staying int // GPUs on usable nodes held or reserved by replicas that stay
	queue   queue

	asked    int // by what waits, elastic pools at max
	standing int // by what stands and does not move elsewhere, elastic pools at max

	name    string
	work    []*Workload // that holds or reserves GPUs here, in order of ID
	version uint64      // grows with every change of its work here

	// What of its replicas that stay, on any node, could give way to work of the same namespace.
	importance []gpusOf // each once
	elastic    int      // GPUs of elastic pools
	timed      int      // GPUs of work that declared a maximum run time
}

// gpusOf is the GPUs of work of an importance.
type gpusOf struct {
	importance Importance
	gpus       int
}

// Tally is the partition's GPUs by what they do.
func (p *Partition) Tally() Tally { return p.tally }

// Sustainable is the nodes that people may assign.
func (p *Partition) Sustainable() int { return p.Promisable - p.Unsustained }

// Flex is the number of usable GPUs that no in-quota workload holds or has reserved.
func (p *Partition) Flex() int { return p.tally.Usable - (p.tally.InQuota - p.tally.StrandedQ) }

// Node finds a node's index by name.
func (p *Partition) Node(name string) (int, bool) {
	i, ok := p.byName[name]
	return i, ok
}

// Island finds an island's index by name.
func (p *Partition) Island(name string) (int, bool) {
	i := sort.Search(len(p.Islands), func(i int) bool { return p.Islands[i].Name >= name })
	return i, i < len(p.Islands) && p.Islands[i].Name == name
}

// IslandName is the name of an island by its index; empty in a partition that has none yet, in which
// grants name the first.
func (p *Partition) IslandName(island int) string {
	if island >= len(p.Islands) {
		return ""
	}
	return p.Islands[island].Name
}

// Account finds the account of a quota, or nil.
func (p *Partition) Account(quota string) *Account { return p.accounts[quota] }

// Assigned is the GPUs granted to quotas in this partition.
func (p *Partition) Assigned() int {
	t := 0
	for _, a := range p.Accounts {
		t += a.Grant
	}
	return t
}

// InWholeNodes is what of so many GPUs is whole nodes.
func (p *Partition) InWholeNodes(gpus int) int { return gpus - gpus%p.GPUsPerNode }

// AssignedNodes is the whole nodes of all grants: what can be backed of them.
func (p *Partition) AssignedNodes() int {
	t := 0
	for _, a := range p.Accounts {
		t += a.GrantNodes()
	}
	return t
}

// Unplaced is the GPUs that are promisable and assigned, yet back no quota: what of
// grants fills no whole node, and nodes that wait for the island where their
// quota's work stands (semantics §3.2, §3.3). Flex has them meanwhile.
func (p *Partition) Unplaced() int {
	backed := 0
	for _, i := range p.Islands {
		backed += i.backedNodes
	}
	return max(0, min(p.Promisable*p.GPUsPerNode, p.Assigned())-backed*p.GPUsPerNode)
}

// FlexWork lists the flex workloads that hold or reserve GPUs here, in order of ID.
func (p *Partition) FlexWork() []*Workload { return p.flexWork }

// PassedBy lists the work that passed a workload when that was the head of flex, or of its quota's queue, in order of ID.
func (p *Partition) PassedBy(head uint64) []*Workload { return p.passed[head] }

// notePassing and forgetPassing keep that list as work comes and goes.
func (p *Partition) notePassing(w *Workload) {
	if w.Passed == 0 {
		return
	}
	if p.passed == nil {
		p.passed = map[uint64][]*Workload{}
	}
	p.passed[w.Passed] = insertByID(p.passed[w.Passed], w)
}

func (p *Partition) forgetPassing(w *Workload) {
	if w.Passed == 0 {
		return
	}
	if p.passed[w.Passed] = removeByID(p.passed[w.Passed], w); len(p.passed[w.Passed]) == 0 {
		delete(p.passed, w.Passed)
	}
}

// Namespaces lists the namespaces that use or wait for flex here, in order of name.
func (p *Partition) Namespaces() []string {
	return slices.Clone(p.names)
}

// FlexUses are the namespaces that use or wait for flex here, in order of name, each with what it has: read it, do not
// change it.
func (p *Partition) FlexUses() iter.Seq2[string, *FlexUse] {
	return func(yield func(string, *FlexUse) bool) {
		for _, ns := range p.names {
			if u := p.flex[ns]; u != nil && !yield(ns, u) {
				return
			}
		}
	}
}

// WaitingForFlex lists the namespaces in which a workload waits for flex here, in
// order of name. The slice is the partition's own.
func (p *Partition) WaitingForFlex() []string { return p.flexWaits }

// FlexWorkOf lists the flex workloads of a namespace that hold or reserve GPUs
// here, in order of ID. The slice is the partition's own.
func (p *Partition) FlexWorkOf(namespace string) []*Workload {
	if u := p.flex[namespace]; u != nil {
		return u.work
	}
	return nil
}

// FlexOf is what a namespace has on flex here; zero if it has nothing. It is the
// partition's own: read it, do not change it.
func (p *Partition) FlexOf(namespace string) *FlexUse {
	if u := p.flex[namespace]; u != nil {
		return u
	}
	return &FlexUse{}
}

// Overpromised says whether more is promised or backed than is whole and healthy.
func (p *Partition) Overpromised() bool {
	for _, i := range p.Islands {
		if i.backedNodes > i.whole {
			return true
		}
	}
	return p.Promisable > p.whole()
}

// whole is the nodes on which quota may stand.
func (p *Partition) whole() int {
	t := 0
	for _, i := range p.Islands {
		t += i.whole
	}
	return t
}

// LeavingNodes is the number of nodes that maintenance takes within the horizon.
func (p *Partition) LeavingNodes() int { return p.leavings }

// Away is the number of nodes that maintenance has out, or is to take.
func (p *Partition) Away() int { return p.away }

// OnProbation is the number of nodes in probation.
func (p *Partition) OnProbation() int { return p.probations }

// State is the state the partition belongs to.
func (p *Partition) State() *State { return p.state }

// Halt stops new decisions in the partition until the process starts again:
// something there is not as it must be.
func (p *Partition) Halt(why string) { p.halted = why }

// Halted says why no new decisions are made in the partition; "" if they are.
func (p *Partition) Halted() string {
	if p.halted != "" {
		return p.halted
	}
	return p.Health.Halted
}
