package maintenance

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// view is where all planned work stands.
type view struct {
	v            *frame.Visit
	m            *musterv1.GetMaintenanceResponse
	rollouts     []rollout // open ones first
	zones, over  []zone    // in force or to come; over
	notices      []notice  // not over
	behind       []*musterv1.Configuration
	offers       []change.Offer
	ahead        int
	wide, narrow draw.SVG
}

// rollout is one rollout with its drawing.
type rollout struct {
	*musterv1.Rollout
	meter  draw.SVG
	offers []change.Offer
}

type zone struct {
	*musterv1.Zone
	state  string
	offers []change.Offer
}

type notice struct {
	*musterv1.Notice
	offers []change.Offer
}

// mostNames is how many names stand in a cell.
const mostNames = 4

// Page is all planned work.
func Page(v *frame.Visit) (frame.Page, error) {
	res, err := v.Maintenance.GetMaintenance(v.Ctx, &musterv1.GetMaintenanceRequest{AsOf: v.AsOf})
	if err != nil {
		return frame.Page{}, err
	}
	m := view{v: v, m: res, offers: change.Join(
		change.For(v, "add-update", "Make an update known …"), change.For(v, "start-rollout", "Start a rollout …"),
		change.For(v, "add-zone", "Add a no-fly zone …"), change.For(v, "announce", "Announce a maintenance …"),
		change.For(v, "zone-days", "Limit no-fly days …"),
	)}
	m.rolloutsOf(res)
	m.zonesOf(res)
	for _, n := range res.GetNotices() {
		if n.GetState() != "done" && n.GetState() != "cancelled" {
			m.notices = append(m.notices, notice{n, change.For(v, "cancel-maintenance", "Cancel …", "name", n.GetName())})
		}
	}
	for _, c := range res.GetConfigurations() {
		if len(c.GetLacks()) > 0 {
			m.behind = append(m.behind, c)
		}
	}
	if err := m.calendar(); err != nil {
		return frame.Page{}, err
	}
	return frame.Page{
		Title: "Maintenance", Nav: "maintenance", Command: "muster maintenance list", Body: body(m),
		Lead: "Planned work on nodes: which updates, when, what blocks them, and how many GPUs they take.",
	}, nil
}

// calendar draws the planned work that is known to come.
func (m *view) calendar() error {
	c, err := m.v.Coming.Coming(m.v.Ctx, &musterv1.ComingRequest{AsOf: m.v.AsOf, Limit: 200})
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(slices.Clone(c.GetAhead()), func(a *musterv1.Ahead) bool {
		return a.GetKind() != "maintenance" && a.GetKind() != "zone" || a.GetAt() == nil
	})
	at := c.GetSeen().GetAt().AsTime()
	m.ahead, m.wide, m.narrow = len(list), picture.DrawAheads(list, at, m.v.To, draw.Wide), picture.DrawAheads(list, at, m.v.To, draw.Narrow)
	return nil
}

func (m *view) rolloutsOf(res *musterv1.GetMaintenanceResponse) {
	for _, r := range res.GetRollouts() {
		left := max(0, r.GetOf()-r.GetDone()-r.GetFailed()-r.GetVisits())
		row := rollout{Rollout: r, meter: draw.Meter(int(r.GetOf()), int(r.GetOf()),
			draw.Part{GPUs: int(r.GetDone()), Ink: draw.Flex, Says: draw.Number(int(r.GetDone())) + " nodes done"},
			draw.Part{GPUs: int(r.GetFailed()), Ink: draw.Fault, Says: draw.Number(int(r.GetFailed())) + " failed"},
			draw.Part{GPUs: int(r.GetVisits()), Ink: draw.Planned, Says: draw.Number(int(r.GetVisits())) + " visited now"},
			draw.Part{GPUs: int(left), Ink: draw.Empty, Says: draw.Number(int(left)) + " to come"},
		)}
		if open(r) {
			row.offers = m.moves(r)
		}
		m.rollouts = append(m.rollouts, row)
	}
	slices.SortStableFunc(m.rollouts, func(a, b rollout) int { return rank(a.Rollout) - rank(b.Rollout) })
}

func open(r *musterv1.Rollout) bool { return r.GetState() != "done" && r.GetState() != "abandoned" }

func rank(r *musterv1.Rollout) int {
	if open(r) {
		return 0
	}
	return 1
}

// moves are what a reader may do with an open rollout.
func (m *view) moves(r *musterv1.Rollout) []change.Offer {
	move := change.For(m.v, "pause-rollout", "Pause …", "name", r.GetName())
	if r.GetState() == "paused" {
		move = change.For(m.v, "resume-rollout", "Resume …", "name", r.GetName())
	}
	return change.Join(move, change.For(m.v, "abandon-rollout", "Abandon …", "name", r.GetName()))
}

func (m *view) zonesOf(res *musterv1.GetMaintenanceResponse) {
	for _, z := range res.GetZones() {
		row := zone{Zone: z, state: "to come"}
		switch {
		case z.GetEnded() != nil || !z.GetTo().AsTime().After(m.v.At()):
			row.state = "over"
			m.over = append(m.over, row)
			continue
		case z.GetActive():
			row.state = "in force"
		}
		row.offers = change.For(m.v, "end-zone", "End …", "name", z.GetName())
		m.zones = append(m.zones, row)
	}
}

// names are the first of some names.
func names(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	if len(list) > mostNames {
		return strings.Join(list[:mostNames], ", ") + " and " + draw.Number(len(list)-mostNames) + " more"
	}
	return strings.Join(list, ", ")
}

func (m view) clock(at *timestamppb.Timestamp) string {
	if at == nil {
		return "not known"
	}
	return parts.Clock(at.AsTime(), m.v.Now)
}

// late is how long ago a visit should have ended; 0 where it still has time.
func (m view) late(x *musterv1.Visit) time.Duration {
	if x.GetEnds() == nil {
		return 0
	}
	return max(0, m.v.At().Sub(x.GetEnds().AsTime()))
}

// whys say in a sentence why visits wait.
var whys = map[string]string{
	"Stale":             "the cluster's reports have stopped",
	"Unproven":          "no canary has proven the configuration that the node would have",
	"Soaking":           "a canary runs, and its soak is not over",
	"NoFlyZone":         "a no-fly zone keeps visits away",
	"WouldBreakPromise": "without the node a promise would be broken",
	"Limit":             "as many nodes are visited as the limits allow",
	"InUse":             "work stands there that is not disturbed",
	"NotBefore":         "the update may not begin yet",
	"OutOfService":      "the node is suspect, or under another maintenance",
}

// who is the zone, the workload or the quota that a reason names.
func who(w *musterv1.WaitReason) string { return w.GetZone() + w.GetWho() }

// whoPath leads to who.
func (m view) whoPath(w *musterv1.WaitReason) string {
	switch {
	case w.GetCode() == "InUse":
		return m.v.To("/workload/" + w.GetWho())
	case w.GetCode() == "WouldBreakPromise":
		return m.v.To("/team/" + w.GetWho())
	}
	return m.v.To("/zone/" + w.GetZone())
}

// place is the scope of a zone: what it covers.
func place(z *musterv1.Zone) string {
	if z.GetWorkload() != "" {
		return "the nodes of " + z.GetWorkload()
	}
	return z.GetScope()
}
