package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// treeWalk is a walk along all queues of a tree at once, in the order of
// importance and age, that meets the first of each kind of each quota. The walks
// along its queues are a heap: the one whose next unit is first is in front.
type treeWalk struct {
	walks []*queueWalk
	begun bool
}

func walkTree(tree *fleet.Tree) *treeWalk {
	own := make([]queueWalk, 0, len(tree.Waits()))
	t := &treeWalk{walks: make([]*queueWalk, 0, len(tree.Waits()))}
	for _, a := range tree.Waits() {
		if firsts := a.Firsts(); len(firsts) > 0 {
			own = append(own, queueWalk{a, firsts})
			t.walks = append(t.walks, &own[len(own)-1])
		}
	}
	for at := len(t.walks)/2 - 1; at >= 0; at-- {
		t.sink(at)
	}
	return t
}

// next is the next unit of a kind that is new to its queue, or nil.
func (t *treeWalk) next() *fleet.Waiting {
	if t.begun {
		t.step()
	}
	t.begun = true
	if len(t.walks) == 0 {
		return nil
	}
	return t.walks[0].next()
}

// step puts the queue in which the last unit was met where its next one belongs.
func (t *treeWalk) step() {
	if last := len(t.walks) - 1; len(t.walks[0].ahead) == 0 {
		t.walks[0] = t.walks[last]
		t.walks = t.walks[:last]
	}
	t.sink(0)
}

func (t *treeWalk) sink(at int) {
	for {
		first := at
		for _, child := range [...]int{2*at + 1, 2*at + 2} {
			if child < len(t.walks) && t.walks[child].ahead[0].Key.Before(t.walks[first].ahead[0].Key) {
				first = child
			}
		}
		if first == at {
			return
		}
		t.walks[at], t.walks[first] = t.walks[first], t.walks[at]
		at = first
	}
}

// skipped is pass.skipped for the last unit that was met.
func (t *treeWalk) skipped(it *fleet.Waiting) { t.walks[0].skipped(it) }
