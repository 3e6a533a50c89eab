package picture

import (
	"cmp"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// mostAhead is how much of what is coming a picture has.
const mostAhead = 40

// aheadInks are the inks of what is coming, by kind.
var aheadInks = map[string]draw.Ink{
	"probation": draw.Probation, "dwell": draw.Metal, "hold": draw.Quota, "grant": draw.Quota, "work": draw.Wait, "maintenance": draw.Planned,
	"zone": draw.Ask, "incident": draw.Fault, "wave": draw.Ask, "delivery": draw.Paper, "arrival": draw.Metal,
}

// Aheads is what is coming, as a picture; to says where each leads.
func Aheads(list []*musterv1.Ahead, to Leads) []draw.Ahead {
	if to == nil {
		to = nowhere
	}
	var rows []draw.Ahead
	for _, a := range list[:min(len(list), mostAhead)] {
		row := draw.Ahead{Name: aheadName(a), Ink: AheadInk(a.GetKind()), Says: a.GetText(), Href: to(AheadPath(a))}
		if a.GetGpus() > 0 { // a no-fly zone takes none
			row.Note = draw.Count(int(a.GetGpus()), "GPU")
		}
		if a.GetPartition() != "" {
			row.Says = a.GetPartition() + ": " + row.Says
		}
		if a.GetAt() != nil {
			row.At = a.GetAt().AsTime()
			row.Says += ", " + row.At.UTC().Format("2 Jan 15:04:05") + " UTC"
		}
		rows = append(rows, row)
	}
	return rows
}

// aheadName is what is coming in a few words; all of it shows on hover.
func aheadName(a *musterv1.Ahead) string {
	nodes := draw.Count(len(a.GetNodes()), "node")
	if len(a.GetNodes()) == 1 {
		nodes = a.GetNodes()[0]
	}
	switch a.GetKind() {
	case "probation":
		return nodes + " through probation"
	case "dwell":
		return nodes + " can be promised again"
	case "work":
		return cmp.Or(a.GetAbout(), words.OfOthers(1)) + " ends, as declared"
	case "hold":
		return "hold ends: " + a.GetAbout()
	case "grant":
		return "part of a grant ends: " + a.GetAbout()
	case "zone":
		return "no-fly zone " + a.GetAbout()
	case "maintenance":
		return maintenanceName(a, nodes)
	case "incident":
		return "incident " + a.GetAbout()
	case "wave":
		return "haircut " + a.GetAbout() + ", reviewed"
	case "arrival":
		return "cluster " + a.GetAbout() + " comes"
	case "delivery":
		return "not delivered in " + a.GetPartition()
	}
	return a.GetText()
}

// maintenanceName tells a maintenance that is announced from one that is under way.
func maintenanceName(a *musterv1.Ahead, nodes string) string {
	switch {
	case a.GetAt() == nil:
		return nodes + " under maintenance"
	case a.GetSince() == nil:
		return "maintenance of " + nodes + " begins"
	}
	return nodes + " back from maintenance"
}

// AheadInk is the ink of a kind of what is coming.
func AheadInk(kind string) draw.Ink {
	if ink, ok := aheadInks[kind]; ok {
		return ink
	}
	return draw.Metal
}

// AheadPath is the page of what is coming.
func AheadPath(a *musterv1.Ahead) string {
	about := a.GetAbout()
	switch {
	case about != "" && a.GetKind() == "work":
		return "/workload/" + about
	case about != "" && (a.GetKind() == "hold" || a.GetKind() == "grant"):
		return "/team/" + about
	case about != "" && a.GetKind() == "wave":
		return "/haircut/" + about
	case a.GetKind() == "zone":
		return "/maintenance"
	case a.GetKind() == "arrival":
		return "/build-out/" + about
	case about != "" && a.GetKind() == "incident":
		return "/incident/" + about
	case about != "":
		return "/node/" + about
	case a.GetKind() == "delivery":
		return "/teams"
	case a.GetPartition() != "":
		return "/partition/" + a.GetPartition()
	}
	return "/"
}

// DrawAheads draws what is coming.
func DrawAheads(list []*musterv1.Ahead, now time.Time, to Leads, w draw.Width) draw.SVG {
	return draw.Aheads(Aheads(list, to), now, w)
}
