package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Who names something else than a node is told what it is, and how its nodes are called.
func TestWhoNamesNoNodeIsToldItsNodes(t *testing.T) {
	st := smallFleet(t, 2, 1)
	node := st.s.Partition("t/g").Nodes[2].Name // of island b
	for name, refused := range map[string]string{
		node:    "",
		"b":     `"b" is no node, but island b of t/g; name its nodes, as in ` + node + ": muster node list t/g/b shows the 1 there are",
		"t/g/b": `"t/g/b" is no node, but island b of t/g`,
		"t/g":   `"t/g" is no node; name nodes, as in ` + st.s.Partition("t/g").Nodes[0].Name,
		"t":     `"t" is no node; name nodes, as in `,
		"t/h":   `there is no node "t/h"`,
		"":      `there is no node ""`,
	} {
		st.by(0, ops, core.SetNodes{Names: []string{name}, State: fleet.Maintenance}, refused)
	}
}

// Of several names that no node has, all are told, before anything is said of the state of another.
func TestARangeBeyondWhatThereIsNamesWhatIsMissing(t *testing.T) {
	st := smallFleet(t, 2, 1)
	first := st.s.Partition("t/g").Nodes[0].Name
	stem := strings.TrimRight(first, "0123456789")
	last := fmt.Sprintf("%s%0*d", stem, len(first)-len(stem), 2)
	beyond := func(n int) string { return fmt.Sprintf("%s%0*d", stem, len(first)-len(stem), n) }
	st.do(0, core.SetNodes{Names: []string{first}, State: fleet.Quarantined})
	st.by(0, ops, core.SetNodes{Names: []string{first, last, beyond(7), beyond(8)}, State: fleet.Maintenance},
		"there are no nodes "+beyond(7)+".."+beyond(8)[len(stem):]+"; names that begin with")
}
