package placement

import (
	"container/heap"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A queue may hold thousands of units (gangs, and replicas of elastic pools). Units of one kind ask
// for the same, so where the first finds no room, those behind it find none: a walk meets the first
// unit of each kind alone. Walks are in the order of the queue: importance, then age.

// queueWalk is one walk along a quota's queue.
type queueWalk struct {
	account *fleet.Account
	ahead   []*fleet.Waiting // what it has still to meet, in order
}

func walkQueue(a *fleet.Account) *queueWalk { return &queueWalk{a, a.Firsts()} }

// next is the next unit to look at, or nil.
func (w *queueWalk) next() *fleet.Waiting {
	if len(w.ahead) == 0 {
		return nil
	}
	it := w.ahead[0]
	w.ahead = w.ahead[1:]
	return it
}

// skipped says that the unit met last was passed over for a reason of its own, and not for want of
// room: it is withheld, or does better in another partition. So it says nothing about the next of its
// kind. Where holds lie inside the quota, the walk meets that one too.
func (w *queueWalk) skipped(it *fleet.Waiting) {
	if len(w.account.InsideHolds()) == 0 {
		return
	}
	next := w.account.Following(it)
	if next == nil {
		return
	}
	at, _ := slices.BinarySearchFunc(w.ahead, next, func(x, y *fleet.Waiting) int { return threeWay(x.Before(y), y.Before(x)) })
	w.ahead = slices.Insert(slices.Clone(w.ahead), at, next) // a clone: the slice is the account's own
}

// treeWalk is a walk along the queues of all quotas of a tree at once. The walk that gave the last
// unit stays in front of the heap until next is called, so that skipped finds it there.
type treeWalk struct {
	walks walkHeap
	begun bool // the walk in front has given a unit, and may be out of order
}

func walkTree(tree *fleet.Tree) *treeWalk {
	t := &treeWalk{walks: make(walkHeap, 0, len(tree.Waits()))}
	for _, a := range tree.Waits() {
		if firsts := a.Firsts(); len(firsts) > 0 {
			t.walks = append(t.walks, queueWalk{a, firsts})
		}
	}
	heap.Init(&t.walks)
	return t
}

// next is the next unit to look at, or nil.
func (t *treeWalk) next() *fleet.Waiting {
	switch {
	case len(t.walks) == 0:
		return nil
	case t.begun && len(t.walks[0].ahead) == 0:
		heap.Pop(&t.walks)
	case t.begun:
		heap.Fix(&t.walks, 0)
	}
	t.begun = true
	if len(t.walks) == 0 {
		return nil
	}
	return t.walks[0].next()
}

// skipped is queueWalk.skipped for the unit met last.
func (t *treeWalk) skipped(it *fleet.Waiting) { t.walks[0].skipped(it) }

// walkHeap keeps the walk in front whose next unit comes first; all of them have one.
type walkHeap []queueWalk

func (h walkHeap) Len() int           { return len(h) }
func (h walkHeap) Less(i, j int) bool { return h[i].ahead[0].Key.Before(h[j].ahead[0].Key) }
func (h walkHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push does nothing: no queue joins a walk that has begun.
func (h *walkHeap) Push(any) {}

// Pop takes the last walk out.
func (h *walkHeap) Pop() any {
	*h = (*h)[:len(*h)-1]
	return nil
}
