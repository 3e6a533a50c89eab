package cli

import (
	"fmt"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// nodeStep is a change of a node's state that one person made.
type nodeStep struct {
	seq      uint64
	from, to string
}

// cancelOut notes changes of nodes that one person took back by hand, whatever the reason given: after a drain and
// an uncordon, the undo of the uncordon would drain the node again.
func cancelOut(records []*musterv1.Record, last endings) {
	steps := map[[2]string][]nodeStep{} // what still holds, by person and node
	eachEvent(records, func(r *musterv1.Record, kind string, f reversible) {
		if kind != "node.changed" || nodeUndo(f) == "" {
			return
		}
		whose := [2]string{r.GetActor(), f.Node}
		steps[whose] = last.cancel(append(steps[whose], nodeStep{r.GetSeq(), f.From, f.To}), f.Node)
	})
}

// cancel leaves out steps after which a node is where it was before them.
func (last endings) cancel(steps []nodeStep, node string) []nodeStep {
	to := steps[len(steps)-1].to
	first := slices.IndexFunc(steps, func(s nodeStep) bool { return s.from == to })
	if first < 0 {
		return steps
	}
	for _, s := range steps[first:] {
		last[nodeChange(s.seq, node)] = endedNow
	}
	return steps[:first]
}

// nodeChange is what one record did to one node.
func nodeChange(seq uint64, node string) string { return fmt.Sprint("change ", seq, " of ", node) }
