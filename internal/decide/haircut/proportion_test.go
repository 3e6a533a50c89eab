package haircut

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestWhyACutIsNotWhatWasAsked: a row says the first of the causes that holds.
func TestWhyACutIsNotWhatWasAsked(t *testing.T) {
	made := func(gpus, gang int, cut [classes]int) *row {
		return &row{account: &fleet.Account{Grant: gpus}, grant: gpus / 8, extra: gpus % 8, gang: gang, cut: cut}
	}
	for name, one := range map[string]struct {
		row  *row
		more int
		want fleet.CutWhy
	}{
		"as asked":         {made(80, 0, [classes]int{2, 0, 0}), 0, ""},
		"rounded":          {made(80, 0, [classes]int{2, 0, 0}), 3, fleet.CutWholeNodes},
		"its gang is kept": {made(80, 8, [classes]int{2, 0, 0}), -16, fleet.CutGangKept},
		"more in use":      {made(80, 4, [classes]int{2, 0, 0}), -16, fleet.CutInUse},
		"more unused":      {made(80, 0, [classes]int{5, 0, 0}), 16, fleet.CutUnused},
		"for others":       {made(80, 0, [classes]int{2, 0, 3}), 16, fleet.CutForOthers},
	} {
		if got := one.row.why(one.more); got != one.want {
			t.Errorf("%s: %q, not %q", name, got, one.want)
		}
	}
}
