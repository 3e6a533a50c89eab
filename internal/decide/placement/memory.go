package placement

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file remembers which units found no room, and so which trees may have a unit that
// can start now. Only units that found the counts right but no nodes are looked at again
// wherever room comes free. To forget all this costs time and changes no decision.

// lack says what a unit lacked that found no room, and so what may help it.
type lack uint8

// What a unit may lack, the least first.
const (
	lacksCounts lack = iota // its quota's or its tree's counts say no, or what waits before it
	lacksNodes              // the counts are right; it lacks nodes even where no flex work stands
	lacksRoom               // flex work may stand in its way, too
)

// The notes on a waiting unit and on a tree: the lack, and a mark.
const (
	lackBits   = 3
	readsQueue = 4 // of a unit: its answer hangs on who else waits: it was barred, or whom it would evict has an heir
	awake      = 4 // of a tree: something changed that could let a unit of it start
)

// memory is what placement remembers of a partition between two decisions.
type memory struct {
	seen       fleet.Changes // when awake was brought up to date
	flexAsleep uint64        // see flexSleeps
	listed     bool          // awake and lackNodes are derived from the trees' notes
	awake      []*fleet.Tree // in order of name
	lackNodes  []*fleet.Tree // in which a unit lacks more than counts, in order of name
	scratch    *scratch
	spare      *Planner // see Done; nil: there is none
}

// Fork keeps what was seen; the rest follows from the notes on the trees, or is derived anew.
func (m *memory) Fork() fleet.Memory { return &memory{seen: m.seen, flexAsleep: m.flexAsleep} }

func memoryOf(p *fleet.Partition) *memory {
	m, _ := p.Memories.Placement.(*memory)
	if m == nil {
		m = &memory{}
		p.Memories.Placement = m
	}
	return m
}

// list derives the lists from the notes on the trees.
func (m *memory) list(p *fleet.Partition) {
	if m.listed {
		return
	}
	m.listed, m.awake, m.lackNodes = true, nil, nil
	for _, t := range p.Trees() {
		if t.Memo.Note&awake != 0 {
			m.awake = append(m.awake, t)
		}
		if lackOf(t.Memo) > lacksCounts {
			m.lackNodes = append(m.lackNodes, t)
		}
	}
}

// awakeTrees lists the trees in which something changed that could let a waiting unit
// start, in order of name.
func (pl *Planner) awakeTrees() []*fleet.Tree {
	m, changes := pl.memory, pl.p.Changes()
	m.list(pl.p)
	for _, t := range pl.p.TakeChanged() {
		m.wake(t)
	}
	if changes.All > m.seen.All {
		for _, a := range pl.p.Waits() {
			m.wake(a.Root())
		}
	}
	if changes.Room > m.seen.Room {
		pl.wakeLacking()
	}
	m.seen = changes
	return m.awake
}

// sleeps notes that no unit that waits in a tree can start until something changes
// there, or, where a unit lacks more than that, where its quotas stand.
func (pl *Planner) sleeps(t *fleet.Tree, lacks lack) {
	m := pl.memory
	if t.Memo.Note&awake != 0 {
		m.awake = flip(m.awake, t)
	}
	if (lackOf(t.Memo) > lacksCounts) != (lacks > lacksCounts) {
		m.lackNodes = flip(m.lackNodes, t)
	}
	t.Memo = fleet.Memo{At: pl.lackStamp(t, lacks), Note: uint8(lacks)}
}

func (m *memory) wake(t *fleet.Tree) {
	if t.Memo.Note&awake == 0 {
		t.Memo.Note |= awake
		m.awake = flip(m.awake, t)
	}
}

// wakeLacking wakes the trees in which a unit lacks what may be there now.
func (pl *Planner) wakeLacking() {
	for _, t := range pl.memory.lackNodes {
		if t.Memo.At != pl.lackStamp(t, lackOf(t.Memo)) {
			pl.memory.wake(t)
		}
	}
}

// flip puts a tree into a list in order of name, or takes it out if it is there.
func flip(list []*fleet.Tree, t *fleet.Tree) []*fleet.Tree {
	at, found := slices.BinarySearchFunc(list, t, func(x, y *fleet.Tree) int { return strings.Compare(x.Name(), y.Name()) })
	if found {
		return slices.Delete(list, at, at+1)
	}
	return slices.Insert(list, at, t)
}

// lackOf is what the units of a tree lack, or what one unit lacked when it was last tried.
func lackOf(m fleet.Memo) lack { return lack(m.Note & lackBits) }

// readsQueueOf says whether what a unit was told when it was last tried hangs on who else waits.
func readsQueueOf(m fleet.Memo) bool { return m.Note&readsQueue != 0 }

