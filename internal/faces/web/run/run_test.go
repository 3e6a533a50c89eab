package run

import (
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Work that the reader may not read leaves for a start as any other does: the page does not say that none has to.
func TestHiddenWorkThatLeavesIsSaid(t *testing.T) {
	for want, st := range map[string]*musterv1.Start{
		"no eviction":                {},
		"evicts a/b":                 {Evicts: []string{"a/b"}},
		"evicts a/b and 2 others":    {Evicts: []string{"a/b"}, EvictsOthers: 2},
		"evicts another team's work": {EvictsOthers: 1},
	} {
		if got := evictions(st); got != want {
			t.Errorf("the page says %q, want %q", got, want)
		}
	}
}
