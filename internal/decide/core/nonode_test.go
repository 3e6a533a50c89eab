package core_test

import (
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
