package maintenance

import (
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// endPath is where a rollout's page asks for its end.
const endPath = "/part/rollout-end"

// endView is when a rollout should end.
type endView struct {
	view
	end  *musterv1.RolloutEnd // nil: nothing is to be said
	name string
}

// RolloutEnd is the part of a rollout's page that says when it should end, and what would make that sooner.
func RolloutEnd(v *frame.Visit) (frame.Page, error) {
	name := v.Query("name")
	res, err := v.Maintenance.GetMaintenance(v.Ctx, &musterv1.GetMaintenanceRequest{AsOf: v.AsOf, Rollout: name})
	if err != nil {
		return frame.Page{}, err
	}
	m := endView{view: view{v: v, m: res}, name: name}
	if at := slices.IndexFunc(res.GetRollouts(), func(r *musterv1.Rollout) bool { return r.GetName() == name }); at >= 0 {
		m.end = res.GetRollouts()[at].GetEnd()
	}
	return frame.Page{Part: true, Body: endBody(m)}, nil
}

// says is when it should end, in a sentence.
func (m endView) says() string {
	switch e := m.end; {
	case e.GetP50() != nil:
		return "It should end by " + m.clock(e.GetP50()) + " (p50), and in nine of ten cases by " + m.clock(e.GetP90()) + " (p90)."
	case e.GetUnknown() != "":
		return "When it ends is not known: " + e.GetUnknown() + "." + searchText(e, m.name)
	}
	return "When it ends is not worked out for a fleet of this size."
}

// searchText says which command plays it through for longer; "": none.
func searchText(e *musterv1.RolloutEnd, name string) string {
	if e.GetLonger() == nil {
		return ""
	}
	return " Search longer: " + words.Shell("muster", "rollout", "show", name, "--search", words.Duration(e.GetLonger().AsDuration())) + "."
}
