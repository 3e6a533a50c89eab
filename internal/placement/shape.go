package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/fleet"
)

// shape is all of a waiting unit that decides whether it finds room now: where
// one found none, its like behind it finds none either.
type shape struct {
	target, namespace string
	importance        fleet.Importance
	needs             string
}

// shapes remembers which shapes have found no room in one pass over a queue.
type shapes map[shape]bool

// shapeOf is the shape of a unit; ok is false for one that has replicas already,
// which is like no other.
func shapeOf(it fleet.Waiting) (s shape, ok bool) {
	if it.Pool != fleet.Base {
		return shape{}, false
	}
	w := it.Workload
	s = shape{target: w.Target, importance: it.Key.Importance(), needs: w.Shape()}
	if w.Flexes() {
		s.namespace = w.Namespace
	}
	return s, true
}

// failed says whether a unit of this shape found no room before it in this pass.
func (f shapes) failed(it fleet.Waiting) bool {
	s, ok := shapeOf(it)
	return ok && f[s]
}

func (f shapes) fail(it fleet.Waiting) {
	if s, ok := shapeOf(it); ok {
		f[s] = true
	}
}

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
