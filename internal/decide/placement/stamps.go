package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// A stamp is a sum of counts of changes that only grow: equal stamps mean that none of
// them has grown. No stamp is 0, which is that of a thing without a note.

// roomStamp grows with everything that may let any unit find room.
func roomStamp(c fleet.Changes) uint64 { return c.Room + c.Minimum + 1 }

// flexStamp grows with everything that could change what is fair on flex or what stands there.
func (pl *Planner) flexStamp() uint64 {
	c := pl.p.Changes()
	return roomStamp(c) + c.Flex
}

// growthStamp grows with what may bring room, with every departure from the queues that
// the workload could stand behind, and with every placement from them.
func (pl *Planner) growthStamp(w *fleet.Workload) uint64 {
	if w.Account() == nil {
		return pl.flexStamp()
	}
	t := w.Account().Root().Changes()
	return roomStamp(pl.p.Changes()) + t.Work + t.Queue
}

// stampOf is the stamp of a waiting unit: only what may bring what it lacks counts, and
// so does everything where the head of a queue depends on which nodes are healthy. What
// is told apart has stamps that cannot meet: a unit may be asked in one way, and not in
// the other.
func (pl *Planner) stampOf(it *fleet.Waiting) uint64 {
	if it.Account() == nil {
		return pl.flexStamp()
	}
	tree, lacks := it.Account().Root(), lackOf(it.Memo)
	all, own := pl.p.Changes(), tree.Changes()
	others := own.Work
	if readsQueueOf(it.Memo) {
		others += 1<<61 + own.Queue
	}
	switch {
	case tree.ReadsMetal() || lacks == lacksRoom:
		return roomStamp(all) + others
	case lacks == lacksNodes:
		return 1<<62 + all.Nodes + own.Room + others
	}
	return 2<<62 + all.All + own.Room + others
}
