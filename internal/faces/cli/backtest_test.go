package cli

import (
	"strings"
	"testing"
)

// A fleet that no memory could hold is refused before anything is read or built.
func TestABacktestOfTooManyNodesIsRefused(t *testing.T) {
	for _, nodes := range []int{-1, mostNodes + 1, 100_000_000} {
		o := &backtestOptions{poolsOf: poolsOf{nodes: nodes}, faults: "there-is-no-such-file.csv"}
		if _, err := o.fleet(); err == nil || exitCode(err) != ExitUsage || !strings.Contains(err.Error(), "1 to 100,000 nodes") {
			t.Errorf("--nodes %d: %v", nodes, err)
		}
	}
}
