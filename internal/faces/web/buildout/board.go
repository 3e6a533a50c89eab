package buildout

import (
	"cmp"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// phases are the columns of the board, in the order of a cluster's life.
var phases = []string{"Planned", "Provisioning", "Provisioned", "InProduction", "Draining", "Retired"}

// How many clusters of a phase the board shows: as cards beside those of other phases, and in the phase's
// own table. The command lists them all.
const (
	mostCards = 30
	mostRows  = 100
)

// boardView is all clusters that are built, by phase.
type boardView struct {
	v       *frame.Visit
	columns []column
	only    string // a phase; "": all of them
	offers  []change.Offer
}

// column is the clusters of one phase.
type column struct {
	phase string
	list  []*musterv1.ClusterLife
	all   int
}

// Board is the page of all clusters that are built.
func Board(v *frame.Visit) (frame.Page, error) {
	m := boardView{v: v, only: v.Query("phase"), offers: change.For(v, "cluster-plan", "Plan a cluster …")}
	if m.only != "" && !slices.Contains(phases, m.only) {
		return frame.Page{}, frame.Wrong("Phase", frame.Unfit(m.only, "a phase", words.Or(phases)))
	}
	r, err := v.Buildout.ListClusters(v.Ctx, &musterv1.ListClustersRequest{AsOf: v.AsOf})
	if err != nil {
		return frame.Page{}, err
	}
	list := r.GetClusters()
	slices.SortStableFunc(list, urgent)
	for _, phase := range phases {
		m.columns = append(m.columns, m.column(phase, list))
	}
	return frame.Page{
		Title: "Build-out", Nav: "buildout", Command: "muster cluster list", Lead: boardLead(list), Body: boardBody(m),
	}, nil
}

func (m boardView) column(phase string, list []*musterv1.ClusterLife) column {
	c, most := column{phase: phase}, mostRows
	if m.only == "" {
		most = mostCards
	}
	for _, l := range list {
		if l.GetPhase() != phase {
			continue
		}
		c.all++
		if len(c.list) < most && (m.only == "" && phase != "Retired" || m.only == phase) {
			c.list = append(c.list, l)
		}
	}
	return c
}

// urgent sorts late clusters first, then those that wait for a person, then by how long
// they have waited.
func urgent(a, b *musterv1.ClusterLife) int {
	return cmp.Or(
		first(a.GetLate(), b.GetLate()), first(a.GetDegraded(), b.GetDegraded()), first(a.GetPerson(), b.GetPerson()),
		a.GetSince().AsTime().Compare(b.GetSince().AsTime()), cmp.Compare(a.GetRecord().GetName(), b.GetRecord().GetName()))
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// boardLead says how many clusters are on the way, and of those in production what is missing.
func boardLead(list []*musterv1.ClusterLife) string {
	under, late, people, standing := 0, 0, 0, 0
	for _, l := range list {
		switch {
		case l.GetPhase() == "Retired" || l.GetPhase() == "InProduction" && l.GetWaits() == "":
			continue
		case l.GetPhase() == "InProduction":
			standing++
		default:
			under++
		}
		if l.GetLate() {
			late++
		}
		if l.GetPerson() {
			people++
		}
	}
	if len(list) == 0 {
		return "No cluster is being built out."
	}
	if under+standing == 0 {
		return "No cluster is on its way: all are in production or retired."
	}
	lead := draw.Count(under, "cluster") + " on the way; "
	if standing > 0 {
		lead += draw.Number(standing) + " in production with a condition missing; "
	}
	return lead + draw.Number(late) + " late, " + draw.Number(people) + " waiting for a person."
}

// clock writes a moment that may not be known.
func clock(v *frame.Visit, at *timestamppb.Timestamp) string {
	if at == nil {
		return "not known"
	}
	return parts.Clock(at.AsTime(), v.Now)
}

// past says whether the cluster was to be in production before now.
func past(v *frame.Visit, l *musterv1.ClusterLife) bool {
	return l.GetP90() != nil && l.GetP90().AsTime().Before(v.At())
}

// byWord begins the date of production. One that is past says so.
func byWord(v *frame.Visit, l *musterv1.ClusterLife) string {
	if past(v, l) {
		return "was to be by"
	}
	return "by"
}

// expected is when a cluster is to be in production, or was to be.
func expected(v *frame.Visit, l *musterv1.ClusterLife) string {
	text := "In production by "
	if past(v, l) {
		text = "Was to be in production by "
	}
	return text + clock(v, l.GetP50()) + " (p50), " + clock(v, l.GetP90()) + " (p90)"
}

// touchCount is how often a person had to do something.
func touchCount(l *musterv1.ClusterLife) string {
	if l.GetTouches() == 1 {
		return "1 touch"
	}
	return draw.Number(int(l.GetTouches())) + " touches"
}

// since is how long ago a moment was.
func since(v *frame.Visit, at *timestamppb.Timestamp) string {
	if at == nil {
		return ""
	}
	return parts.Lasted(v.At().Sub(at.AsTime()).Round(time.Second))
}

// lifePath is the page of one cluster's life.
func lifePath(name string) string { return "/build-out/" + name }

// empty says that nothing stands on the board.
func (m boardView) empty() bool {
	return !slices.ContainsFunc(m.columns, func(c column) bool { return len(c.list) > 0 })
}
