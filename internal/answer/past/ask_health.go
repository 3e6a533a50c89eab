package past

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Health is how a part of the fleet fared in a window. Times are GPUs × time or
// nodes × time.
type Health struct {
	Scope     string
	Covered   Window
	Installed int64 // GPUs × time, without retired nodes
	Usable    int64 // GPUs × time
	NodeTime  int64 // nodes × time, without retired ones
	States    map[fleet.NodeState]int64
	Interrupted
	PromisesKept
	HealthyGPUs     int // now
	InstalledGPUs   int // now
	PromisableMean  int64
	HealthyTimeGPUs int64
}

// Interrupted is what failures did to work.
type Interrupted struct {
	Failures      int
	Interruptions int   // replicas that went down with a node
	Undone        int64 // work that interruptions undid, GPUs × time; not by island
}

// PromisesKept counts promises; not by island.
type PromisesKept struct {
	Issued       int // promises; not by island
	Kept, Broken int
}

// Availability is the share of installed GPU-time that was usable; 1 where
// nothing was installed.
func (h Health) Availability() float64 { return ratio(h.Usable, h.Installed) }

// FailureRate is failures per 1,000 node-days.
func (h Health) FailureRate() float64 {
	if h.NodeTime == 0 {
		return 0
	}
	return float64(h.Failures) * 1000 / Days(h.NodeTime)
}

// Coverage is the share of judged promises that were kept; 1 where none was judged.
func (h Health) Coverage() float64 { return ratio(int64(h.Kept), int64(h.Kept+h.Broken)) }

func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Health says how each part of a scope fared, in order of name.
func (b *Book) Health(scope string, by Level, w Window, now int64) []Health {
	rows := map[string]*Health{}
	for _, key := range slices.Sorted(maps.Keys(b.Islands)) {
		if !under(key, scope) && !under(scope, key) {
			continue
		}
		if by != ByIsland && !under(key, scope) {
			continue
		}
		b.islandHealth(row(rows, by.Of(key), w), b.Islands[key], w, now)
	}
	if by != ByIsland {
		b.partitionHealth(rows, scope, by, w, now)
	}
	list := make([]Health, 0, len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, *rows[key])
	}
	return list
}

func row(rows map[string]*Health, scope string, w Window) *Health {
	if rows[scope] == nil {
		rows[scope] = &Health{Scope: scope, States: map[fleet.NodeState]int64{}, Covered: Window{w.To, w.From}}
	}
	return rows[scope]
}

func (b *Book) islandHealth(h *Health, m *Meter, w Window, now int64) {
	v, begin, end := m.over(w.From, w.To, now)
	h.Covered = Window{min(h.Covered.From, begin), max(h.Covered.To, end)}
	for i, s := range fleet.NodeStates() {
		h.States[s] += v[i]
		if s != fleet.Retired {
			h.NodeTime += v[i]
		}
	}
	h.Installed += v[islandInstalled]
	h.Usable += v[islandUsable]
	h.Failures += int(v[islandFailures])
	h.Interruptions += int(v[islandInterruptions])
	h.InstalledGPUs += int(m.Now[islandInstalled])
}

// partitionHealth adds what is known of whole partitions only.
func (b *Book) partitionHealth(rows map[string]*Health, scope string, by Level, w Window, now int64) {
	for _, key := range slices.Sorted(maps.Keys(b.Partitions)) {
		if !under(key, scope) {
			continue
		}
		m := b.Partitions[key]
		v, _, _ := m.over(w.From, w.To, now)
		h := row(rows, by.Of(key), w)
		h.Issued += int(v[Issued])
		h.Kept += int(v[Kept])
		h.Broken += int(v[Broken])
		h.PromisableMean += v[Promisable]
		h.HealthyTimeGPUs += v[Healthy]
		h.HealthyGPUs += int(m.Now[Healthy])
	}
	for _, key := range slices.Sorted(maps.Keys(b.Losses)) {
		partition, _ := cut(key)
		if under(partition, scope) {
			v, _, _ := b.Losses[key].over(w.From, w.To, now)
			row(rows, by.Of(partition), w).Undone += v[lossUndone]
		}
	}
}

// Node is one node's past.
type Node struct {
	Node, Partition, Island string
	State                   fleet.NodeState
	Since                   int64
	Cause                   string // why it is out; "" while it is not
	Stage                   string // of its repair; "" while it is not out
	Failures                int    // in the window
	Total                   int    // ever
	Interruptions           int    // ever
	Down                    int64  // time out in the window, probation not counted
	LastFailure             int64  // when it failed the last time; 0: no time that is kept
}

// History lists the nodes of a scope, those that failed most often in the window
// first, then those longest out, then by name.
func (b *Book) History(scope string, w Window, now int64) []Node {
	rows := make(map[string]*Node, len(b.Nodes))
	for name := range b.Nodes { // they are sorted below
		b.known(rows, name, scope, w, now)
	}
	return b.counted(rows, w)
}

// HistoryOf is History of some nodes alone; failed: and of those that have failed in the
// window or since, wherever they are in the scope.
func (b *Book) HistoryOf(names []string, failed bool, scope string, w Window, now int64) []Node {
	rows := make(map[string]*Node, len(names))
	for _, name := range names {
		b.known(rows, name, scope, w, now)
	}
	if failed {
		for name, n := range b.Nodes { // they are sorted below
			if n.Open != nil {
				b.known(rows, name, scope, w, now)
			}
		}
		for _, e := range b.ended(w.From, never) {
			b.known(rows, e.Node, scope, w, now)
		}
	}
	return b.counted(rows, w)
}

// known makes a node's row, if it is in the scope and has none yet.
func (b *Book) known(rows map[string]*Node, name, scope string, w Window, now int64) {
	n := b.Nodes[name]
	if n == nil || rows[name] != nil || scope != "" && !under(n.Partition+"/"+n.Island, scope) {
		return
	}
	rows[name] = b.node(name, n, w, now)
}

// counted counts what is over into rows, and sorts them.
func (b *Book) counted(rows map[string]*Node, w Window) []Node {
	for _, e := range b.ended(w.From, never) {
		if r := rows[e.Node]; r != nil {
			r.count(e, w)
		}
	}
	list := make([]Node, 0, len(rows))
	for _, r := range rows {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(x, y Node) int {
		return cmp.Or(cmp.Compare(y.Failures, x.Failures), cmp.Compare(y.Down, x.Down), cmp.Compare(x.Node, y.Node))
	})
	return list
}

// never is later than every moment.
const never = int64(1) << 62

func (b *Book) node(name string, n *NodeLife, w Window, now int64) *Node {
	r := &Node{
		Node: name, Partition: n.Partition, Island: n.Island, State: n.State, Since: n.Since,
		Total: n.Failures, Interruptions: n.Interruptions,
	}
	if n.Open != nil {
		r.Cause, r.Stage = n.cause(), n.Stage.String()
		r.count(n.so(now), w)
	}
	return r
}

// so is the open episode as it would be if it ended now.
func (n *NodeLife) so(now int64) Episode {
	e := *n.Open
	e.To, e.Cause = max(now, n.StageSince), n.cause()
	e.Stages[n.Stage] += e.To - n.StageSince
	return e
}

func (r *Node) count(e Episode, w Window) {
	r.Down += max(0, min(w.To, e.To-e.Stages[StageProbation])-max(w.From, e.From))
	if e.Failure() && e.From < w.To {
		r.LastFailure = max(r.LastFailure, e.failedAt())
		if e.From >= w.From {
			r.Failures++
		}
	}
}
