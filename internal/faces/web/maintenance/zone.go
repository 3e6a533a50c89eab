package maintenance

import (
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// zoneView is the page of one zone.
type zoneView struct {
	view
	z zone
}

// mostListed is how many nodes a list names.
const mostListed = 120

// Zone is the page of one no-fly zone: its board.
func Zone(v *frame.Visit) (frame.Page, error) {
	name := v.Request.PathValue("name")
	res, err := v.Maintenance.GetMaintenance(v.Ctx, &musterv1.GetMaintenanceRequest{AsOf: v.AsOf, Zone: name})
	if err != nil {
		return frame.Page{}, err
	}
	m := zoneView{view: view{v: v, m: res}}
	m.zonesOf(res)
	all := slices.Concat(m.zones, m.over)
	m.z = all[slices.IndexFunc(all, func(z zone) bool { return z.GetName() == name })]
	return frame.Page{
		Title: "No-fly zone " + name, Nav: "maintenance", Crumbs: frame.Under("Maintenance", "/maintenance"), Command: words.Shell("muster", "nfz", "show", name),
		Lead: m.costs(), Body: zoneBody(m), About: []string{m.z.GetScope()},
	}, nil
}

// costs says in one go what the zone costs.
func (m zoneView) costs() string {
	z := m.z
	if z.state == "over" {
		return "It is over, and keeps no visit away."
	}
	says := "It is in force until " + m.clock(z.GetTo()) + "."
	if !z.GetActive() {
		says = "It begins " + m.clock(z.GetFrom()) + " and ends " + m.clock(z.GetTo()) + "."
	}
	if z.GetBehind() == 0 && len(z.GetConflicts()) == 0 {
		return says + " It costs nothing now: no node under it is behind, and no deadline falls inside."
	}
	says += " " + draw.Count(int(z.GetBehind()), "node") + " under it " + verb(int(z.GetBehind()), "lacks", "lack") + " an update that it keeps away"
	if z.GetOldest() != nil {
		says += ", the oldest for " + parts.Lasted(m.v.At().Sub(z.GetOldest().AsTime()))
	}
	return says + "; " + draw.Count(m.unproven(), "combination") + " that " + verb(m.unproven(), "piles", "pile") + " up " + verb(m.unproven(), "was", "were") + " never proven; " +
		"deadlines and announced maintenances inside: " + draw.Number(len(z.GetConflicts())) + "."
}

// days says for how many days of this quarter zones follow the nodes of the zone's tree of quotas.
func (m zoneView) days() string {
	says := draw.Count(int(m.z.GetQuotaDays()), "day") + " of zones over quota " + m.z.GetQuota()
	if most := int(m.z.GetQuotaDaysLimit()); most > 0 {
		says += "; its owners may set " + draw.Number(most)
	}
	return says
}

// unproven is how many combinations behind the zone no canary has proven.
func (m zoneView) unproven() (n int) {
	for _, p := range m.z.GetPiles() {
		if p.GetVerdict() != "proven" {
			n++
		}
	}
	return n
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// rolloutsNamed are the rollouts of some names, with their drawings.
func (m zoneView) rolloutsNamed(list []string) (found []rollout) {
	all := view{v: m.v}
	all.rolloutsOf(m.m)
	for _, r := range all.rollouts {
		if slices.Contains(list, r.GetName()) {
			found = append(found, r)
		}
	}
	return found
}

// conflicts says what falls inside the zone, and what to do about it.
func (m zoneView) conflicts() (list []string) {
	for _, name := range m.z.GetConflicts() {
		says := name
		for _, u := range m.m.GetUpdates() {
			if u.GetName() == name {
				says = "The deadline of update " + name + ", " + m.clock(u.GetDeadline()) + ". " + m.late()
			}
		}
		for _, n := range m.m.GetNotices() {
			if n.GetName() == name {
				says = m.noticeInside(n)
			}
		}
		list = append(list, says)
	}
	return list
}

// late says what the zone does to a deadline inside it.
func (m zoneView) late() string {
	if m.z.GetActive() {
		return "Nodes under the zone miss it, unless the zone ends early enough for their visits."
	}
	return "Visits under the zone end before it begins, where time is left for them; nodes that are behind then miss the deadline."
}

func (m zoneView) noticeInside(n *musterv1.Notice) string {
	says := "Maintenance " + n.GetName() + ", " + m.clock(n.GetStarts()) + ", of " + draw.Count(len(n.GetNodes()), "node")
	if n.GetProvider() {
		return says + ": the provider heeds no zone. Only the provider can move it."
	}
	return says + ": it waits until the zone is over."
}
