package fleet

// This file knows which queues may have a unit that can start now. Most changes
// concern one tree: the others' own counts still refuse what waits there. Only
// units that found the counts right but no nodes are looked at again wherever
// room comes free. Forgetting all this costs time and changes no decision.

// Awake lists the trees in which something changed that could let a waiting
// unit start, in order of name.
func (p *Partition) Awake() []*Tree { return p.awake }

// Sleep says that no unit that waits in a tree can start until something changes
// there, or, where a unit lacks more than that, anywhere.
func (p *Partition) Sleep(t *Tree, lacks Lack) {
	if t.awake {
		t.awake = false
		p.awake = flip(p.awake, t, byRoot)
	}
	if (t.lacks > LacksCounts) != (lacks > LacksCounts) {
		p.lackNodes = flip(p.lackNodes, t, byRoot)
	}
	t.lacks = lacks
}

func (p *Partition) wake(t *Tree) {
	if t != nil && !t.awake {
		t.awake = true
		p.awake = flip(p.awake, t, byRoot)
	}
}

// changed says that something changed for a tree, or for flex.
func (p *Partition) changed(tree string) {
	if tree == Flex {
		p.leftFlex++
		return
	}
	if t := p.trees[tree]; t != nil {
		t.left++
		p.wake(t)
	}
}

// queued says that a unit left the queues of a tree, or of flex, or came before others
// there: that concerns those whose answer hangs on who else waits.
func (p *Partition) queued(tree string) {
	if tree == Flex {
		p.leftFlex++
		return
	}
	if t := p.trees[tree]; t != nil {
		t.queued++
		p.wake(t)
	}
}

// freed says that room came free that work of a tree, or flex work, had.
func (p *Partition) freed(tree string) {
	if t := p.trees[tree]; t != nil {
		t.own++
		p.wake(t)
	}
	if tree != Flex {
		p.Renewed()
		return
	}
	p.epoch++
	p.wakeLacking(LacksRoom)
	p.Touch()
}

// Renewed says that nodes, or what may stand on them, changed: a unit that lacks nodes
// alone is looked at again.
func (p *Partition) Renewed() {
	p.epoch++
	p.bare++
	p.wakeLacking(LacksNodes)
	p.Touch()
}

// rebacked says that a tree has more backing somewhere, or less: what less does to how
// its work holds GPUs is told when it happens, and else it moves who heads its queues.
func (p *Partition) rebacked(t *Tree, more bool) {
	t.queued++
	if more {
		t.left++
		t.own++
	}
	p.wake(t)
	p.Touch()
}

// worn says that nodes are worth less than they were: that helps no unit in quota, except
// those behind a head that no longer fits; on flex all shares are smaller.
func (p *Partition) worn() {
	p.leftFlex++
	for _, t := range p.trees {
		if t.readers > 0 {
			t.queued++
			p.wake(t)
		}
	}
	p.Touch()
}

// wakeLacking wakes the trees in which a unit lacks at least as much.
func (p *Partition) wakeLacking(least Lack) {
	for _, t := range p.lackNodes {
		if t.lacks >= least {
			p.wake(t)
		}
	}
}

// Freed says that room may have come free for anybody: the partition is looked at again.
func (p *Partition) Freed() {
	p.epoch++
	p.bare++
	p.wide++
	for _, t := range p.trees {
		if len(t.waits) > 0 {
			p.wake(t)
		}
	}
	p.Touch()
}
