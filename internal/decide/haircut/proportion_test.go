package haircut

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestWhyACutIsNotWhatWasAsked: a row says the first of the causes that holds. Beside it stands
// another of 10 nodes, of which work uses 8.
func TestWhyACutIsNotWhatWasAsked(t *testing.T) {
	made := func(gpus, gang int, has, cut [classes]int) *row {
		return &row{account: &fleet.Account{Grant: gpus}, grant: gpus / 8, extra: gpus % 8, gang: gang, has: has, cut: cut}
	}
	other := made(80, 0, [classes]int{2, 0, 8}, [classes]int{})
	for name, one := range map[string]struct {
		row  *row
		more int
		want fleet.CutWhy
	}{
		"as asked":                   {made(80, 0, [classes]int{2, 0, 8}, [classes]int{2, 0, 0}), 0, ""},
		"rounded":                    {made(80, 0, [classes]int{2, 0, 8}, [classes]int{2, 0, 0}), 3, fleet.CutWholeNodes},
		"its gang is kept":           {made(80, 8, [classes]int{2, 0, 8}, [classes]int{2, 0, 0}), -16, fleet.CutGangKept},
		"its unused gang is kept":    {made(80, 7, [classes]int{10, 0, 0}, [classes]int{2, 0, 0}), -16, fleet.CutGangKept},
		"more in use":                {made(80, 4, [classes]int{2, 0, 8}, [classes]int{2, 0, 0}), -16, fleet.CutInUse},
		"more unused":                {made(80, 0, [classes]int{5, 0, 5}, [classes]int{5, 0, 0}), 16, fleet.CutUnused},
		"more held by idle jobs":     {made(80, 0, [classes]int{2, 3, 5}, [classes]int{2, 3, 0}), 16, fleet.CutUnused},
		"for others":                 {made(80, 0, [classes]int{2, 0, 8}, [classes]int{2, 0, 3}), 16, fleet.CutForOthers},
		"for others, no more unused": {made(80, 0, [classes]int{2, 0, 8}, [classes]int{2, 0, 0}), 16, fleet.CutForOthers},
	} {
		if got := one.row.why(one.more, []*row{one.row, other}); got != one.want {
			t.Errorf("%s: %q, not %q", name, got, one.want)
		}
	}
}

// Where no node is installed, as in a cluster that is about to come, a grant keeps the share of nothing.
func TestOfNothingInstalledNothingIsKept(t *testing.T) {
	takeShares(nil, 0, 0) // a partition without quotas, too
	granted := &row{account: &fleet.Account{Grant: 80}, grant: 10, has: [classes]int{10, 0, 0}}
	takeShares([]*row{granted}, 0, 0)
	if granted.taken() != 10 {
		t.Errorf("%d of 10 nodes are cut", granted.taken())
	}
}