// noteAnswer notes what the last claims of a unit lacked, and whether their answers hang on who else waits.
func (pl *Planner) noteAnswer(it *fleet.Waiting, reads bool) {
	it.Memo.Note = uint8(pl.lacking)
	if reads {
		noteReadsQueue(it)
	}
}

// noteReadsQueue notes that what a unit was told hangs on who else waits.
func noteReadsQueue(it *fleet.Waiting) { it.Memo.Note |= readsQueue }

// tried says whether a waiting unit has found no room since anything changed that it
// could concern, and noteTried that it found none now.
func (pl *Planner) tried(it *fleet.Waiting) bool { return it.Memo.At == pl.stampOf(it) }

func (pl *Planner) noteTried(it *fleet.Waiting) { it.Memo.At = pl.stampOf(it) }

// grown and noteGrown are tried and noteTried for the growth of elastic pools.
func (pl *Planner) grown(w *fleet.Workload) bool {
	stamp := pl.growthStamp(w, lackOfStamp(w.LookedAt))
	return w.LookedAt == stamp || w.LookedAt == pl.placeStamp(stamp)
}

func (pl *Planner) noteGrown(w *fleet.Workload) {
	if w.LookedAt = pl.growthStamp(w, pl.lacking); pl.readsPlaces {
		w.LookedAt = pl.placeStamp(w.LookedAt)
	}
}

// flexSleeps says whether no unit that waits for flex could start when flex was last
// looked at, and nothing has changed since that could concern them.
func (pl *Planner) flexSleeps() bool { return pl.memory.flexAsleep == pl.flexStamp() }

func (pl *Planner) noteFlexSleeps() { pl.memory.flexAsleep = pl.flexStamp() }

// A stamp is a sum of counts of changes that only grow: equal stamps mean that none of
// them has grown. No stamp is 0, which is that of a thing without a note.

// roomStamp grows with everything that may let any unit find room.
func roomStamp(c fleet.Changes) uint64 { return c.Room + c.Minimum + 1 }

// flexStamp grows with everything that could change what is fair on flex or what stands there.
func (pl *Planner) flexStamp() uint64 {
	c := pl.p.Changes()
	return roomStamp(c) + c.Flex
}

// growthStamp grows with what may bring what the growth of a workload lacked, with every departure from the queues that
// it could stand behind, and with every placement from them.
func (pl *Planner) growthStamp(w *fleet.Workload, lacks lack) uint64 {
	if w.Account() == nil {
		return pl.flexStamp()
	}
	tree := w.Account().Root()
	own := tree.Changes()
	return pl.lackStamp(tree, lacks) + own.Work + own.Room + own.Queue
}

// placeStamp is a growth stamp that grows with all that stands on nodes, too: less free room may be another place.
func (pl *Planner) placeStamp(growth uint64) uint64 { return 1<<61 + growth + pl.p.Shifted() }

// stampOf is the stamp of a waiting unit: only what may bring what it lacks counts, and
// so does everything where the head of a queue depends on which nodes are healthy. What
// is told apart has stamps that cannot meet: a unit may be asked in one way, and not in
// the other.
func (pl *Planner) stampOf(it *fleet.Waiting) uint64 {
	if it.Account() == nil {
		return pl.flexStamp()
	}
	tree, lacks := it.Account().Root(), lackOf(it.Memo)
	own := tree.Changes()
	stamp := pl.lackStamp(tree, lacks) + own.Work + own.Room
	if readsQueueOf(it.Memo) {
		stamp += 1<<61 + own.Queue
	}
	return stamp
}

// The highest bits of a lack's stamp tell what is lacked.
const (
	stampOfNodes  = 1
	stampOfCounts = 2
	stampOfRoom   = 3
	stampShift    = 62
)

// lackStamp is the stamp of what units of a tree lack.
func (pl *Planner) lackStamp(tree *fleet.Tree, lacks lack) uint64 {
	all, own := pl.p.Changes(), tree.Changes()
	switch {
	case tree.ReadsMetal():
		return roomStamp(all)
	case lacks == lacksRoom:
		return stampOfRoom<<stampShift + all.Nodes + all.Minimum + own.Nodes + own.Flex
	case lacks == lacksNodes:
		return stampOfNodes<<stampShift + all.Nodes + own.Nodes
	}
	return stampOfCounts<<stampShift + all.All
}

// lackOfStamp is what was lacked by the stamp of a lack; of another stamp it is any.
func lackOfStamp(stamp uint64) lack {
	switch stamp >> stampShift {
	case stampOfRoom:
		return lacksRoom
	case stampOfNodes:
		return lacksNodes
	}
	return lacksCounts
}
