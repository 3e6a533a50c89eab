package picture

import (
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// MostDumbbells is how many rows a picture of a haircut has at most.
const MostDumbbells = 120

// Dumbbells are the grants that a haircut looks at, partition by partition: assigned,
// backed, the highest use that is known, and what is proposed.
func Dumbbells(h *musterv1.Haircut, quotas []*musterv1.Quota, used []*musterv1.QuotaUsed, to Leads) []draw.Dumbbell {
	if to == nil {
		to = nowhere
	}
	cut, inScope := cuts(h)
	highest := map[string]int{}
	for _, one := range used {
		highest[one.GetPartition()+" "+one.GetQuota()] = int(one.GetHighestUse())
	}
	below := map[string][]draw.Dumbbell{}
	var order []string
	for _, one := range quotas {
		for _, g := range one.GetGrants() {
			if g.GetAssigned() == 0 || len(inScope) > 0 && !inScope[g.GetPartition()] {
				continue
			}
			if below[g.GetPartition()] == nil {
				order = append(order, g.GetPartition())
			}
			key := g.GetPartition() + " " + one.GetPath()
			below[g.GetPartition()] = append(below[g.GetPartition()], dumbbell(one.GetPath(), g, cut[key], highest[key], to))
		}
	}
	slices.Sort(order)
	var rows []draw.Dumbbell
	for _, id := range order {
		rows = append(append(rows, draw.Dumbbell{Name: id, Head: true, Href: to("/partition/" + id)}), below[id]...)
	}
	return rows
}

// cuts are what a plan cuts, by partition, a space, and quota; and the partitions that
// it has waves for.
func cuts(h *musterv1.Haircut) (cut map[string]*musterv1.HaircutCut, inScope map[string]bool) {
	cut, inScope = map[string]*musterv1.HaircutCut{}, map[string]bool{}
	for _, w := range h.GetWaves() {
		for _, p := range w.GetParts() {
			inScope[p.GetPartition()] = true
			for _, c := range p.GetCuts() {
				key := p.GetPartition() + " " + c.GetQuota()
				cut[key] = joined(cut[key], c)
			}
		}
	}
	return cut, inScope
}

// joined is what two waves cut of one grant: from before the first to after the second.
func joined(first, then *musterv1.HaircutCut) *musterv1.HaircutCut {
	if first == nil {
		return then
	}
	return &musterv1.HaircutCut{Quota: then.GetQuota(), Was: first.GetWas(), Now: then.GetNow(), Highest: then.GetHighest()}
}

func dumbbell(quota string, g *musterv1.Grant, c *musterv1.HaircutCut, highest int, to Leads) draw.Dumbbell {
	d := draw.Dumbbell{
		Name: quota, Assigned: int(g.GetAssigned()), Proposed: int(g.GetAssigned()), Backed: int(g.GetBacked()), Highest: max(highest, int(g.GetUsage())),
		Href: to("/team/" + quota),
	}
	if c != nil {
		d.Assigned, d.Proposed, d.Highest = int(c.GetWas()), int(c.GetNow()), max(d.Highest, int(c.GetHighest()))
	}
	return d
}
