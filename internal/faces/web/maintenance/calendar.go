package maintenance

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/calendar"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// Calendar sends planned work and the ends of grants and holds as an iCalendar feed, of all the fleet or of one scope. A
// calendar that cannot sign in as a browser does gives a token as the password of the address.
func Calendar(v *frame.Visit) error {
	if _, token, ok := v.Request.BasicAuth(); ok {
		v.SignedAs(token)
	}
	res, err := v.Maintenance.GetMaintenance(v.Ctx, &musterv1.GetMaintenanceRequest{})
	if err != nil {
		return err
	}
	covers, err := coveredBy(v, v.Query("scope"))
	if err != nil {
		return err
	}
	coming, err := v.Coming.Coming(v.Ctx, &musterv1.ComingRequest{})
	if err != nil {
		return err
	}
	data, err := calendar.Feed(res, coming.GetAhead(), covers)
	if err != nil {
		return err
	}
	h := v.Writer.Header()
	h.Set("Content-Type", calendar.Type)
	h.Set("Content-Disposition", `inline; filename="muster-maintenance.ics"`)
	h.Set("Cache-Control", "no-store")
	_, _ = v.Writer.Write(data)
	return nil
}

// coveredBy says which places and nodes a scope covers; nil: all.
func coveredBy(v *frame.Visit, scope string) (func(string) bool, error) {
	if scope == "" {
		return nil, nil
	}
	res, err := v.Capacity.Nodes(v.Ctx, &musterv1.NodesRequest{Scope: scope})
	if err != nil {
		return nil, err
	}
	nodes, near := map[string]bool{}, within(scope)
	for _, n := range res.GetNodes() {
		nodes[n.GetName()] = true
	}
	return func(place string) bool { return nodes[place] || near(place) }, nil
}

// within says whether a place lies in a scope, or the scope in it: tiger has tiger/h200, and
// what concerns the fleet concerns tiger.
func within(scope string) func(string) bool {
	return func(place string) bool {
		return place == "fleet" || place == scope || strings.HasPrefix(place, scope+"/") || strings.HasPrefix(scope, place+"/")
	}
}
