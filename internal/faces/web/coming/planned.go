package coming

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// PlannedView is the planned work that concerns what a page is about.
type PlannedView struct {
	v     *frame.Visit
	works []*musterv1.PlannedWork
	more  int
}

// mostPlanned is how many lines of planned work a page shows.
const mostPlanned = 12

// Planned asks which planned work concerns a place, a node, a quota or a workload.
func Planned(v *frame.Visit, about *musterv1.PlannedWorkRequest) (PlannedView, error) {
	about.AsOf = v.AsOf
	res, err := v.Maintenance.PlannedWork(v.Ctx, about)
	if err != nil {
		return PlannedView{}, err
	}
	m := PlannedView{v: v, works: res.GetWorks()}
	if len(m.works) > mostPlanned {
		m.more, m.works = len(m.works)-mostPlanned, m.works[:mostPlanned]
	}
	return m, nil
}

// path leads to a rollout, or to all announced maintenances.
func (m PlannedView) path(w *musterv1.PlannedWork) string {
	if w.GetRollout() {
		return m.v.To("/rollout/" + w.GetOf())
	}
	return m.v.To("/maintenance")
}

// when is the time that planned work takes, as far as it is known.
func (m PlannedView) when(w *musterv1.PlannedWork) string {
	if w.GetBegins() == nil {
		return "no moment is known"
	}
	says := parts.Clock(w.GetBegins().AsTime(), m.v.Now)
	if w.GetEnds() != nil {
		says += " to " + parts.Clock(w.GetEnds().AsTime(), m.v.Now)
	}
	return says
}
