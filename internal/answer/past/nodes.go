package past

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// NodeLife is what is kept of one node, for ever.
type NodeLife struct {
	Partition, Island string
	GPUs              int
	Added             int64
	State             fleet.NodeState
	Since             int64
	Failures          int
	Interruptions     int    // of work, by this node
	Down              int64  // GPUs that are not usable
	Blamed            string // the cause that they are charged to; "": none is
	Ongoing
}

// The figures of an island's meter: nodes in each state, in the order of
// fleet.NodeStates, GPUs of nodes that are not retired, and the usable ones of
// them; after them counts.
const (
	islandStates        = 9
	islandInstalled     = islandStates
	islandUsable        = islandStates + 1
	islandFigures       = islandStates + 2
	islandFailures      = islandFigures
	islandInterruptions = islandFigures + 1
	islandCounts        = 2
)

func stateIndex(s fleet.NodeState) int { return slices.Index(fleet.NodeStates(), s) }

func (b *Book) island(partition, island string) *Meter {
	return meterOf(b.Islands, partition+"/"+island, func() *Meter { return newMeter(islandFigures, islandCounts) })
}

func meterOf[T any](m map[string]*T, key string, fresh func() *T) *T {
	if m[key] == nil {
		m[key] = fresh()
	}
	return m[key]
}

// noteNodes notes what an event says of nodes.
func (b *Book) noteNodes(at int64, e event.Event) {
	switch e := e.(type) {
	case event.NodesAdded:
		b.added(at, e)
	case event.NodeChanged:
		b.changed(at, e)
	}
}

// added begins the lives of new nodes.
func (b *Book) added(at int64, e event.NodesAdded) {
	p := b.state.Partition(e.Partition)
	lives := make([]NodeLife, len(e.Names)) // none ends before the others: they are kept for ever
	for i, name := range e.Names {
		lives[i] = NodeLife{Partition: p.ID, Island: e.Island, GPUs: p.GPUsPerNode, Added: at, State: fleet.Healthy, Since: at}
		b.Nodes[name] = &lives[i]
	}
	m, n := b.island(e.Partition, e.Island), int64(len(e.Names))
	m.shift(at, stateIndex(fleet.Healthy), n)
	m.shift(at, islandInstalled, n*int64(p.GPUsPerNode))
	m.shift(at, islandUsable, n*int64(p.GPUsPerNode))
}

// changed follows a node from one state to another: in its episode, in what its cause costs, and in
// the figures of its island.
func (b *Book) changed(at int64, e event.NodeChanged) {
	n := b.Nodes[e.Node]
	if n == nil {
		return
	}
	m := b.island(n.Partition, n.Island)
	m.shift(at, stateIndex(n.State), -1)
	m.shift(at, stateIndex(e.To), 1)
	installed, usable := n.counts()
	b.live(at, e, n)
	if n.State != e.To {
		n.State, n.Since = e.To, at
	}
	b.blame(at, n, down(e, n.GPUs))
	nowInstalled, nowUsable := n.counts()
	m.shift(at, islandInstalled, nowInstalled-installed)
	m.shift(at, islandUsable, nowUsable-usable)
}

// counts is the node's GPUs that are installed, and usable.
func (n *NodeLife) counts() (installed, usable int64) {
	if n.State == fleet.Retired {
		return 0, 0
	}
	return int64(n.GPUs), int64(n.GPUs) - n.Down
}

// down is how many of the GPUs of a node in a new state are not usable. Those of
// a retired node are not missed.
func down(e event.NodeChanged, gpus int) int64 {
	switch {
	case e.To == fleet.Retired:
		return 0
	case e.To == fleet.Degraded:
		return int64(e.Dead)
	case e.To.Usable():
		return 0
	}
	return int64(gpus)
}

// blame charges GPUs that are not usable to the cause of the node's episode, as
// long as they are not.
func (b *Book) blame(at int64, n *NodeLife, gpus int64) {
	cause := n.cause()
	if gpus == 0 {
		cause = ""
	}
	if cause == n.Blamed && gpus == n.Down {
		return
	}
	if n.Blamed != "" {
		b.loss(n.Partition, n.Blamed).shift(at, lossDown, -n.Down)
	}
	if cause != "" {
		b.loss(n.Partition, cause).shift(at, lossDown, gpus)
	}
	n.Blamed, n.Down = cause, gpus
}

// cause is why the node is out, as far as is known.
func (n *NodeLife) cause() string {
	switch {
	case n.Open == nil:
		return noSignal
	case n.Open.Cause != "":
		return n.Open.Cause
	case n.Open.Planned:
		return planned
	}
	return noSignal
}

// What stands where there is no signal.
const (
	noSignal = "no signal"
	planned  = "maintenance"
)
