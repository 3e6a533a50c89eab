package placement

import (
	"container/heap"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// queueWalk is one walk along a quota's queue: it meets the first of each kind.
type queueWalk struct {
	account *fleet.Account
	ahead   []*fleet.Waiting
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

// skipped says that a unit was not asked, or not taken, for a reason of its own.
// Where holds lie inside the quota, the next one like it is met in its stead.
func (w *queueWalk) skipped(it *fleet.Waiting) {
	if len(w.account.InsideHolds()) == 0 {
		return
	}
	if like := w.account.Following(it); like != nil {
		at, _ := slices.BinarySearchFunc(w.ahead, like, func(x, y *fleet.Waiting) int { return threeWay(x.Before(y), y.Before(x)) })
		w.ahead = slices.Insert(slices.Clone(w.ahead), at, like)
	}
}

// treeWalk is a walk along all queues of a tree at once, in the order of
// importance and age, that meets the first unit of each kind of each quota.
type treeWalk struct {
	walks walkHeap
	begun bool
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

// skipped is queueWalk.skipped for the last unit that was met.
func (t *treeWalk) skipped(it *fleet.Waiting) { t.walks[0].skipped(it) }

// walkHeap keeps the walk whose next unit comes first in front.
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
