package fleet

// NodeState is where a node stands in its life (semantics §6).
type NodeState string

// The node states.
const (
	Healthy     NodeState = "healthy"
	Suspect     NodeState = "suspect"
	Quarantined NodeState = "quarantined"
	Repairing   NodeState = "repairing"
	Validating  NodeState = "validating"
	Probation   NodeState = "probation"
	Degraded    NodeState = "degraded"
	Maintenance NodeState = "maintenance"
	Retired     NodeState = "retired"
)

// NodeStates lists every state, in the order of a node's life.
func NodeStates() []NodeState {
	return []NodeState{Healthy, Suspect, Quarantined, Repairing, Validating, Probation, Degraded, Maintenance, Retired}
}

// Usable says whether work may start on a node in this state.
func (s NodeState) Usable() bool { return s == Healthy || s == Probation || s == Degraded }

// Keeps says whether work that runs on a node in this state may stay.
func (s NodeState) Keeps() bool { return s.Usable() || s == Suspect }

// InRepair says whether a fault keeps the node out of service: nothing starts there until it is
// repaired and validated. Planned work (maintenance) is no fault; a suspect node is not yet out, a
// degraded one serves with the GPUs that work, and one in probation is back.
func (s NodeState) InRepair() bool { return s == Quarantined || s == Repairing || s == Validating }

// Severity orders the states that a signal can ask for, the mildest first; 0 for all others.
func (s NodeState) Severity() int {
	switch s {
	case Suspect:
		return 1
	case Degraded:
		return 2
	case Quarantined:
		return 3
	default:
		return 0
	}
}

// Node is one machine: the unit in which capacity is promised.
type Node struct {
	Name   string `json:"name"`
	Island int    `json:"island"` // index into Partition.Islands
	Rack   int    `json:"rack"`   // number of the rack inside the island, from 0
	GPUs   int    `json:"gpus"`
	Dead   int    `json:"dead,omitempty"` // GPUs that do not work; above 0 only while degraded

	// What placement asks of every node again and again stands side by side: a node is large, and memory is slow.

	// Derived by replicas.go.
	inUse   int      // GPUs that replicas hold, those on their way out included
	staying int      // GPUs held or reserved by replicas that stay
	ofQuota int      // GPUs held or reserved by in-quota replicas that stay
	owner   *Account // quota whose in-quota work stays here

	// As it was counted last, see Partition.contribute.
	counted int
	usable  bool // work may start here
	whole   bool // quota may stand here

	State  NodeState `json:"state"`
	Since  Instant   `json:"since"`
	Signal string    `json:"signal,omitempty"`

	residents []Resident // derived by replicas.go

	Born       Instant     `json:"born,omitempty"`       // when it joined the fleet
	StateOwner StateOwner  `json:"stateOwner,omitempty"` // who keeps it in its state
	Health     *NodeHealth `json:"health,omitempty"`     // nil: nothing was ever said about it

	Runs    Runs    `json:"runs,omitempty"`    // the versions of its components, as observed
	Leaving bool    `json:"leaving,omitempty"` // maintenance takes it within the horizon
	Goes    Instant `json:"goes,omitempty"`    // when it does
	Planned bool    `json:"planned,omitempty"` // planned work alone keeps it from being healthy
	Until   Instant `json:"until,omitempty"`   // end of a canary's soak; 0: it is none
	Visit   *Visit  `json:"visit,omitempty"`   // the last one; nil: none was ever made
	Forced  bool    `json:"forced,omitempty"`  // the provider's maintenance brought it to what it runs

	stirred int // its place in news.stirred, plus 1, while it is there
}

// Resident is one replica on a node.
type Resident struct {
	Workload *Workload
	Pool     int
	Phase    Phase
}

// GPUs is how many GPUs the replica takes.
func (r Resident) GPUs() int { return r.Workload.Pools[r.Pool].GPUs }

// Good is the number of GPUs that work, whatever the node's state.
func (n *Node) Good() int { return n.GPUs - n.Dead }

// UsableGPUs is what the node adds to usable: its good GPUs in a usable state.
func (n *Node) UsableGPUs() int {
	if !n.State.Usable() {
		return 0
	}
	return n.Good()
}

// Whole says whether the node counts as a whole healthy node, on which quota may stand. One that
// maintenance is about to take does not.
func (n *Node) Whole() bool { return n.State == Healthy && !n.Leaving }

// outByPlan says whether planned work alone keeps the node from being whole, or will soon.
func (n *Node) outByPlan() bool { return n.outByPlanIn(n.State) }

// outByPlanIn is outByPlan, were the node in a state. Of a node that is to leave and failed meanwhile it is the failure that counts.
func (n *Node) outByPlanIn(state NodeState) bool {
	return n.Leaving && (state == Healthy || state == Suspect) || n.Planned && state != Healthy
}

// InUse is the number of GPUs that replicas hold now, leaving ones included.
func (n *Node) InUse() int { return n.inUse }

// Staying is the number of GPUs that replicas hold or have reserved and mean to keep.
func (n *Node) Staying() int { return n.staying }

// OfQuota is the number of GPUs held or reserved by in-quota replicas that stay.
func (n *Node) OfQuota() int { return n.ofQuota }

// Counted is UsableGPUs, and CountsWhole and CountsUsable are Whole and
// State.Usable, as the partition's counts have the node: for questions that are
// asked of every node again and again.
func (n *Node) Counted() int { return n.counted }

// CountsWhole says whether quota may stand on the node.
func (n *Node) CountsWhole() bool { return n.whole }

// CountsUsable says whether work may start on the node.
func (n *Node) CountsUsable() bool { return n.usable }

// Room is the number of usable GPUs that no replica means to keep; some of it
// may still be held by replicas on their way out.
func (n *Node) Room() int { return max(0, n.UsableGPUs()-n.staying) }

// Owner is the account whose in-quota work stays on the node, or nil. A node
// carries in-quota work of one quota only.
func (n *Node) Owner() *Account { return n.owner }

// Residents lists the replicas on the node in the order they came. The slice is
// the node's own: read it, do not keep it.
func (n *Node) Residents() []Resident { return n.residents }
