package promise

import (
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A partition may keep each promise while its islands break theirs: the first sentence says both.
func TestTheLeadCountsTheSharesOfIslands(t *testing.T) {
	m := &view{known: true, ofIslands: 96, rows: []*musterv1.Promises{{Kept: 3966, Open: 672}}}
	if got := m.lead(); !strings.Contains(got, "3,966 of 3,966 promises for whole partitions") || !strings.Contains(got, "96 for islands' own shares were broken") {
		t.Error(got)
	}
	m.ofIslands = 0
	if got := m.lead(); !strings.Contains(got, "none of an island was broken") {
		t.Error(got)
	}
	if m.known = false; !strings.Contains(m.lead(), "not counted yet") {
		t.Error(m.lead())
	}
}
