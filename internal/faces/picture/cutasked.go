package picture

import (
	"fmt"
	"math"
	"strconv"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// CutAndAsked says of a plan how much of what is assigned where it cuts was asked for, and how much
// it cuts; "" where it cuts nothing, or does not say what was asked.
func CutAndAsked(h *musterv1.Haircut) string {
	assigned, asked := askedInAll(h)
	cut := int(h.GetSums().GetTotal())
	if assigned == 0 || asked == 0 || cut == 0 {
		return ""
	}
	says := fmt.Sprintf("Asked are %s%s of the %s assigned where it cuts (%s%s)",
		shareAsked(h.GetAsk()), draw.Number(asked), draw.Count(assigned, "GPU"), percentOf(asked, assigned), whatIsAsked(h.GetAsk()))
	if cut == asked {
		return says + ", and it cuts as many."
	}
	return says + fmt.Sprintf("; it cuts %s (%s). They differ because nodes are cut whole and gangs are kept; each cut says why.", draw.Number(cut), percentOf(cut, assigned))
}

// shareAsked is the share that a fixed buffer asks of every grant, where the plan names that buffer.
func shareAsked(ask *musterv1.HaircutAsk) string {
	b := ask.GetBuffer()
	if ask.GetBasis() != "quota" || b == nil || words.BufferLearns(b.GetKind()) {
		return ""
	}
	return strconv.FormatFloat(math.Round(1000*b.GetShare())/10, 'f', -1, 64) + " %, which is "
}

// whatIsAsked says what the figure of all that is asked comes from: it is rounded up.
func whatIsAsked(ask *musterv1.HaircutAsk) string {
	if ask.GetBasis() == "quota" {
		return ": the buffer's share, rounded up to whole GPUs in each partition"
	}
	return ": what is assigned above sustainable"
}

// askedInAll adds up, over the partitions that a plan cuts, the GPUs that are assigned and those that
// the quotas are asked for. A partition, and a quota in it, may stand in several waves.
func askedInAll(h *musterv1.Haircut) (assigned, asked int) {
	seen := map[string]bool{}
	first := func(name string) bool { is := !seen[name]; seen[name] = true; return is }
	for _, w := range h.GetWaves() {
		for _, part := range w.GetParts() {
			if first(part.GetPartition()) {
				assigned += int(part.GetAssigned())
			}
			for _, list := range [][]*musterv1.HaircutCut{part.GetCuts(), part.GetSpared()} {
				for _, c := range list {
					if first(part.GetPartition() + " " + c.GetQuota()) {
						asked += int(c.GetAsked())
					}
				}
			}
		}
	}
	return assigned, asked
}

func percentOf(n, all int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(all)) }
