package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/fleet"
)

// pass is one walk along a queue: it meets each shape once.
type pass struct {
	met  map[int]bool
	left int // shapes not met yet
}

func newPass(kinds int) *pass { return &pass{map[int]bool{}, kinds} }

// meets says whether a unit has a shape that the walk has not met before.
func (w *pass) meets(it *fleet.Waiting) bool {
	shape := it.Shape()
	if shape != 0 && w.met[shape] {
		return false
	}
	w.met[shape] = true
	w.left--
	return true
}

// over says that no new shape is to come.
func (w *pass) over() bool { return w.left <= 0 }

// sharesNow is Shares, computed once for as long as nothing changes.
func (pl *Planner) sharesNow() map[string]int {
	if stamp := pl.p.FlexStamp(); pl.shares == nil || pl.sharesAt != stamp {
		pl.shares, pl.sharesAt = Shares(pl.p), stamp
	}
	return pl.shares
}

// flexUnits lists the units of flex work, computed once for as long as
// nothing changes.
func (pl *Planner) flexUnits() []unit {
	if stamp := pl.p.FlexStamp(); pl.unitsAt != stamp {
		pl.flexing = pl.flexing[:0]
		for _, w := range pl.p.FlexWork() {
			pl.flexing = append(pl.flexing, pl.units(w)...)
		}
		pl.unitsAt = stamp
	}
	return slices.Clip(pl.flexing)
}
