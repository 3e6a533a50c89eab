package fleet

import "slices"

// This file counts what changes, by whom it may concern. Who found out that a unit
// cannot start compares the counts later, and looks again only where one has grown.
// Most changes concern one tree: the others' own counts still refuse what waits there.

// Changes counts the changes of a partition. The counts only grow, and say nothing
// once the state has been rebuilt.
type Changes struct {
	Room    uint64 // room may have come free, if only where flex work stood
	Nodes   uint64 // of these: nodes, or what may stand on them, changed; where work left see TreeChanges
	All     uint64 // of these: anybody may be concerned
	Minimum uint64 // flex work may have run its minimum time
	Flex    uint64 // the queues of flex, or what is left for it, changed
	OnNodes uint64 // what is on a node changed
	Ages    uint64 // work may be past its declared maximum
}

// TreeChanges counts the changes of a tree in a partition. The counts only grow.
type TreeChanges struct {
	Work  uint64 // its work changed, or it has more backing
	Queue uint64 // a unit left its queues, or came before others there
	Room  uint64 // room came free that its work had
	Nodes uint64 // in-quota work left an island where it has backing or work
	Flex  uint64 // flex work left one
}

// Changes counts what has changed in the partition.
func (p *Partition) Changes() Changes { return p.changes }

// Changes counts what has changed in the tree.
func (t *Tree) Changes() TreeChanges { return t.changes }

// TakeChanged lists the trees that changed, or for which a unit came to wait, since it
// was last asked. The slice is the partition's own.
func (p *Partition) TakeChanged() []*Tree {
	list := p.changed
	for _, t := range list {
		t.changed = false
	}
	p.changed = list[:0]
	return list
}

// note puts a tree on the list of those that changed.
func (p *Partition) note(t *Tree) {
	if t != nil && !t.changed {
		t.changed = true
		p.changed = append(p.changed, t)
	}
}

// worked says that the work of a tree, or of flex, changed.
func (p *Partition) worked(tree string) {
	if tree == Flex {
		p.changes.Flex++
		return
	}
	if t := p.trees[tree]; t != nil {
		t.changes.Work++
		p.note(t)
	}
}

// queued says that a unit left the queues of a tree, or of flex, or came before others
// there: that concerns those whose answer hangs on who else waits.
func (p *Partition) queued(tree string) {
	if tree == Flex {
		p.changes.Flex++
		return
	}
	if t := p.trees[tree]; t != nil {
		t.changes.Queue++
		p.note(t)
	}
}

// freed says that there may be room, for anybody, that work of a tree had.
func (p *Partition) freed(tree string) {
	p.freedOf(tree)
	p.roomier()
}

// freedOf notes in a tree that it may have room.
func (p *Partition) freedOf(tree string) {
	if t := p.trees[tree]; t != nil {
		t.changes.Room++
		p.note(t)
	}
}

// freedIn says that work of a tree, or flex work, left some islands. In-quota work can stand only where its tree
// has backing or work already: it concerns no other tree.
func (p *Partition) freedIn(tree string, islands []int) {
	p.freedOf(tree)
	for _, t := range p.trees {
		if t.standsInSome(islands) {
			t.changes.Flex, t.changes.Nodes = t.changes.Flex+one(tree == Flex), t.changes.Nodes+one(tree != Flex)
		}
	}
	p.changes.Room++
	p.Touch()
}

func one(so bool) uint64 {
	if so {
		return 1
	}
	return 0
}

// standsInSome says whether the tree has backing or work in some of these islands.
func (t *Tree) standsInSome(islands []int) bool {
	return slices.ContainsFunc(islands, func(i int) bool { return t.backing[i] > 0 || t.touched[i] > 0 })
}

// renewed says that nodes, or what may stand on them, changed.
func (p *Partition) renewed() {
	p.state.lookAt(p)
	p.roomier()
}

func (p *Partition) roomier() {
	p.changes.Room++
	p.changes.Nodes++
	p.Touch()
}

// rebacked says that a tree has more backing somewhere, or less: what less does to how
// its work holds GPUs is told when it happens, and else it moves who heads its queues.
func (p *Partition) rebacked(t *Tree, more bool) {
	t.changes.Queue++
	if more {
		t.changes.Work++
		t.changes.Room++
	}
	p.note(t)
	p.Touch()
}

// worn says that nodes are worth less than they were: that helps no unit in quota, except
// those behind a head that no longer fits; on flex all shares are smaller.
func (p *Partition) worn() {
	p.changes.Flex++
	for _, t := range p.trees {
		if t.readers > 0 {
			t.changes.Queue++
			p.note(t)
		}
	}
	p.Touch()
}

// Freed says that room may have come free for anybody: the partition is looked at again.
func (p *Partition) Freed() {
	p.state.lookAt(p)
	p.openUp()
}

// openUp is Freed where planned work knows already what it is to look at.
func (p *Partition) openUp() {
	p.changes.Room++
	p.changes.Nodes++
	p.changes.All++
	p.Touch()
}

// Touch says that something changed in the partition, though no room came free.
func (p *Partition) Touch() { p.state.dirty[p] = true }
