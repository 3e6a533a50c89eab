package picture

import (
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/draw"
)

// mostAhead is how much of what is coming a picture has.
const mostAhead = 40

// aheadInks are the inks of what is coming, by kind.
var aheadInks = map[string]draw.Ink{
	"probation": draw.Probation, "dwell": draw.Metal, "hold": draw.Quota, "work": draw.Wait, "maintenance": draw.Planned,
	"incident": draw.Fault, "wave": draw.Ask, "delivery": draw.Paper,
}

// Aheads is what is coming, as a picture; to says where each leads.
func Aheads(list []*musterv1.Ahead, to Leads) []draw.Ahead {
	if to == nil {
		to = nowhere
	}
	var rows []draw.Ahead
	for _, a := range list[:min(len(list), mostAhead)] {
		row := draw.Ahead{Name: a.GetText(), Note: draw.Count(int(a.GetGpus()), "GPU"), Ink: aheadInks[a.GetKind()], Says: a.GetText(), Href: to(AheadPath(a))}
		if row.Ink == "" {
			row.Ink = draw.Metal
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

// AheadPath is the page of what is coming.
func AheadPath(a *musterv1.Ahead) string {
	about := a.GetAbout()
	switch {
	case about != "" && a.GetKind() == "work":
		return "/workload/" + about
	case about != "" && a.GetKind() == "hold":
		return "/team/" + about
	case about != "" && a.GetKind() == "wave":
		return "/haircut/" + about
	case about != "" && a.GetKind() == "incident":
		return "/#h-incidents"
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
