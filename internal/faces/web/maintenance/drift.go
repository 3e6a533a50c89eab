package maintenance

import (
	"cmp"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// driftView is the page of who is how far behind.
type driftView struct {
	view
	rows []driftRow
}

// driftRow is a partition's nodes by how many updates they lack.
type driftRow struct {
	partition      string
	nodes, behind  int
	configurations []*musterv1.Configuration
	most           int // updates that a node lacks at most
	oldest         *musterv1.Configuration
	meter          draw.SVG
}

// Drift is the page of how far behind each partition is.
func Drift(v *frame.Visit) (frame.Page, error) {
	res, err := v.Maintenance.GetMaintenance(v.Ctx, &musterv1.GetMaintenanceRequest{AsOf: v.AsOf})
	if err != nil {
		return frame.Page{}, err
	}
	m := driftView{view: view{v: v, m: res}}
	for _, c := range res.GetConfigurations() {
		m.add(c)
	}
	m.draw()
	slices.SortStableFunc(m.rows, func(a, b driftRow) int { return cmp.Or(cmp.Compare(b.behind, a.behind), cmp.Compare(b.most, a.most)) })
	return frame.Page{
		Title: "Drift", Nav: "maintenance", Crumbs: frame.Under("Maintenance", "/maintenance"), Command: "muster maintenance behind", Body: driftBody(m), Lead: m.lead(),
	}, nil
}

func (m *driftView) add(c *musterv1.Configuration) {
	at := slices.IndexFunc(m.rows, func(r driftRow) bool { return r.partition == c.GetPartition() })
	if at < 0 {
		at = len(m.rows)
		m.rows = append(m.rows, driftRow{partition: c.GetPartition()})
	}
	r := &m.rows[at]
	r.nodes += int(c.GetNodes())
	r.configurations = append(r.configurations, c)
	if len(c.GetLacks()) == 0 {
		return
	}
	r.behind += int(c.GetNodes())
	r.most = max(r.most, len(c.GetLacks()))
	if r.oldest == nil || c.GetSince().AsTime().Before(r.oldest.GetSince().AsTime()) {
		r.oldest = c
	}
}

// draw gives each partition its bar: nodes that lack nothing, one update, and more.
func (m *driftView) draw() {
	most := 1
	for _, r := range m.rows {
		most = max(most, r.nodes)
	}
	for i := range m.rows {
		r, one := &m.rows[i], 0
		for _, c := range r.configurations {
			if len(c.GetLacks()) == 1 {
				one += int(c.GetNodes())
			}
		}
		r.meter = draw.Meter(r.nodes, most,
			draw.Part{GPUs: r.nodes - r.behind, Ink: draw.Flex, Says: draw.Number(r.nodes-r.behind) + " lack nothing"},
			draw.Part{GPUs: one, Ink: draw.Planned, Says: draw.Number(one) + " lack one update"},
			draw.Part{GPUs: r.behind - one, Ink: draw.Fault, Says: draw.Number(r.behind-one) + " lack more"},
		)
	}
}

func (m driftView) lead() string {
	nodes, behind, never := 0, 0, 0
	for _, r := range m.rows {
		nodes, behind = nodes+r.nodes, behind+r.behind
		if r.behind == r.nodes {
			never++
		}
	}
	if behind == 0 {
		return "Every node has the updates that fit it."
	}
	says := draw.Number(behind) + " of " + draw.Count(nodes, "node") + " " + verb(behind, "lacks", "lack") + " an update that fits"
	if never > 0 {
		says += "; in " + draw.Count(never, "partition") + " every node does"
	}
	return says + "."
}

// since says for how long the oldest update waits that a partition's nodes lack.
func (m driftView) since(c *musterv1.Configuration) string {
	if c.GetSince() == nil {
		return ""
	}
	return parts.Lasted(m.v.At().Sub(c.GetSince().AsTime()))
}

// driftKeys say what the parts of a bar are.
var driftKeys = []struct {
	ink  draw.Ink
	says string
}{{draw.Flex, "lack nothing"}, {draw.Planned, "lack one update"}, {draw.Fault, "lack more"}}
