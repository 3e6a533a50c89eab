package invariant_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Each figure that has a bound is asked for itself: one rule has several of them, and the others
// do not stand in for one that is left out.
func TestEveryFigureIsAsked(t *testing.T) {
	for figure, harm := range map[string]func(s *fleet.State, p *fleet.Partition){
		"nodes backing quotas in island a of its whole healthy ones: 5 is more than 4": func(_ *fleet.State, p *fleet.Partition) { p.Account("q/x").Backing[0] = 5 },
		"own share of island b of its whole healthy nodes: 5 is more than 4":           func(_ *fleet.State, p *fleet.Partition) { p.Islands[1].Share = 5 },
		"nodes backing quotas of the promisable ones: 4 is more than 3":                func(_ *fleet.State, p *fleet.Partition) { p.Promisable = 3 },
		"promisable of the whole healthy nodes: 9 is more than 8":                      func(_ *fleet.State, p *fleet.Partition) { p.Promisable = 9 },
		"backed nodes, of the smaller of promisable and assigned: 4 is more than 3":    func(_ *fleet.State, p *fleet.Partition) { p.Promisable = 3 },
		"of these, nodes not backed though nothing waits for its island: 1":            func(_ *fleet.State, p *fleet.Partition) { p.Account("q/x").Backing[0] = 2 },
		"GPUs backing q/y: 8 is more than 7":                                           func(_ *fleet.State, p *fleet.Partition) { p.Account("q/y").Grant = 7 },
		"GPUs that end of the grant of q/y: 9 is more than 8":                          func(_ *fleet.State, p *fleet.Partition) { p.Account("q/y").Temporary.GPUs = 9 },
		"zero of the backing of q/y: 0 is more than -1":                                func(_ *fleet.State, p *fleet.Partition) { p.Account("q/y").Backing[0] = -1 },
		"gang of q/x, not flagged, in its widest island: 24 is more than 16": func(_ *fleet.State, p *fleet.Partition) {
			p.Account("q/x").Gang, p.Account("q/x").Backing = 24, []int{2, 1}
		},
		"flex used of flex: 50 is more than 40": func(s *fleet.State, _ *fleet.Partition) {
			for k := range 6 { // on GPUs that others hold
				place(s, fmt.Sprint("more", k), fleet.Flex, fleet.HoldsFlex, gang(8, 1, fleet.ReachAny), k)
			}
		},
	} {
		s := sound()
		harm(s, s.Partition("t/g"))
		if found := invariant.Check(s); !tells(found, figure) {
			t.Errorf("%q is not told, only %v", figure, found)
		}
	}
}

func tells(found []invariant.Broken, detail string) bool {
	for _, b := range found {
		if strings.Contains(b.Detail, detail) {
			return true
		}
	}
	return false
}
